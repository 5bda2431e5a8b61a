import { COPIED, GONE, matchPassages, type Passage, passagesOf } from './moves.ts';
import type { Part } from './three-way.ts';

export type Side = 'current' | 'yours';

/** A passage of the base, and where each side has it. */
interface Standing {
  /** The index of its part, and its line. */
  part: number;
  line: number;
  /** The current text and yours; `part` can also say that it is gone or has copies. */
  sides: [Place, Place];
}

interface Place {
  part: number;
  line: number;
  words: string;
}

/** Tells what has to be known of passages that were moved, to merge two texts with the same base. */
export interface Moves {
  /** Tells whether merged lines of a part have no passage twice, and none that one side deleted. */
  areOnce(part: number, lines: readonly { text: string }[]): boolean;
  /**
   * Finds where the mover has lines of a conflict that the other side changed.
   *
   * @param changed their numbers in the base
   * @returns for each its number on the mover's side; `undefined` if not all were moved as a whole
   */
  followed(part: number, mover: Side, changed: readonly number[]): Map<number, number> | undefined;
  /**
   * Returns all parts in conflict: those that are given, those to which both sides moved one passage
   * or only one did and the other deleted it, and both ends of a move of which one is a conflict.
   */
  conflicting(given: Iterable<number>): Set<number>;
}

/** @param texts the base, the current text and yours. Takes linear time. */
export function movesOf(parts: readonly Part[], texts: readonly string[]): Moves {
  const standing = standingIn(parts, texts);
  const near = new Map<number, Standing[]>();
  for (const each of standing) {
    for (const part of new Set([each.part, ...each.sides.map((side) => side.part)])) {
      const others = near.get(part);
      if (others) others.push(each);
      else near.set(part, [each]);
    }
  }
  return {
    areOnce(part, lines) {
      const counts = new Map<string, number>();
      for (const { words } of passagesOf(lines.map(({ text }) => text).join('\n'))) {
        counts.set(words, (counts.get(words) ?? 0) + 1);
      }
      const count = ({ words }: Place) => counts.get(words) ?? 0;
      return (near.get(part) ?? []).every(({ part: from, sides: [theirs, mine] }) => {
        if (theirs.part === COPIED || mine.part === COPIED) return true;
        const isAway = theirs.part !== from || mine.part !== from;
        const isGone = theirs.part === GONE || mine.part === GONE || (from === part && isAway);
        const times = count(theirs) + (theirs.words === mine.words ? 0 : count(mine));
        return times <= (isGone ? 0 : 1);
      });
    },
    followed(part, mover, changed) {
      const [lines, found] = [new Set(changed), new Map<number, number>()];
      for (const { part: from, line: base, sides } of near.get(part) ?? []) {
        if (from !== part || !lines.has(base)) continue;
        const [{ part: to, line }, other] =
          mover === 'current' ? sides : (sides.toReversed() as [Place, Place]);
        const isFollowed = parts[to]?.by === mover && other.part === part;
        if (!isFollowed || (found.get(base) ?? line) !== line) return undefined;
        found.set(base, line);
      }
      const isEach = found.size === changed.length && new Set(found.values()).size === found.size;
      return isEach ? found : undefined;
    },
    conflicting(given) {
      const found = new Set(given);
      const links: [number, number][] = [];
      const add = (part: number) => {
        const { by } = parts[part] as Part;
        if (by !== 'none' && by !== 'both') found.add(part);
      };
      for (const { part, sides } of standing) {
        const moved = sides.map((side) => side.part).filter((to) => to >= 0 && to !== part);
        const isGone = sides.some((side) => side.part === GONE);
        if (new Set(moved).size === 2 || (moved.length === 1 && isGone)) moved.forEach(add);
        else if (moved.length === 1 && sides.some((side) => side.part === part)) {
          links.push([part, moved[0] as number], [moved[0] as number, part]);
        }
      }
      const linked = Map.groupBy(links, ([one]) => one);
      for (const part of found) for (const [, other] of linked.get(part) ?? []) add(other);
      return found;
    },
  };
}

/** Lists the passages of the base of which a side changed, moved or deleted what is around them. */
function standingIn(parts: readonly Part[], texts: readonly string[]): Standing[] {
  const isChanged = (by: string) => parts.some((part) => part.by !== 'none' && part.by !== by);
  if (!isChanged('current') || !isChanged('yours')) return [];
  const [base, current, yours] = texts.map(passagesOf) as [Passage[], Passage[], Passage[]];
  const partsOf = (side: 'base' | 'current' | 'yours') =>
    parts.flatMap((part, index) => Array<number>(part[side].to - part[side].from).fill(index));
  const partOf = partsOf('base');
  const places = (
    [
      ['current', current],
      ['yours', yours],
    ] as const
  ).map(([side, passages]) => {
    const [found, partAt] = [matchPassages(base, passages), partsOf(side)];
    return (index: number): Place => {
      const { line, words } = passages[found[index] as number] ?? { line: 0, words: '' };
      const part = (found[index] as number) < 0 ? found[index] : partAt[line];
      return { part: part as number, line, words };
    };
  });
  return base.flatMap(({ line }, index) => {
    const part = partOf[line] as number;
    const sides = places.map((placeOf) => placeOf(index)) as [Place, Place];
    const isPlain = parts[part]?.by === 'none' && sides.every((side) => side.part === part);
    return isPlain ? [] : [{ part, line, sides }];
  });
}
