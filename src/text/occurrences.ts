/**
 * Finds where a passage occurs, overlapping occurrences included. By Knuth, Morris and Pratt: time is
 * linear in text and passage, where `indexOf` takes their product for hostile texts.
 *
 * @param passage not empty
 */
export function* occurrences(text: string, passage: string): Generator<number> {
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
