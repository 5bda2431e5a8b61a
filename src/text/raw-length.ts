import { limitCombiningMarks } from './combining-marks.ts';

/**
 * The longest texts from outside that are normalised at all, in UTF-16 code units as they were sent.
 * `normalize()` takes quadratic time for alternating combining marks, so longer text has to be
 * refused before. These are well above what any valid text takes before NFC composes it.
 */
export const RAW_LIMITS = {
  /** Names of documents and files. */
  name: 1_000,
  password: 4_096,
} as const;

/** How much of a longer text is enough to make a name of it. */
const START = 10_000;

/**
 * The start of a text, short and with few enough combining marks in a row to be normalised in
 * linear time. For text that is cut to fit; what is refused instead is compared with
 * {@link RAW_LIMITS}.
 */
export function startOfText(text: string): string {
  return limitCombiningMarks(text.slice(0, START));
}
