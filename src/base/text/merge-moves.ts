import { COPIED, GONE, matchPassages, passagesOf } from './moves.ts';
import type { Part } from './three-way.ts';

/** A passage of the base: the index of its part, its parts on both sides, and its words there. */
interface Standing {
  part: number;
  /** Can also be {@link GONE} or {@link COPIED}. */
  places: number[];
  words: Set<string>;
}

/** @param texts the base and both sides. Takes linear time. */
export function standingsOf(parts: readonly Part[], texts: readonly string[]): Standing[] {
  const [base = [], ...sides] = texts.map(passagesOf);
  const partsAt = (['base', 'current', 'yours'] as const).map((side) =>
    parts.flatMap(({ [side]: { from, to } }, index) => Array<number>(to - from).fill(index)),
  );
  const found = sides.map((passages) => matchPassages(base, passages));
  return base.map(({ line }, index) => {
    const places = found.map((all) => all[index] as number);
    const passages = places.flatMap((place, side) => sides[side]?.[place] ?? []);
    return {
      part: partsAt[0]?.[line] as number,
      places: places.map((place, side) => {
        return place < 0 ? place : (partsAt[side + 1]?.[sides[side]?.[place]?.line ?? 0] as number);
      }),
      words: new Set(passages.map(({ words }) => words)),
    };
  });
}

/** Tells whether merged lines of a part have no passage twice, and none that was moved or deleted. */
export function areOnce(
  standings: readonly Standing[],
  part: number,
  lines: readonly string[],
): boolean {
  const found = passagesOf(lines.join('\n')).map(({ words }) => words);
  return standings.every(({ part: from, places, words }) => {
    if (places.includes(COPIED) || ![from, ...places].includes(part)) return true;
    const isAway = places.includes(GONE) || (from === part && places.some((to) => to !== part));
    return found.filter((each) => words.has(each)).length <= (isAway ? 0 : 1);
  });
}

/**
 * Adds to the parts in conflict those to which both sides moved one passage or only one did and the
 * other deleted it, and the other end of each move.
 */
export function addMoved(
  conflicting: Set<number>,
  standings: readonly Standing[],
  parts: readonly Part[],
): void {
  const links: [number, number][] = [];
  const add = (part: number) => {
    if (!['none', 'both'].includes(parts[part]?.by ?? 'none')) conflicting.add(part);
  };
  for (const { part, places } of standings) {
    const moved = [...new Set(places)].filter((place) => place >= 0 && place !== part);
    if (moved.length === 2 || places.includes(GONE)) moved.forEach(add);
    else for (const to of moved) if (places.includes(part)) links.push([part, to], [to, part]);
  }
  for (const part of conflicting) for (const [one, other] of links) if (one === part) add(other);
}
