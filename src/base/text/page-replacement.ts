import { innermost, type PageElement, readPage, WITHIN_LINE } from './page-quotes.ts';
import { treeKeeper } from './page-tree.ts';
import {
  ATOM,
  type Container,
  fitReplacement,
  type Given,
  type Leaf,
  type Reading,
  type Replacement,
  type Sign,
} from './replacement.ts';

/** Elements that are nothing without their text. */
const CONTAINER =
  /^(?:p|h[1-6]|li|[uod]l|d[td]|table|tbody|tr|blockquote|pre|div|section|article|aside|header|footer|nav|figure|figcaption|details|summary)$/;

/** Elements that do something without any text. */
const SHOWN =
  /^(?:img|svg|video|audio|canvas|iframe|object|embed|input|select|textarea|hr|script|style)$/;

/**
 * Fits a replacement into a page's source, as {@link fitReplacement} does.
 *
 * @param given its text is HTML; what isn't as HTML is taken as text
 */
export function fitInPage(html: string, given: Given): Replacement | undefined {
  const keepsTree = treeKeeper(html);
  return fitReplacement(html, given, read, {
    keepsRest: (candidate) => keepsTree(candidate),
    written: ({ text, ...range }) => {
      const quoted = escapeTags(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
      const isKept = keepsTree({ ...range, text });
      const escaped = { ...range, text: quoted };
      return isKept ? [given] : keepsTree(escaped, text) ? [escaped] : [];
    },
  });
}

/** Writes a text as HTML. */
export function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function read(html: string): Reading {
  const [signs, leaves]: [Sign[], Leaf[]] = [[], []];
  addHtml(html, { signs, leaves }, 0, '');
  return { signs, leaves, shown };
}

function shown(text: string): string[] {
  const visible = read(text)
    .signs.map((sign) => sign.text)
    .join('');
  const literal = text.replaceAll(/\s+/g, '');
  // A tag without its end would take what follows.
  return visible === '' || /<[a-z/!][^>]*$/i.test(text) ? [literal] : [visible, literal];
}

/**
 * Adds what HTML shows.
 *
 * @param offset where it begins in the source
 * @param path of the blocks around it
 */
export function addHtml(
  html: string,
  { signs, leaves }: Pick<Reading, 'signs' | 'leaves'>,
  offset: number,
  path: string,
): void {
  const { text, starts, ends, elements } = readPage(html);
  const containers = new Map<PageElement, Container>();
  const begun = new Set<PageElement | undefined>();
  const atoms = elements.filter(({ tag }) => SHOWN.test(tag));
  let leaf: Leaf | undefined;
  let within: PageElement | undefined;
  for (let at = 0; at <= text.length; at++) {
    const [start, end] = [starts[at] ?? html.length, ends[at] ?? html.length];
    for (let atom = atoms[0]; atom && atom.start < start; atom = atoms[0]) {
      add(ATOM, atom.start, atom.from, atom.parent);
      atoms.shift();
    }
    if (at < text.length) add(text.charAt(at), start, end, innermost(elements, start));
  }

  function add(sign: string, start: number, end: number, element: PageElement | undefined): void {
    const marks: PageElement[] = [];
    let block = element;
    for (; block && WITHIN_LINE.test(`<${block.tag}>`); block = block.parent) marks.unshift(block);
    if (!leaf || within !== block) {
      leaf = leafOf(block);
      leaf.isRest = begun.has(block);
      leaves.push(leaf);
      within = block;
      begun.add(block);
    }
    for (const mark of marks) {
      const start = mark.start + offset;
      if (leaf.marks.some((known) => known.start === start)) continue;
      leaf.marks.push({
        start,
        from: mark.from + offset,
        to: mark.to + offset,
        end: mark.end + offset,
        opening: html.slice(mark.start, mark.from),
        closing: html.slice(mark.to, mark.end),
        step: html.slice(mark.start, mark.from),
      });
    }
    signs.push({
      text: sign,
      start: start + offset,
      end: end + offset,
      leaf: leaves.length - 1,
      marks: marks.map(({ start, from }) => html.slice(start, from)).join(''),
    });
    leaf.to = signs.length;
  }

  function leafOf(block: PageElement | undefined): Leaf {
    const around: PageElement[] = [];
    for (let at = block; at; at = at.parent) around.unshift(at);
    const steps = around.map(({ tag, index }) =>
      /^t[dh]$/.test(tag) ? `${tag}${index}>` : tag === 'p' ? '' : `${tag}>`,
    );
    return {
      from: signs.length,
      to: signs.length,
      path: path + steps.join(''),
      isCell: block !== undefined && /^t[dh]$/.test(block.tag),
      marks: [],
      containers: around.flatMap((each) => containerOf(each) ?? []),
      written: (text) => [text, escapeTags(text)],
    };
  }

  function containerOf(element: PageElement): Container | undefined {
    if (!CONTAINER.test(element.tag)) return undefined;
    const known = containers.get(element);
    if (known) return Object.assign(known, { last: leaves.length });
    const removal = (end: number): Replacement => {
      const before = html.slice(0, element.start);
      const after = html.slice(end - offset);
      // Words that stood apart stay apart.
      const gap = /^[^<\s]/.test(after) || WITHIN_LINE.test(after) ? ' ' : '';
      return { start: before.trimEnd().length + offset, end, text: gap };
    };
    const [first, end] = [leaves.length, element.end + offset];
    const container = { first, last: first, end, removal };
    containers.set(element, container);
    return container;
  }
}
