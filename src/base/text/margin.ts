import type { Joint } from './blocks.ts';

/** The margin of a line: its indentation, and the marks of the quotes that it is in. */
export function marginOf(line: string, quotes: number): string {
  return new RegExp(`^(?:[ \\t]*>){0,${quotes}}[ \\t]*`).exec(line)?.[0] ?? '';
}

/** A list item that begins in the margin of what is below. */
const HANGING = /^(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+$/;

/**
 * Puts lines between others that have a margin, as into a text that has none, and gives the margin to
 * what comes of it.
 *
 * @param line the index of the line above which they are put
 * @param content lines, with or without the margin
 */
export function putInMargin(
  text: string,
  line: number,
  margin: string,
  content: string,
  put: (joint: Joint) => string,
): string {
  const end = margin.trimEnd();
  const lines = text.split('\n');
  const bare = (each: string | undefined) => {
    if (each?.startsWith(margin)) return each.slice(margin.length);
    return each?.trimEnd() === end ? '' : undefined;
  };
  let [from, to] = [line, line];
  while (bare(lines[from - 1]) !== undefined) from--;
  if (HANGING.test(lines[from - 1]?.slice(0, margin.length) ?? '')) from--;
  while (bare(lines[to]) !== undefined) to++;
  while (end === '' && to > line && lines[to - 1]?.trim() === '') to--;
  const around = lines.slice(from, to).map((each) => bare(each) ?? each.slice(margin.length));
  const upper = around.slice(0, line - from);
  const given = content.split('\n');
  const hasMargin = end !== '' || given.find((each) => each.trim() !== '')?.startsWith(margin);
  const added = given.map((each) => (hasMargin ? (bare(each) ?? each) : each)).join('\n');
  const below = around.slice(line - from).join('\n');
  const whole = put({ above: upper.map((each) => `${each}\n`).join(''), added, below });
  const made = (below === '' ? whole.trimEnd() : whole).split('\n');
  let [head, tail] = [0, 0];
  while (head < upper.length && made[head] === around[head]) head++;
  const rest = Math.min(made.length, around.length) - head;
  while (tail < rest && made.at(-1 - tail) === around.at(-1 - tail)) tail++;
  const middle = made
    .slice(head, made.length - tail)
    .map((each) => (each.trim() === '' ? end : margin + each));
  return [...lines.slice(0, from + head), ...middle, ...lines.slice(to - tail)].join('\n');
}
