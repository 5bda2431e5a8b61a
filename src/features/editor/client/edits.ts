import { type Change, changes } from '../../../base/text/changes.ts';

/** Returns the smallest changes of a text that is at a place, so that others' are kept. */
export function edits(at: number, before: string, after: string): Change[] {
  return changes(before, after).map((edit) => ({
    ...edit,
    from: at + edit.from,
    to: at + edit.to,
  }));
}
