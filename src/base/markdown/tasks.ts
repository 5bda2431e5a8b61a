/** What stands before the box of a list item: quotes, indentation and list markers. */
const BOX = /^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])[\s>]+)*)\[([ xX\u00a0])\](?=[ \t\u00a0])/;

/**
 * Ticks a task of a Markdown text, or takes its tick away. Nothing else changes.
 *
 * @param line of the list item, from 1; its box may be in the line after
 * @returns `undefined` if there is no task
 */
export function withTask(text: string, line: number, isDone: boolean): string | undefined {
  if (!(line >= 1)) return undefined;
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  for (const index of [line - 1, line]) {
    const [whole, before] = BOX.exec(lines[index] ?? '') ?? [];
    if (whole === undefined || before === undefined) continue;
    const isTicked = /x\]$/i.test(whole);
    const box = isTicked === isDone ? whole : `${before}[${isDone ? 'x' : ' '}]`;
    return lines.with(index, box + lines[index]?.slice(whole.length)).join('');
  }
  return undefined;
}
