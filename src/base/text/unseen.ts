import { findInvisible } from './invisible.ts';
import { placesOf } from './places.ts';

const CODE = /^ {0,3}(`{3,}|~{3,}).*\n[\s\S]*?^ {0,3}\1|(?<!`)(`+)(?!`)[^\n]*?[^`\n]\2(?!`)/gm;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const TAG = /<[a-z][^<>]*>/gi;
const HIDDEN_TAG =
  /\shidden(?=[\s=/>])|\sstyle\s*=[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9]))/i;

/**
 * Says what is in a text that its readers don't see: invisible characters, HTML comments, and elements
 * that are hidden by their own attributes. Takes linear time. What styles and scripts hide isn't found.
 *
 * @param firstLine the line that the text begins in
 * @returns such as “3 invisible characters (line 9)”
 */
export function unseenIn(text: string, isMarkdown: boolean, firstLine = 1): string[] {
  const source = isMarkdown ? text.replaceAll(CODE, (part) => part.replaceAll(/[<>]/g, ' ')) : text;
  const outside = source.replaceAll(COMMENT, (part) => ' '.repeat(part.length));
  const linesOf = (indexes: number[]) => placesOf(text, indexes).map(({ line }) => line);
  const invisible = findInvisible(text);
  const comments = [...source.matchAll(COMMENT)].map(({ index }) => index);
  const hidden = [...outside.matchAll(TAG)].flatMap(({ 0: tag, index }) =>
    HIDDEN_TAG.test(tag) ? index : [],
  );
  const found: [string, number, number[]][] = [
    [
      'invisible character',
      invisible.reduce((sum, { count }) => sum + count, 0),
      invisible.flatMap(({ lines }) => lines).sort((one, other) => one - other),
    ],
    ['HTML comment', comments.length, linesOf(comments)],
    ['hidden element', hidden.length, linesOf(hidden)],
  ];
  return found.flatMap(([what, count, all]) => {
    if (count === 0) return [];
    const lines = [...new Set(all)].map((line) => line + firstLine - 1);
    const shown = lines.slice(0, MAX_LINES).join(', ') + (lines.length > MAX_LINES ? ' …' : '');
    const named = `${what}${count === 1 ? '' : 's'}`;
    return `${count} ${named} (line${lines.length === 1 ? '' : 's'} ${shown})`;
  });
}

/** The most lines to name of a kind. */
const MAX_LINES = 5;
