import type { Range } from './port.ts';

/** Counts the characters on both sides of a range that are those around a quote. */
export function equalAround(
  text: string,
  { start, end }: Range,
  { prefix = '', suffix = '' }: { prefix?: string; suffix?: string },
): number {
  let before = 0;
  const most = Math.min(prefix.length, start);
  while (before < most && text[start - 1 - before] === prefix[prefix.length - 1 - before]) before++;
  let after = 0;
  while (after < suffix.length && text[end + after] === suffix[after]) after++;
  return before + after;
}
