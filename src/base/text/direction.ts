/** Matches a letter of Hebrew, Arabic and the other scripts that are written from the right. */
const RIGHT_TO_LEFT =
  /(?!\p{N})[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const STRONG = new RegExp(`${RIGHT_TO_LEFT.source}|\\p{L}`, 'u');

/** Tells whether any of a text is written from the right. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Returns the direction of a text's first letter; `undefined` if it has none. */
export function directionOfText(text: string): 'ltr' | 'rtl' | undefined {
  const [letter] = STRONG.exec(text) ?? [];
  if (letter === undefined) return undefined;
  return hasRightToLeft(letter) ? 'rtl' : 'ltr';
}
