/** Returns a text as text areas and the editor have it: each line break, also a lone CR, is LF. */
export function asInTextArea(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Translates offsets between a text and {@link asInTextArea} of it. */
export interface TextAreaOffsets {
  into(offset: number): number;
  outOf(offset: number): number;
}

export function textAreaOffsets(text: string): TextAreaOffsets {
  const feeds: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    feeds.push(at + 1);
  /** Counts the line breaks of two characters for which this is true: the first ones. */
  const count = (isBefore: (feed: number, index: number) => boolean) => {
    let [low, high] = [0, feeds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(feeds[middle] as number, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    into: (offset) => offset - count((feed) => feed < offset),
    outOf: (offset) => offset + count((feed, index) => feed - index <= offset),
  };
}
