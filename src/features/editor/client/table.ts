// Pure functions on lines of GFM tables.

export type Alignment = 'none' | 'left' | 'center' | 'right';

/** A table's cells. The first row is the header. */
export interface Table {
  /** The prefix of its lines inside a list or quote. */
  indent: string;
  /** The prefix of its first line if that differs, for example a list item's marker. */
  lead?: string;
  alignments: Alignment[];
  rows: string[][];
}

/** The range of a cell's text in its line. */
export interface CellRange {
  from: number;
  to: number;
}

const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const ALIGNMENTS: Alignment[] = ['none', 'left', 'center', 'right'];

/** A line's quote marks and indent, then the marker of a list item. */
const PREFIX = /^([ \t>]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)/;

/** Tells whether a line separates a table's header from its body. */
export function isDelimiterRow(line: string): boolean {
  const { quotes, marker } = prefixOf(line);
  return marker === '' && DELIMITER.test(line.slice(quotes.length)) && line.includes('|');
}

function prefixOf(line: string): { quotes: string; marker: string } {
  const [, quotes = '', marker = ''] = PREFIX.exec(line) ?? [];
  return { quotes, marker };
}

/** Returns the length of a line's quote marks, indent and list marker. */
export function prefixLength(line: string): number {
  const { quotes, marker } = prefixOf(line);
  return quotes.length + marker.length;
}

/** Returns the cells of a row. An escaped pipe is text. */
export function cellRanges(line: string): CellRange[] {
  const begin = prefixLength(line);
  const bounds: number[] = [];
  for (let at = begin; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === '|') bounds.push(at);
  }
  const end = line.trimEnd().length;
  if (line.slice(begin, bounds[0] ?? begin).trim() !== '' || bounds.length === 0) {
    bounds.unshift(begin - 1);
  }
  if ((bounds.at(-1) ?? -1) < end - 1 || bounds.length === 1) bounds.push(end);
  return bounds.slice(1).map((bound, index) => {
    const from = (bounds[index] as number) + 1;
    const text = line.slice(from, bound);
    const start = from + (text.length - text.trimStart().length);
    return text.trim() === ''
      ? { from: Math.min(from + 1, bound), to: Math.min(from + 1, bound) }
      : { from: start, to: start + text.trim().length };
  });
}

/**
 * Finds the table that a line is in.
 *
 * @param lineAt the text of a line by its number from 1; `undefined` beyond the end
 * @returns the numbers of the first and the last line; `undefined` if there is no table
 */
export function tableAround(
  lineAt: (number: number) => string | undefined,
  number: number,
): { first: number; last: number } | undefined {
  let first: number | undefined;
  for (let at = number + 1; isRow(lineAt(at)) || at > number; at--) {
    if (isDelimiterRow(lineAt(at) ?? '') && isHeader(lineAt(at - 1), lineAt(at))) first = at - 1;
  }
  if (first === undefined || first > number || !isRow(lineAt(number))) return undefined;
  const depth = depthOf(lineAt(first + 1) ?? '');
  const isBody = (line: string | undefined) =>
    isRow(line) && depthOf(line) === depth && prefixOf(line).marker === '';
  let last = first + 1;
  while (isBody(lineAt(last + 1))) last++;
  return number <= last ? { first, last } : undefined;
}

function isRow(line: string | undefined): line is string {
  return line?.includes('|') === true;
}

/** Tells whether a line can be the header above a delimiter row: both are in the same block. */
function isHeader(line: string | undefined, delimiter: string | undefined): boolean {
  if (!isRow(line) || delimiter === undefined) return false;
  const { quotes, marker } = prefixOf(line);
  const width = prefixOf(delimiter).quotes.length;
  return (
    depthOf(line) === depthOf(delimiter) && (marker === '' || width >= (quotes + marker).length)
  );
}

/** Returns in how many quotes a line is. */
function depthOf(line: string): number {
  return prefixOf(line).quotes.split('>').length - 1;
}

/** @param lines header, delimiter row, body */
export function parseTable(lines: readonly string[]): Table {
  const cells = (line: string) =>
    cellRanges(line).map(({ from, to }) => line.slice(from, to).trim());
  const [head = '', delimiter = '', ...body] = lines;
  const rows = [head, ...body].map(cells);
  const columns = Math.max(...rows.map((row) => row.length));
  const fill = (row: string[]) => Array.from({ length: columns }, (_, index) => row[index] ?? '');
  const marks = fill(cells(delimiter));
  const { quotes, marker } = prefixOf(head);
  const lead = quotes + marker;
  const indent = marker === '' ? lead : prefixOf(delimiter).quotes;
  return {
    indent,
    ...(lead !== indent && { lead }),
    alignments: marks.map(alignmentOf),
    rows: rows.map(fill),
  };
}

/** Formats a table with every column as wide as its widest cell. */
export function formatTable({ indent, lead = indent, alignments, rows }: Table): string[] {
  const widths = alignments.map((_, column) =>
    Math.max(3, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const write = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const [head, ...body] = rows.map((row) =>
    write(row.map((cell, column) => pad(cell, widths[column] ?? 3, alignments[column] ?? 'none'))),
  );
  const delimiter = write(
    alignments.map((alignment, column) => delimiterOf(alignment, widths[column] ?? 3)),
  );
  return [`${lead}${head ?? ''}`, ...[delimiter, ...body].map((line) => indent + line)];
}

/** Returns the table with a column's next alignment: none, left, center, right. */
export function alignNext(table: Table, column: number): Table {
  const next = ALIGNMENTS.indexOf(table.alignments[column] ?? 'none') + 1;
  return alignColumn(table, column, ALIGNMENTS[next % ALIGNMENTS.length] as Alignment);
}

/** Returns the table with another alignment of a column. */
export function alignColumn(table: Table, column: number, alignment: Alignment): Table {
  return { ...table, alignments: table.alignments.with(column, alignment) };
}

/** Returns the table with an empty row before this one, which isn't the header. */
export function addRow(table: Table, row: number): Table {
  const empty = table.alignments.map(() => '');
  return { ...table, rows: table.rows.toSpliced(Math.max(1, row), 0, empty) };
}

/** Returns the table with a row in another's place. The header stays. */
export function moveRow(table: Table, row: number, to: number): Table {
  const canMove = row > 0 && to > 0 && to < table.rows.length;
  return canMove ? { ...table, rows: moved(table.rows, row, to) } : table;
}

/** Returns the table with a column in another's place. */
export function moveColumn(table: Table, column: number, to: number): Table {
  const { alignments, rows } = table;
  if (to < 0 || to >= alignments.length) return table;
  return {
    ...table,
    alignments: moved(alignments, column, to),
    rows: rows.map((row) => moved(row, column, to)),
  };
}

/** Returns a list with one of its parts in another's place. */
export function moved<One>(all: readonly One[], from: number, to: number): One[] {
  return all.toSpliced(from, 1).toSpliced(to, 0, all[from] as One);
}

/** Returns the table with an empty column after this one. */
export function addColumn(table: Table, column: number): Table {
  const { alignments, rows } = table;
  return {
    ...table,
    alignments: alignments.toSpliced(column + 1, 0, 'none'),
    rows: rows.map((row) => row.toSpliced(column + 1, 0, '')),
  };
}

/** Returns the table without a row. The header stays. */
export function removeRow(table: Table, row: number): Table {
  return row === 0 ? table : { ...table, rows: table.rows.toSpliced(row, 1) };
}

/** Returns the table without a column. A table's only column stays. */
export function removeColumn(table: Table, column: number): Table {
  const { alignments, rows } = table;
  if (alignments.length === 1) return table;
  return {
    ...table,
    alignments: alignments.toSpliced(column, 1),
    rows: rows.map((row) => row.toSpliced(column, 1)),
  };
}

function alignmentOf(mark: string): Alignment {
  const [start, end] = [mark.startsWith(':'), mark.endsWith(':')];
  if (start && end) return 'center';
  if (start) return 'left';
  return end ? 'right' : 'none';
}

function delimiterOf(alignment: Alignment, width: number): string {
  const [start, end] = { none: '--', left: ':-', center: '::', right: '-:' }[alignment];
  return `${start}${'-'.repeat(width - 2)}${end}`;
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const room = Math.max(0, width - widthOf(cell));
  const before = { none: 0, left: 0, center: Math.floor(room / 2), right: room }[alignment];
  return ' '.repeat(before) + cell + ' '.repeat(room - before);
}

const NO_WIDTH = /\p{M}|\p{Cf}/u;
const DOUBLE_WIDTH =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** Returns a text's width in monospace columns. Wide East Asian characters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (NO_WIDTH.test(character)) continue;
    width += DOUBLE_WIDTH.test(character) ? 2 : 1;
  }
  return width;
}
