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
