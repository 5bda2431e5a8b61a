/** Words shorter than this must be exact: too many others are one letter away. */
const SHORTEST_WITH_ERROR = 4;
const SHORTEST_WITH_TWO_ERRORS = 8;

/**
 * How many characters of a word its keys cover. Must be more than the errors that are tolerated.
 */
const KEY_CHARACTERS = 7;

/** Numbers must match exactly: 2025 is not a typing error of 2026. */
const HAS_DIGIT = /\p{N}/u;

/** Returns how many typing errors are tolerated in a word. */
export function errorsForgiven(word: string): number {
  if (HAS_DIGIT.test(word)) return 0;
  const { length } = [...word];
  if (length < SHORTEST_WITH_ERROR) return 0;
  return length < SHORTEST_WITH_TWO_ERRORS ? 1 : 2;
}

/**
 * Returns a word's keys for the look-up of misspelled words: its beginning with up to two
 * characters left out, at most 29 keys. Two words share a key if they differ by no more errors than
 * are tolerated (see {@link typingErrors}); other words can share one too. The method is symmetric
 * delete spelling correction (SymSpell).
 */
export function errorKeys(word: string): string[] {
  const errors = errorsForgiven(word);
  if (errors === 0) return [];
  let shorter = [[...word].slice(0, KEY_CHARACTERS)];
  const keys = new Set(shorter.map((characters) => characters.join('')));
  for (let error = 0; error < errors; error++) {
    shorter = shorter.flatMap((characters) =>
      characters.map((_, index) => characters.toSpliced(index, 1)),
    );
    for (const characters of shorter) keys.add(characters.join(''));
  }
  return [...keys];
}

/**
 * Counts the typing errors between two words: characters added, left out, replaced, or exchanged
 * with the next one (optimal string alignment distance). Compares only characters within reach of
 * `most` errors, so it takes linear time.
 *
 * @returns `undefined` if there are more than `most`
 */
export function typingErrors(one: string, other: string, most: number): number | undefined {
  // A character has two UTF-16 code units at most.
  if (one.length > 2 * (other.length + most) || other.length > 2 * (one.length + most)) return;
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > most) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(Number.POSITIVE_INFINITY);
    if (i <= most) row[0] = i;
    let least = row[0] as number;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const replaced = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchanged ? (beforeLast[j - 2] as number) + 1 : replaced;
      const errors = Math.min(
        replaced,
        exchanged,
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
      );
      row[j] = errors;
      least = Math.min(least, errors);
    }
    if (least > most) return undefined;
    [beforeLast, last] = [last, row];
  }
  const errors = last[b.length] as number;
  return errors <= most ? errors : undefined;
}
