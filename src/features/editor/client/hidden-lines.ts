import { type EditorState, Facet } from '@codemirror/state';

/** Lines that the text doesn't show, because a field above it does. */
export const hiddenLines =
  Facet.define<(state: EditorState) => { from: number; end: number } | undefined>();

/** Returns the first position at or after this one that the text shows. */
export function shownPosition(state: EditorState, position: number): number {
  for (const find of state.facet(hiddenLines)) {
    const hidden = find(state);
    if (hidden && position >= hidden.from && position <= hidden.end) {
      return Math.min(hidden.end + 1, state.doc.length);
    }
  }
  return position;
}
