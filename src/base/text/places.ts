/** A position in a text: line and column, both from 1. The column counts UTF-16 code units. */
export interface Place {
  line: number;
  column: number;
}

/** Returns the places of indexes, which ascend. Takes linear time. */
export function placesOf(text: string, indexes: readonly number[]): Place[] {
  let line = 1;
  let start = 0;
  let end = text.indexOf('\n');
  return indexes.map((index) => {
    while (end >= 0 && end < index) {
      line++;
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    return { line, column: index - start + 1 };
  });
}

/** Returns the index of a place; the text's length if it has no such line. */
export function indexOf(text: string, { line, column }: Place): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(text.length, start + column - 1);
}
