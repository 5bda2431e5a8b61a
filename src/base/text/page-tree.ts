import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { MAX_NESTING, NO_STEPS } from './page-quotes.ts';
import type { Range } from './port.ts';
import type { Replacement } from './replacement.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Where a range begins and ends, and where something begins and ends in a tree as text. */
const [FROM, TO, OPEN, CLOSE] = ['\ufdd0', '\ufdd1', '\ufdd2', '\ufdd3'] as const;
const SIGNS = /[\ufdd0-\ufdd3]/g;

/** Elements in which a comment is text. */
const LITERAL = /^(?:title|textarea|script|style|xmp|iframe|noembed|noframes|noscript|plaintext)$/;

/**
 * Returns a function that tells whether a browser reads the rest of a page as before when a part of
 * it is replaced: the same elements with the same attributes and texts. The text can't end what it
 * stands in. `literal` is what the text has to be read as.
 */
export function treeKeeper(html: string): (given: Replacement, literal?: string) => boolean {
  let known: { start: number; end: number; from: string; to: string; before: Parts } | undefined;
  return ({ start, end, text }, literal) => {
    if (known?.start !== start || known.end !== end) {
      const old = html.slice(start, end);
      const plain = partsOf({ start, end }, FROM, old, TO);
      const [from, to] = [signIn(plain, FROM), signIn(plain, TO)];
      const before = partsOf({ start, end }, from, old, to);
      known = before && { start, end, from, to, before };
    }
    if (!known) return false;
    const { before, from, to } = known;
    const after = partsOf({ start, end }, from, text, to);
    return (
      before.head === after?.head &&
      before.tail === after.tail &&
      lowest(after.middle) >= lowest(before.middle) &&
      (literal === undefined || after.middle === literal)
    );
  };

  function partsOf(
    { start, end }: Range,
    from: string,
    middle: string,
    to: string,
  ): Parts | undefined {
    const [before, within, rest] = [html.slice(0, start), middle, html.slice(end)].map((part) =>
      part.replaceAll(SIGNS, '\ufffd'),
    );
    const written = writeTree(`${before}${from}${within}${to}${rest}`) ?? '';
    const [head, ...others] = written.split(FROM);
    const [part, tail, ...more] = others.join(FROM).split(TO);
    if (head === undefined || tail === undefined || others.length + more.length > 1) return;
    return { head, middle: part ?? '', tail };
  }
}

/** A tree as text: before a range, in it, and after it. */
interface Parts {
  head: string;
  middle: string;
  tail: string;
}

/** Text is moved out of a table, so a comment marks a place among elements. */
function signIn(parts: Parts | undefined, sign: typeof FROM | typeof TO): string {
  const before = parts ? parts.head + (sign === TO ? parts.middle : '') : '';
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === CLOSE) depth++;
    else if (before[at] === OPEN && depth-- === 0) {
      const [, name = ''] = /^([a-z\d-]+) /i.exec(before.slice(at + 1, at + 40)) ?? [];
      return name === '' || LITERAL.test(name) ? sign : `<!--${sign}-->`;
    }
  }
  return `<!--${sign}-->`;
}

/** Returns how far a part of a tree goes out of what it begins in: 0 or less. */
function lowest(part: string): number {
  let [depth, least] = [0, 0];
  for (const sign of part) {
    if (sign === OPEN) depth++;
    else if (sign === CLOSE) least = Math.min(least, --depth);
  }
  return least;
}

/** Writes the tree of a page as text. `undefined` if it is nested too deeply. */
function writeTree(html: string): string | undefined {
  let depth = 0;
  const tooDeep = new Error('The page is nested too deeply.');
  const treeAdapter = {
    ...defaultTreeAdapter,
    onItemPush: () => {
      if (++depth > MAX_NESTING) throw tooDeep;
    },
    onItemPop: () => void depth--,
  };
  try {
    return written(parse(html, { treeAdapter }));
  } catch (error) {
    if (error === tooDeep) return undefined;
    throw error;
  }
}

function written(node: Node): string {
  const clean = (text: string) => text.replaceAll(/[\ufdd2\ufdd3]/g, '\ufffd');
  if ('value' in node) return clean(node.value);
  if ('data' in node) return /^[\ufdd0\ufdd1]$/.test(node.data) ? node.data : item('#', node.data);
  if (node.nodeName === '#documentType') return item('!', 'name' in node ? node.name : '');
  const attributes = 'attrs' in node ? node.attrs : [];
  const children =
    'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : [];
  const inner = [
    ...attributes.map(({ name, value }) => item('@', `${name}=${value}`)),
    ...children.map(written),
  ].join('');
  // Browsers add some where they are missing.
  if (!('tagName' in node) || NO_STEPS.has(node.tagName)) return inner;
  return `${OPEN}${node.tagName.replaceAll(SIGNS, '\ufffd')} ${inner}${CLOSE}`;

  function item(kind: string, text: string): string {
    return `${OPEN}${kind}${clean(text)}${CLOSE}`;
  }
}
