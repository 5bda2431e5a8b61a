import { HTML_MARKS, isBlank, isBlock } from './dom.ts';
import { ATOM, escapeText, LINK, MARK } from './escape.ts';

/** A part of a line: text, the beginning or end of an element, or something without text. */
type Part =
  | { kind: 'text'; node: Text; text: string }
  | { kind: 'begin' | 'end'; element: Element; sign: string }
  | { kind: 'atom'; hasDollar: boolean };

const MARKS = /^(?:STRONG|EM|DEL)$/;
const ATOMS = /^(?:CODE|TEX|IMG|INPUT)$/;

/**
 * Escapes the text of an article, and decides how each of its marks is written: in the attribute
 * `data-mark`, as the Markdown around it, or `html` where Markdown's would not be read as a mark.
 */
export function prepareLines(body: Element): void {
  for (const { parts, block, isCell, texts, rest } of withRests(linesOf(body))) {
    const isHeading = /^H[1-6]$/.test(block.nodeName);
    const starts: number[] = [];
    let length = 0;
    for (const text of texts) {
      starts.push(length);
      length += text.length;
    }
    const line = texts.join('');
    for (const [index, part] of parts.entries()) {
      if (part.kind === 'text') {
        const start = starts[index] as number;
        const [before, after] = [line.slice(0, start), line.slice(start + part.text.length)];
        part.node.nodeValue = escapeText(part.text, before, after, {
          isCell,
          isHeading,
          isInLink: part.node.parentElement?.closest('a[href]') != null,
          rest,
        });
      } else if (part.kind === 'begin' && MARKS.test(part.element.nodeName)) {
        const end = parts.findIndex((one) => one.kind === 'end' && one.element === part.element);
        if (end === -1) continue;
        const inner = texts.slice(index + 1, end).join('');
        const outerBefore = texts.slice(0, index).join('');
        const outerAfter = texts.slice(end + 1).join('');
        part.element.setAttribute(
          'data-mark',
          markFor(part.element.localName, outerBefore, inner, outerAfter),
        );
      }
    }
  }
}

/** No formula is longer than this many characters. */
const FAR = 2000;

interface Line {
  parts: Part[];
  /** The block that it is in. A break doesn't end a block. */
  block: Node;
  isCell: boolean;
}

/** Returns each line with its text, and the text of its block's later lines. */
function withRests(lines: readonly Line[]): (Line & { texts: string[]; rest: string })[] {
  const found: (Line & { texts: string[]; rest: string })[] = [];
  for (const line of lines.toReversed()) {
    const next = found.at(-1);
    const rest = next?.block === line.block ? ATOM + next.texts.join('') + next.rest : '';
    found.push({ ...line, texts: line.parts.map(textOf), rest: rest.slice(0, FAR) });
  }
  return found.reverse();
}

function textOf(part: Part): string {
  if (part.kind === 'text') return part.text;
  if (part.kind !== 'atom') return part.sign;
  return part.hasDollar ? `${ATOM}$${ATOM}` : ATOM;
}

/** Collects the lines of an article: what stands between blocks and line breaks. */
function linesOf(body: Element): Line[] {
  const lines: Line[] = [];
  let parts: Part[] = [];
  let block: Node = body;
  let isCell = false;
  const flush = () => {
    if (parts.length > 0) lines.push({ parts, block, isCell });
    parts = [];
  };
  const visit = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      parts.push({ kind: 'text', node: node as Text, text: node.nodeValue ?? '' });
      return;
    }
    const element = node as Element;
    if (isBlank(element)) return;
    const { nodeName } = element;
    if (nodeName === 'PRE') return flush();
    if (nodeName === 'BR') return flush();
    if (ATOMS.test(nodeName) || isAddressLink(element)) {
      const hasDollar = nodeName === 'TEX' || element.textContent?.includes('$') === true;
      if (nodeName !== 'INPUT') parts.push({ kind: 'atom', hasDollar });
      return;
    }
    const isOwnLine = isBlock(element);
    if (isOwnLine) flush();
    const [wasCell, wasBlock] = [isCell, block];
    if (isOwnLine) block = element;
    if (/^(?:TD|TH)$/.test(nodeName))
      isCell = element.closest('table')?.hasAttribute('data-layout') === false;
    const signs = signsOf(element);
    if (signs) parts.push({ kind: 'begin', element, sign: signs[0] });
    for (const child of element.childNodes) visit(child);
    if (signs) parts.push({ kind: 'end', element, sign: signs[1] });
    if (isOwnLine) flush();
    [isCell, block] = [wasCell, wasBlock];
  };
  visit(body);
  flush();
  return lines;
}

function signsOf(element: Element): [string, string] | undefined {
  if (element.nodeName === 'A' && element.hasAttribute('href')) return [LINK, MARK];
  if (MARKS.test(element.nodeName) || HTML_MARKS.includes(element.localName)) return [MARK, MARK];
  return undefined;
}

/** Tells whether an element is a link whose text is its address, written as `<address>`. */
export function isAddressLink(element: Element): boolean {
  return element.nodeName === 'A' && element.textContent === element.getAttribute('href');
}

/** Matches a text that ends with an address, which the renderer links. */
export const ADDRESS_END = /(?:https?:\/\/|www\.)\S*$/i;

const WORD = /[\p{L}\p{N}]/u;
const SIGN = /[\p{P}\p{S}\ufffc\ue000\ue001]/u;
const CJK =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffee]/u;

/** Returns the Markdown around a mark, after CommonMark's rules about what can begin and end one. */
function markFor(name: string, before: string, inner: string, after: string): string {
  // Turndown moves white space at the ends out of a mark.
  const outer = [
    /^\s/.test(inner) ? ' ' : ([...before].at(-1) ?? ' '),
    /\s$/.test(inner) ? ' ' : ([...after][0] ?? ' '),
  ] as const;
  const words = [...inner.trim()];
  const ends = [words[0] ?? '', words.at(-1) ?? ''] as const;
  // Beside CJK text, emphasis is read as it is meant.
  const isRead = outer.every((beside, side) => {
    const end = ends[side] as string;
    return !SIGN.test(end) || CJK.test(end) || !WORD.test(beside) || CJK.test(beside);
  });
  // The address would take in the signs of the mark.
  const isInAddress =
    ADDRESS_END.test(before) ||
    (ADDRESS_END.test(inner) && after.trimStart() === after && after !== '');
  if (isInAddress) return 'html';
  const isBesideMark = [...outer, ...ends].includes(MARK);
  if (name === 'em') {
    const isInWord = outer.some((beside) => WORD.test(beside));
    // No formula begins after an underscore.
    if (!isInWord && ends[0] !== ATOM) return '_';
    return isRead && !isBesideMark ? '*' : 'html';
  }
  if (!isRead) return 'html';
  return name === 'strong' ? '**' : '~~';
}
