import { changes } from './changes.ts';
import { lineDiff } from './line-diff.ts';

/** How much a text has changed. */
export interface Figures {
  /** How many paragraphs or, of HTML, lines differ. */
  blocks: number;
  /** How many words or, of HTML, lines are new and gone. */
  added: number;
  removed: number;
}

const WORD = /[\p{L}\p{N}]+(?:['’]\p{L}+)*/gu;
const BREAK = /\n[ \t]*\n/g;
const ENDS_WITH_BREAK = /^[ \t]*\n|\n[ \t]*$/;

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Counts the paragraphs and words of Markdown that differ. Takes linear time. */
export function figuresOfWords(before: string, after: string): Figures {
  const starts = [
    0,
    ...Array.from(before.matchAll(BREAK), ({ index, 0: each }) => index + each.length),
  ];
  const touched = new Set<number>();
  const figures = { blocks: 0, added: 0, removed: 0 };
  let at = 0;
  for (const { from, to, insert } of changes(before, after)) {
    const gone = before.slice(from, to);
    figures.added += countOf(insert, WORD);
    figures.removed += countOf(gone, WORD);
    const whole = gone.trim() === '' ? insert : insert.trim() === '' ? gone : '';
    if (whole.trim() !== '' && ENDS_WITH_BREAK.test(whole)) {
      figures.blocks += paragraphsIn(whole);
      continue;
    }
    while (at + 1 < starts.length && (starts[at + 1] as number) <= from) at++;
    for (let index = at; index < starts.length && (starts[index] as number) <= to; index++) {
      touched.add(index);
    }
    figures.blocks += Math.max(0, paragraphsIn(insert) - paragraphsIn(gone));
  }
  figures.blocks += touched.size;
  return figures;
}

function paragraphsIn(text: string): number {
  return text.split(BREAK).filter((each) => each.trim() !== '').length || 1;
}

/** Counts the lines of HTML that differ. Takes linear time. */
export function figuresOfLines(before: string, after: string): Figures {
  const figures = { blocks: 0, added: 0, removed: 0 };
  for (const { from, to, toFrom, toTo } of lineDiff(before.split('\n'), after.split('\n'))) {
    figures.removed += to - from;
    figures.added += toTo - toFrom;
    figures.blocks += Math.max(to - from, toTo - toFrom);
  }
  return figures;
}
