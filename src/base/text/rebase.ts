import { type Merged, merge3 } from './merge.ts';

/** A text that was brought up to date with others' changes. */
export interface Rebased {
  text: string;
  /** The lines of the text, from 1, in which it has other words than the newer text. */
  conflicts: number[];
  /** The same with others' lines where both have changed them. */
  merged: Merged;
}

/**
 * Brings a text that nobody else has up to date. Where others changed the same lines, it keeps yours,
 * so that nothing that was written is lost: compared with the current text, yours replace theirs.
 */
export function rebase(base: string, current: string, yours: string): Rebased {
  return withYours(merge3(base, current, yours));
}

/** Returns a merged text with your lines at conflicts instead of the current ones. */
export function withYours(merged: Merged): Rebased {
  const { text, conflicts } = merged;
  const lines = text.split('\n');
  const places: number[] = [];
  let moved = 0;
  for (const { line, current: theirs, yours: mine } of conflicts) {
    lines.splice(line - 1 + moved, theirs.length, ...mine);
    places.push(line + moved);
    moved += mine.length - theirs.length;
  }
  return { text: lines.join('\n'), conflicts: places, merged };
}
