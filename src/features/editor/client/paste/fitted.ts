const BLOCK = /^(?:#{1,6} |[-*+] |\d+\. |> |```|~~~|\| |---|\$\$)/;
const ITEM = /^(?:[-*+]|\d+\.) /;
/** A line's prefix: quotes and indent, then the marker of a list item. */
const BEGINNING = /^([\s>]*)((?:(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?)?)/;

/**
 * Fits Markdown into a line: blocks get blank lines around them, and stay in the list item or quote
 * that they are pasted into.
 *
 * @param before the text of the line before the Markdown
 * @param after the text of the line after it
 * @returns the text to insert; `over`: how many characters at the end of `before` it replaces
 */
export function fitted(
  markdown: string,
  before: string,
  after: string,
): { insert: string; over: number } {
  const isBlock = markdown.includes('\n') || BLOCK.test(markdown);
  if (!isBlock) return { insert: markdown, over: 0 };
  const [beginning = '', lead = '', marker = ''] = BEGINNING.exec(before) ?? [];
  const isAtStart = before.slice(beginning.length).trim() === '';
  // A pasted list replaces an empty item.
  const isList = isAtStart && marker !== '' && ITEM.test(markdown);
  const over = isList ? marker.length : 0;
  // A task's checkbox is part of its text.
  const width = isList ? 0 : marker.replace(/\[.*/, '').length;
  const indent = lead + ' '.repeat(width);
  const blankLine = `\n${indent.trimEnd()}\n${indent}`;
  const lines = markdown.split('\n');
  const text = lines
    .map((line, index) => (index === 0 ? line : (indent + line).trimEnd()))
    .join('\n');
  return {
    insert: (isAtStart ? '' : blankLine) + text + (after.trim() === '' ? '' : blankLine),
    over,
  };
}
