const WORDS_PER_MINUTE = 230;
/** Reading speed for scripts without spaces between words. */
const CHARACTERS_PER_MINUTE = 500;

/** Estimates how many minutes it takes to read a text; at least 1. */
export function readingMinutes(text: string): number {
  let characters = 0;
  const spaced = text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, () => {
    characters++;
    return ' ';
  });
  const words = spaced.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  const minutes = words / WORDS_PER_MINUTE + characters / CHARACTERS_PER_MINUTE;
  return Math.max(1, Math.round(minutes));
}
