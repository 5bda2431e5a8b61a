// Pure functions on lines of Markdown.

const MARKER = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\])?\s+/;
const HEADING = /^ {0,3}(#{1,6})\s+/;
const QUOTE = /^ {0,3}> ?/;

export type ListKind = 'bullets' | 'numbers' | 'tasks';

const LISTS: Record<ListKind, { is: RegExp; marker: (number: number) => string }> = {
  bullets: { is: /^\s*[-*+]\s+(?!\[[ xX]\]\s)/, marker: () => '- ' },
  numbers: { is: /^\s*\d{1,9}[.)]\s+/, marker: (number) => `${number}. ` },
  tasks: { is: /^\s*[-*+]\s+\[[ xX]\]\s+/, marker: () => '- [ ] ' },
};

/** Turns lines into a list of a kind, or back if all are its items already. Keeps blank lines. */
export function toggleList(lines: readonly string[], kind: ListKind): string[] {
  const { is, marker } = LISTS[kind];
  const written = lines.filter(isWritten);
  const isOne = written.length > 0 && written.every((line) => is.test(line));
  let number = 0;
  return lines.map((line) => {
    if (!isWritten(line) && lines.length > 1) return line;
    const [, indent = /^\s*/.exec(line)?.[0] ?? ''] = MARKER.exec(line) ?? [];
    const text = line.replace(MARKER, '').trimStart();
    return isOne ? indent + text : indent + marker(++number) + text;
  });
}

/** Cycles through heading levels: none, `first`, the next ones up to 3, none. */
export function cycleHeading(line: string, first: 1 | 2): string {
  const level = HEADING.exec(line)?.[1]?.length ?? 0;
  const text = line.replace(HEADING, '');
  return level >= 3 ? text : `${'#'.repeat(Math.max(first, level + 1))} ${text}`;
}

/** Quotes lines, or unquotes them if all are quoted. */
export function toggleQuote(lines: readonly string[]): string[] {
  const isOne = lines.every((line) => QUOTE.test(line));
  return lines.map((line) => (isOne ? line.replace(QUOTE, '') : `> ${line}`));
}

/** Tells whether a line starts a list item. */
export function isListItem(line: string): boolean {
  return MARKER.test(line);
}

/** An item that has another marker instead of text. */
const TWO_MARKERS = /^[ \t]*(?:[-*+]|\d{1,9}[.)]) (?:\[[ xX]\] )?([ \t]*(?:[-*+]|\d{1,9}[.)]) )$/;

/**
 * Returns the second of two markers with the spaces before it, if a line has nothing else;
 * `undefined` for all other lines.
 */
export function withOneMarker(line: string): string | undefined {
  return TWO_MARKERS.exec(line)?.[1];
}

/**
 * Returns the indent that nests a list item under the previous item: the column of that item's
 * text.
 *
 * @param before the lines before the item, the nearest last
 * @returns `undefined` if there is no item to nest under
 */
export function deeperIndent(line: string, before: readonly string[]): number | undefined {
  const own = indentOf(line);
  const above = before.findLast((each) => isListItem(each) && indentOf(each) <= own);
  if (above === undefined || indentOf(above) < own) return undefined;
  return contentOffset(above);
}

/** Returns the indent that moves a list item to the level of its parent; 0 without a parent. */
export function shallowerIndent(line: string, before: readonly string[]): number {
  const own = indentOf(line);
  const parent = before.findLast((each) => isListItem(each) && indentOf(each) < own);
  return parent === undefined ? 0 : indentOf(parent);
}

/** Returns a line's indent in columns. A tab advances to the next multiple of 4. */
export function indentOf(line: string): number {
  let column = 0;
  for (const character of /^[ \t]*/.exec(line)?.[0] ?? '') {
    column += character === '\t' ? 4 - (column % 4) : 1;
  }
  return column;
}

/** Returns the column where an item's text starts. A task's checkbox is part of the text. */
function contentOffset(line: string): number {
  const marker = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(line)?.[0] ?? '';
  return indentOf(line) + marker.trimStart().length;
}

function isWritten(line: string): boolean {
  return line.trim() !== '';
}
