import { limitCombiningMarks } from './combining-marks.ts';

/**
 * The longest texts from outside that we normalise, in UTF-16 code units before normalising.
 * `normalize()` takes quadratic time for alternating combining marks, so longer texts are refused
 * first. No valid text is that long, even before NFC composes it.
 */
export const RAW_LIMITS = {
  /** Names, for example of documents, files and organizations. */
  name: 1_000,
  password: 4_096,
} as const;

/** How much of a longer text is needed to derive a name from it, in UTF-16 code units. */
const START = 10_000;

/**
 * Returns the start of a text, limited so that normalising it takes linear time. For text that is
 * shortened to fit; text that is refused if too long is checked against {@link RAW_LIMITS}.
 */
export function startOfText(text: string): string {
  return limitCombiningMarks(text.slice(0, START));
}
