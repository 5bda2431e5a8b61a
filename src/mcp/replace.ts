/** One change to a text: what stands there now, and what is to stand there. */
export interface Edit {
  old_text: string;
  new_text: string;
}

/**
 * Replaces a passage that occurs exactly once.
 *
 * @returns the new text, or how often the passage occurs: 0, or 2 for more than once
 */
export function replaceOnce(text: string, { old_text, new_text }: Edit): string | 0 | 2 {
  const [first, second] = occurrences(text, old_text);
  if (first === undefined) return 0;
  if (second !== undefined) return 2;
  return text.slice(0, first) + new_text + text.slice(first + old_text.length);
}

/**
 * Where a passage occurs, also where occurrences overlap. Knuth, Morris and Pratt's way: the time is
 * proportional to text and passage, where `indexOf` takes their product for texts made for that.
 */
function* occurrences(text: string, passage: string): Generator<number> {
  const fallback = fallbacks(passage);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== passage.charCodeAt(matched)) {
      matched = fallback[matched - 1] as number;
    }
    if (unit === passage.charCodeAt(matched)) matched++;
    if (matched === passage.length) {
      yield index - matched + 1;
      matched = fallback[matched - 1] as number;
    }
  }
}

/** For each beginning of a passage, the length of the longest shorter one that it ends with. */
function fallbacks(passage: string): Uint32Array {
  const lengths = new Uint32Array(passage.length);
  let matched = 0;
  for (let index = 1; index < passage.length; index++) {
    const unit = passage.charCodeAt(index);
    while (matched > 0 && unit !== passage.charCodeAt(matched)) {
      matched = lengths[matched - 1] as number;
    }
    if (unit === passage.charCodeAt(matched)) matched++;
    lengths[index] = matched;
  }
  return lengths;
}
