import type { EditorState } from '@codemirror/state';
import { type Change, changes } from '../../../base/text/changes.ts';

/** Returns the smallest changes that make a range another text, so that what others write in it stays there. */
export function edits(
  state: EditorState,
  { from, to }: { from: number; to: number },
  after: string,
): Change[] {
  const moved = (edit: Change) => ({ ...edit, from: from + edit.from, to: from + edit.to });
  return changes(state.sliceDoc(from, to), after).map(moved);
}

/**
 * Returns the one change between two states of a field, of as few characters as possible: others may be
 * writing in the same word.
 *
 * @param caret where what was typed ends, which tells it from equal letters beside it
 */
export function difference(before: string, after: string, caret = after.length): Change {
  let same = before.endsWith(after.slice(caret)) ? after.length - caret : 0;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most - same && before[from] === after[from]) from++;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  // Never between the two units of a character.
  if (/[\uD800-\uDBFF]/.test(before[from - 1] ?? '')) from--;
  if (/[\uDC00-\uDFFF]/.test(before.at(-same) ?? '') && same > 0) same--;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
