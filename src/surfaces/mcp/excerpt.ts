import { characterStart } from '../../base/text/character-start.ts';
import { indexOf, type Place } from '../../base/text/places.ts';

/** A part of a text. */
export interface Excerpt {
  content: string;
  /** The line that the part begins in. */
  fromLine: number;
  /** The line that the part ends in. */
  toLine: number;
  totalLines: number;
  /** Where the rest begins, if `maxBytes` cut the part short. */
  next: Place | null;
}

/** Returns where each line begins. A line feed at the very end begins no line. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (end + 1 < text.length) starts.push(end + 1);
  }
  return starts;
}

/**
 * Returns the text from a position to the end of a line or to another position, at most `maxBytes` of UTF-8. If that cuts
 * it short, it ends after the last whole line that fits, or, if those are next to nothing, after the last
 * whole character.
 *
 * @param to the last line to return (past the end, the text's last line), or the position to end at
 * @returns `undefined` if the text has no such position
 */
export function excerpt(
  text: string,
  from: Place,
  to: number | Place,
  maxBytes: number,
): Excerpt | undefined {
  const starts = lineStarts(text);
  const lineStart = starts[from.line - 1];
  if (lineStart === undefined) return undefined;
  const lineEnd = starts[from.line] ?? text.length;
  const start = characterStart(text, lineStart + from.column - 1);
  if (start > lineStart && start >= lineEnd) return undefined;

  const asked = text.slice(start, typeof to === 'number' ? endOfLine(to) : indexOf(text, to));
  const content = upTo(asked, maxBytes);
  const end = start + content.length;
  const endsIn = lineOf(starts, Math.max(start, end - 1));
  const goesOn = lineOf(starts, end);
  const cut = content.length < asked.length;
  return {
    content,
    fromLine: from.line,
    toLine: endsIn,
    totalLines: starts.length,
    next: cut ? { line: goesOn, column: end - (starts[goesOn - 1] as number) + 1 } : null,
  };

  function endOfLine(line: number): number {
    const last = Math.max(from.line, Math.min(line, starts.length));
    return starts[last] ?? text.length;
  }
}

/** Returns the start of a text, as {@link excerpt} cuts it. */
export function firstPart(text: string, maxBytes: number): Excerpt {
  return excerpt(text, { line: 1, column: 1 }, Number.MAX_SAFE_INTEGER, maxBytes) as Excerpt;
}

/** The share that whole lines must fill; otherwise, a part that ends before a long line says next to nothing. */
const LEAST_WHOLE = 0.25;

function upTo(text: string, maxBytes: number): string {
  // A code unit takes at least one byte, so the rest cannot fit.
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (text.length <= maxBytes && bytes.length <= maxBytes) return text;
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  const prefix = bytes.toString('utf8', 0, end);
  const kept = text.startsWith(prefix) ? prefix : prefix.slice(0, -1);
  const lineEnd = kept.lastIndexOf('\n');
  return lineEnd > kept.length * LEAST_WHOLE ? kept.slice(0, lineEnd + 1) : kept;
}

/** Returns the line, from 1, of an index. */
function lineOf(starts: number[], index: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= index) low = middle;
    else high = middle;
  }
  return low + 1;
}
