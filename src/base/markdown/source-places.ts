import type { Token } from 'markdown-it';

/** Returns the index in the source of an index in a block's content, if it is certain. */
export type Place = (index: number) => number | undefined;

/** A block with content, and where its content stands in the source. */
export interface PlacedBlock {
  token: Token;
  place: Place;
  /** Whether it is a cell of a table, in which a bar is written `\|`. */
  isCell: boolean;
}

/** Returns where each line begins, with the parser's line breaks. */
export function startsOfLines(source: string): number[] {
  const starts = [0];
  for (const match of source.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/**
 * Yields a document's blocks of text and HTML with their places. In the source, lines of a block
 * begin with the markers of the blocks around it, and the bars of a cell have backslashes.
 *
 * @param starts from {@link startsOfLines}
 */
export function* placesOfBlock(
  source: string,
  starts: readonly number[],
  tokens: readonly Token[],
): Generator<PlacedBlock> {
  const lineStart = (line: number): number => starts[line] ?? source.length;
  let row: [number, number] | undefined;
  let isCell = false;
  /** Where the search for the next cell begins. */
  let cellFrom = 0;
  for (const token of tokens) {
    if (token.type === 'tr_open' && token.map) {
      row = token.map;
      cellFrom = lineStart(row[0]);
    } else if (token.type === 'th_open' || token.type === 'td_open') isCell = true;
    else if (token.type === 'th_close' || token.type === 'td_close') isCell = false;
    else if (token.type !== 'inline' && token.type !== 'html_block') continue;
    else if (isCell && row) {
      // Cells have no lines of their own.
      token.map ??= row;
      const places = placesOfCell(source, cellFrom, lineStart(row[1]), token.content);
      if (places) cellFrom = (places.at(-1) ?? cellFrom) + 1;
      yield { token, isCell, place: (index) => places?.[index] };
    } else if (token.map) {
      yield { token, isCell: false, place: placeOfLines(source, lineStart, token) };
    }
  }
}

function placeOfLines(
  source: string,
  lineStart: (line: number) => number,
  { content, map }: Token,
): Place {
  const first = (map as [number, number])[0];
  const lines: { from: number; to: number; at: number | undefined }[] = [];
  let from = 0;
  for (const [index, line] of content.split('\n').entries()) {
    const start = lineStart(first + index);
    // Tabs in the indent may have become spaces.
    const text = line.trimStart();
    const found = source.slice(start, lineStart(first + index + 1)).lastIndexOf(text);
    const at = found < 0 ? undefined : start + found - (line.length - text.length);
    lines.push({ from, to: from + line.length, at });
    from += line.length + 1;
  }
  return (index) => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((lines[middle]?.from ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const line = lines[low];
    return line?.at === undefined ? undefined : line.at + index - line.from;
  };
}

/** Returns the place of each character of a cell; `undefined` if the cell isn't found. */
function placesOfCell(
  source: string,
  from: number,
  to: number,
  content: string,
): number[] | undefined {
  if (content === '') return [];
  for (let at = from; at < to; at++) {
    const places: number[] = [];
    let next = at;
    while (places.length < content.length && next < to) {
      const isBar = source[next] === '\\' && source[next + 1] === '|';
      if (isBar) next++;
      if (source[next] !== content[places.length]) break;
      places.push(next);
      next++;
    }
    if (places.length === content.length) return places;
  }
  return undefined;
}
