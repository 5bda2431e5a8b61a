import { joined, type Line, lineBreakOf, linesOf, withLineFeeds } from './line-breaks.ts';
import { addMoved, areOnce, standingsOf } from './merge-moves.ts';
import { mergeTags } from './merge-tags.ts';
import { mergeWords, proseLines } from './merge-words.ts';
import type { Hunk } from './patience.ts';
import { adjoin, overlap, type Span, threeWay } from './three-way.ts';

/** A place where two texts with the same base have different changes. */
export interface Conflict {
  /** The line of the merged text where the conflict begins, from 1. */
  line: number;
  /** The same line in the current text. */
  currentLine: number;
  /** The lines of the base, the current text and yours, without CR. Any can be empty. */
  base: string[];
  current: string[];
  yours: string[];
}

export interface Merged {
  /** Has the changes of both sides and, at a conflict, the lines of the current text. */
  text: string;
  /** In order; empty if everything merged. */
  conflicts: Conflict[];
  /** The lines of the merged text, from 1, in which both changed words. */
  wordLines: number[];
}

/**
 * Merges two texts with the same base, by line. A change that both sides made is taken once. There
 * is a conflict where both touch a line, or insert at one point, with different results; and where
 * changes of neighbouring lines add the same line, which may be meant once or twice. Lines of HTML
 * are merged by their tags, and lines of prose by words. Where both moved a passage to different
 * places, or one moved and the other deleted it, each place is a conflict. Swapping the sides only
 * swaps whose lines are in the text at a conflict.
 *
 * Line breaks and a byte order mark don't count: lines of the current text keep theirs, and yours get what most of its
 * lines have. Whether there is one at the end of the text is merged by itself, because programs add
 * it and take it off.
 *
 * Takes linear time. In very different texts the comparison is coarser, so conflicts are more
 * likely.
 */
export function merge3(base: string, current: string, yours: string): Merged {
  const [before, now, mine] = [base, current, yours].map((text) =>
    withLineFeeds(text.replace(/^\ufeff/, '')),
  ) as [string, string, string];
  if (now === mine || mine === before) {
    return { text: current, conflicts: [], wordLines: [] };
  }
  const most = lineBreakOf(current) ?? lineBreakOf(yours) ?? '\n';
  const currentLines = linesOf(current);
  const [a, b, c] = [before.split('\n'), now.split('\n'), mine.split('\n')];
  const [wasEnded, isEnded, isMineEnded] = [before, now, mine].map((text) => text.endsWith('\n'));
  const ended = isMineEnded === wasEnded ? isEnded : isMineEnded;
  const isEndApart =
    (wasEnded !== isEnded || wasEnded !== isMineEnded) &&
    // A lone CR would become part of the line break.
    [before, now, mine].every((text) => !/(?:^|\r)\n?$/.test(text));
  if (isEndApart) {
    if (wasEnded) a.pop();
    if (isEnded) for (const list of [b, currentLines]) list.pop();
    if (isMineEnded) c.pop();
  }
  const merged: Line[] = [];
  const conflicts: Conflict[] = [];
  const wordLines: number[] = [];
  let prose: boolean[] | undefined;
  const isProse = (line: number) => {
    prose ??= proseLines(a);
    return prose[line] === true;
  };
  const touches = (theirs: Hunk, ours: Hunk) =>
    overlap(theirs, ours) || (adjoin(theirs, ours) && addSame(theirs, ours));
  const parts = threeWay(a, b, c, touches);
  const isBy = (side: 'current' | 'yours') => parts.some(({ by }) => by !== 'none' && by !== side);
  const areBoth = isBy('current') && isBy('yours');
  const standings = areBoth ? standingsOf(parts, [before, now, mine]) : [];
  const joint = new Map<number, { lines: string[]; isByWords: boolean }>();
  for (const [index, part] of parts.entries()) {
    if (part.by !== 'conflict') continue;
    const lines = [
      linesIn(a, part.base),
      linesIn(b, part.current),
      linesIn(c, part.yours),
    ] as const;
    const tags = mergeTags(...lines);
    const both = tags ?? mergeWords(...lines, (at) => isProse(part.base.from + at));
    if (both && areOnce(standings, index, both))
      joint.set(index, { lines: both, isByWords: !tags });
  }
  const open = [...parts.keys()].filter((at) => parts[at]?.by === 'conflict' && !joint.has(at));
  const conflicting = new Set(open);
  addMoved(conflicting, standings, parts);
  for (const [index, part] of parts.entries()) {
    const [theirs, yours] = [linesIn(b, part.current), linesIn(c, part.yours)];
    const isConflict = conflicting.has(index);
    if (isConflict) {
      const at = { line: merged.length + 1, currentLine: part.current.from + 1 };
      conflicts.push({ ...at, base: linesIn(a, part.base), current: theirs, yours });
    }
    const { lines, isByWords } = joint.get(index) ?? {};
    const mine = isConflict ? undefined : (lines ?? (part.by === 'yours' ? yours : undefined));
    if (mine && isByWords) {
      for (const [index, line] of mine.entries()) {
        const isOne = line !== theirs[index] && line !== yours[index];
        if (isOne) wordLines.push(merged.length + index + 1);
      }
    }
    if (mine) for (const text of mine) merged.push({ text, lineBreak: most });
    else for (const line of linesIn(currentLines, part.current)) merged.push(line);
  }
  const end = isEndApart && ended ? (merged.at(-1)?.lineBreak ?? most) : '';
  return { text: joined(merged, most) + end, conflicts, wordLines };

  /** Tells whether both changes add a line that isn't blank. */
  function addSame(theirs: Hunk, ours: Hunk): boolean {
    const added = new Set(b.slice(theirs.toFrom, theirs.toTo));
    return c.slice(ours.toFrom, ours.toTo).some((line) => line.trim() !== '' && added.has(line));
  }
}

function linesIn<Item>(lines: readonly Item[], { from, to }: Span): Item[] {
  return lines.slice(from, to);
}
