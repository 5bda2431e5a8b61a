import { lineDiff } from './line-diff.ts';

const LONG = '\r\n';

/** Returns a text with every CRLF as LF, to compare texts whatever line breaks they have. */
export function withLineFeeds(text: string): string {
  return text.includes(LONG) ? text.replaceAll(LONG, '\n') : text;
}

/** Returns the line break that most lines of a text end with; `undefined` if it has one line. */
export function lineBreakOf(text: string): '\n' | '\r\n' | undefined {
  let [long, short] = [0, 0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) long++;
    else short++;
  }
  if (long + short === 0) return undefined;
  return long > short ? LONG : '\n';
}

/**
 * Returns a text with the line breaks of the one that it replaces: lines that stay keep theirs, and
 * all others get what most lines have. If the earlier text has one line, nothing changes.
 */
export function inLineBreaksOf(before: string, text: string): string {
  const most = lineBreakOf(before);
  if (!most) return text;
  const isMixed = before.includes(LONG) && /(^|[^\r])\n/.test(before);
  if (!before.includes(LONG)) return withLineFeeds(text);
  if (!isMixed) return withLineFeeds(text).replaceAll('\n', LONG);
  const beforeLines = linesOf(before);
  const lines = linesOf(text);
  const breaks: Line['lineBreak'][] = lines.map(() => most);
  let [at, atTo] = [0, 0];
  const hunks = lineDiff(
    beforeLines.map((line) => line.text),
    lines.map((line) => line.text),
  );
  const [end, toEnd] = [beforeLines.length, lines.length];
  for (const hunk of [...hunks, { from: end, to: end, toFrom: toEnd, toTo: toEnd }]) {
    for (; at < hunk.from; at++) breaks[atTo++] = beforeLines[at]?.lineBreak ?? most;
    [at, atTo] = [hunk.to, hunk.toTo];
  }
  return joined(
    lines.map(({ text }, index) => ({ text, lineBreak: breaks[index] })),
    most,
  );
}

/** A line and what ended it: nothing, if it is the last one. */
export interface Line {
  text: string;
  lineBreak: '\n' | '\r\n' | undefined;
}

/** Cuts a text into lines. The last one is what follows the last line break, and can be empty. */
export function linesOf(text: string): Line[] {
  const parts = text.split('\n');
  return parts.map((part, index) => {
    if (index === parts.length - 1) return { text: part, lineBreak: undefined };
    if (part.endsWith('\r')) return { text: part.slice(0, -1), lineBreak: LONG };
    return { text: part, lineBreak: '\n' };
  });
}

/** Joins lines. One that had no line break and isn't the last any more gets `most`. */
export function joined(lines: readonly Line[], most: '\n' | '\r\n'): string {
  const last = lines.length - 1;
  return lines
    .map(({ text, lineBreak }, index) => (index === last ? text : text + (lineBreak ?? most)))
    .join('');
}
