import { joined, type Line, lineBreakOf, linesOf, withLineFeeds } from './line-breaks.ts';
import { movesOf, type Side } from './merge-moves.ts';
import { mergeTags } from './merge-tags.ts';
import { mergeWords, proseLines } from './merge-words.ts';
import type { Hunk } from './patience.ts';
import { adjoin, overlap, type Part, type Span, threeWay } from './three-way.ts';

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

type Lines = Pick<Conflict, 'base' | Side>;

interface MergedLine {
  text: string;
  /** Whether it has words of both. */
  isOfBoth?: boolean;
}

/**
 * Merges two texts with the same base, by line. A change that both sides made is taken once. There
 * is a conflict where both touch a line, or insert at one point, with different results; and where
 * changes of neighbouring lines add the same line, which may be meant once or twice. Lines of HTML
 * are merged by their tags, and lines of prose by words. Swapping the sides only swaps whose lines
 * are in the text at a conflict.
 *
 * A line that one side moved takes along what the other changed in it. Passages that both moved to
 * different places, or one moved and the other deleted, are conflicts at each of these places.
 *
 * Line breaks don't count: lines of the current text keep theirs, and yours get what most of its
 * lines have. Whether there is one at the end of the text is merged by itself, because programs add
 * it and take it off.
 *
 * Takes linear time. In very different texts the comparison is coarser, so conflicts are more
 * likely.
 */
export function merge3(base: string, current: string, yours: string): Merged {
  const [before, now, mine] = [base, current, yours].map(withLineFeeds) as [string, string, string];
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
  let prose: boolean[] | undefined;
  const isProse = (line: number) => {
    prose ??= proseLines(a);
    return prose[line] === true;
  };
  const touches = (theirs: Hunk, ours: Hunk) =>
    overlap(theirs, ours) || (adjoin(theirs, ours) && addSame(theirs, ours));
  const parts = threeWay(a, b, c, touches);
  const moves = movesOf(parts, [before, now, mine]);
  /** Conflicts that can be merged. */
  const joint = new Map<number, MergedLine[]>();
  /** Lines that one side moved, with what the other changed in them, by their number there. */
  const moved = { current: new Map<number, MergedLine>(), yours: new Map<number, MergedLine>() };
  const unmerged: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.by !== 'conflict') continue;
    const lines = linesOfPart(part);
    const both = mergedLines(part.base.from, lines);
    const areOnce = both && moves.areOnce(index, both);
    if (areOnce) joint.set(index, both);
    else if (!follow(index, part, lines)) unmerged.push(index);
  }
  const conflicting = moves.conflicting(unmerged);

  const merged: Line[] = [];
  const conflicts: Conflict[] = [];
  const wordLines: number[] = [];
  const add = ({ text, isOfBoth }: MergedLine, lineBreak: Line['lineBreak']) => {
    merged.push({ text, lineBreak });
    if (isOfBoth) wordLines.push(merged.length);
  };
  for (const [index, part] of parts.entries()) {
    const isConflict = conflicting.has(index);
    if (isConflict) {
      const at = { line: merged.length + 1, currentLine: part.current.from + 1 };
      conflicts.push({ ...at, ...linesOfPart(part) });
    }
    const both = isConflict ? undefined : joint.get(index);
    if (both) for (const line of both) add(line, most);
    else if (part.by === 'yours' && !isConflict) {
      for (let at = part.yours.from; at < part.yours.to; at++) {
        add(moved.yours.get(at) ?? { text: c[at] as string }, most);
      }
    } else {
      for (let at = part.current.from; at < part.current.to; at++) {
        const line = currentLines[at] as Line;
        add((!isConflict && moved.current.get(at)) || line, line.lineBreak);
      }
    }
  }
  const end = isEndApart && ended ? (merged.at(-1)?.lineBreak ?? most) : '';
  return { text: joined(merged, most) + end, conflicts, wordLines };

  function linesOfPart({ base, current, yours }: Part): Lines {
    return { base: linesIn(a, base), current: linesIn(b, current), yours: linesIn(c, yours) };
  }

  /** Merges lines that both changed; in the base they begin at `from`. */
  function mergedLines(from: number, lines: Lines): MergedLine[] | undefined {
    const sides = [lines.base, lines.current, lines.yours] as const;
    const tags = mergeTags(...sides)?.map((text) => ({ text }));
    if (tags) return tags;
    return mergeWords(...sides, (index) => isProse(from + index))?.map((text, index) => {
      return { text, isOfBoth: text !== lines.current[index] && text !== lines.yours[index] };
    });
  }

  /** Merges the lines of a conflict where one side moved them, if the other changed words in them. */
  function follow(index: number, { base: { from } }: Part, lines: Lines): boolean {
    const mover = SIDES.find((side) => lines[side].every((line) => line.trim() === ''));
    const other = lines[mover === 'current' ? 'yours' : 'current'];
    if (!mover || other.length !== lines.base.length) return false;
    const changed = other.flatMap((line, at) => (line === lines.base[at] ? [] : [from + at]));
    const places = moves.followed(index, mover, changed);
    if (!places) return false;
    const found = [...places].map(([line, place]) => {
      const own = [(mover === 'current' ? b : c)[place] as string];
      const theirs = [other[line - from] as string];
      const sides = mover === 'current' ? [own, theirs] : [theirs, own];
      const [current = [], yours = []] = sides;
      return { place, both: mergedLines(line, { base: [a[line] as string], current, yours })?.[0] };
    });
    if (found.some(({ place, both }) => !both || moved[mover].has(place))) return false;
    for (const { place, both } of found) if (both) moved[mover].set(place, both);
    joint.set(
      index,
      lines[mover].map((text) => ({ text })),
    );
    return true;
  }

  /** Tells whether both changes add a line that isn't blank. */
  function addSame(theirs: Hunk, ours: Hunk): boolean {
    const added = new Set(b.slice(theirs.toFrom, theirs.toTo));
    return c.slice(ours.toFrom, ours.toTo).some((line) => line.trim() !== '' && added.has(line));
  }
}

const SIDES = ['current', 'yours'] as const;

function linesIn<Item>(lines: readonly Item[], { from, to }: Span): Item[] {
  return lines.slice(from, to);
}
