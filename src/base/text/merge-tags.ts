import { adjoin, threeWay } from './three-way.ts';

/** Fewer pieces are no markup, but a line of prose that begins with a tag. */
const LEAST_PIECES = 5;

/**
 * The pieces of HTML: comments, scripts and styles as a whole, tags, and the text between them.
 * Each alternative ends at a fixed text or takes what the others leave, so matching is linear
 * unless there are very many unclosed comments or scripts; {@link MAX_UNCLOSED} limits those.
 */
const PIECES =
  /<!--[\s\S]*?-->|<(script|style|textarea|pre)\b[^<>]*>[\s\S]*?<\/\1\s*>|<\/?[a-z!][^<>]*>|[^<]+|</gi;

/** The most comments, scripts and the like, times the length of the lines. */
const MAX_UNCLOSED = 50_000_000;

/**
 * Merges lines of HTML that both sides changed, by tags and the text between them.
 *
 * @returns the merged lines; `undefined` if that isn't HTML, or if both changed the same tag or
 *   text or two that have nothing unchanged between them
 */
export function mergeTags(
  base: readonly string[],
  current: readonly string[],
  yours: readonly string[],
): string[] | undefined {
  const texts = [base, current, yours].map((lines) => lines.join('\n'));
  if (!texts.every(isMarkup)) return undefined;
  const [a, b, c] = texts.map((text): string[] => text.match(PIECES) ?? []) as [
    string[],
    string[],
    string[],
  ];
  if (a.length < LEAST_PIECES) return undefined;
  const merged: string[] = [];
  for (const { by, current, yours } of threeWay(a, b, c, adjoin)) {
    if (by === 'conflict') return undefined;
    const [from, span] = by === 'yours' ? [c, yours] : [b, current];
    for (const piece of from.slice(span.from, span.to)) merged.push(piece);
  }
  return merged.join('').split('\n');
}

function isMarkup(text: string): boolean {
  if (!/^\s*</.test(text)) return false;
  const count = text.match(/<(?:!--|script|style|textarea|pre)/gi)?.length ?? 0;
  return count * text.length <= MAX_UNCLOSED;
}
