const BREAK = /\r\n?|\n/;

/** Converts line endings to LF, as in text areas and the editor. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/**
 * Gives an edited text the line endings of the version that it was edited from, because forms and
 * editors send only one kind. Lines that stay keep their endings; new ones get the most common
 * ending of that version. Time is linear.
 *
 * @param before the version that was edited; without CR, the text stays as it is
 */
export function withEndingsOf(before: string, text: string): string {
  if (!before.includes('\r')) return text;
  const endings = before.match(/\r\n?|\n/g) ?? [];
  const usual = mostCommon(endings);
  const lines = withLineFeeds(text).split('\n');
  if (endings.every((ending) => ending === usual)) return lines.join(usual);

  const linesBefore = before.split(BREAK);
  const most = Math.min(endings.length, lines.length - 1);
  let start = 0;
  while (start < most && lines[start] === linesBefore[start]) start++;
  let end = 0;
  while (end < most - start && lines.at(-1 - end) === linesBefore.at(-1 - end)) end++;
  // A line in between keeps its ending if all lines with its words had the same one.
  const known = new Map<string, string>();
  for (const [at, ending] of endings.entries()) {
    const line = linesBefore[at] as string;
    known.set(line, (known.get(line) ?? ending) === ending ? ending : usual);
  }
  const endingOf = (line: string, at: number) => {
    if (at < start) return endings[at];
    const fromEnd = lines.length - 1 - at;
    return fromEnd <= end ? endings.at(-fromEnd) : (known.get(line) ?? usual);
  };
  const edited = lines
    .map((line, at) => (at === lines.length - 1 ? line : line + (endingOf(line, at) ?? usual)))
    .join('');
  // A CR and a LF that come together are one ending.
  return withLineFeeds(edited) === lines.join('\n') ? edited : lines.join(usual);
}

function mostCommon(endings: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const ending of endings) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['\r\n', 0])[0];
}
