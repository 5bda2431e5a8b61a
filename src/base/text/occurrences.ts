/**
 * Finds the indexes where a passage occurs, overlapping occurrences included. Uses
 * Knuth–Morris–Pratt: linear time, also for hostile texts, for which `indexOf` is quadratic.
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

/**
 * Returns, for each prefix of a passage, the length of its longest proper prefix that is also its
 * suffix.
 */
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
