/** The longest run of combining marks in Stream-Safe Text Format (UAX #15, section 13). */
const LONGEST_RUN = 30;

const LONG_RUN = new RegExp(`(\\p{M}{${LONGEST_RUN}})\\p{M}+`, 'gu');

/**
 * Cuts each run of combining marks after its 30th (UAX #15, Stream-Safe Text Format). No language
 * needs longer ones. Call it before `normalize()` on text from outside: normalising sorts the marks
 * of a run in quadratic time, so 250 KB of `a` and alternating marks take seconds.
 */
export function limitCombiningMarks(text: string): string {
  return text.replace(LONG_RUN, '$1');
}
