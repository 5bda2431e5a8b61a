import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { changes } from '../../../base/text/changes.ts';
import { changedPassages, tightened } from '../../../base/text/passages.ts';

/** Larger texts, in UTF-16 code units, are compared once typing pauses. */
const LARGE = 200_000;
const WAIT_MS = 300;

/** How much of a deleted passage the text shows, in UTF-16 code units. */
const MAX_DELETED = 2_000;

/** The longest passage of a suggestion: `REVIEW_LIMITS.quote`. */
const MAX_PASSAGE = 1_000;

interface Marks {
  /** The text that others have; `undefined` while nothing is suggested. */
  base: string | undefined;
  decorations: DecorationSet;
  /** How many suggestions the changes will be. */
  count: number;
}

const setBase = StateEffect.define<string | undefined>();
const compareNow = StateEffect.define<null>();

/** Deleted words, where they were. */
class Deleted extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: Deleted): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('del');
    element.className = 'suggested-deletion';
    element.textContent =
      this.text.length > MAX_DELETED ? `${this.text.slice(0, MAX_DELETED)}…` : this.text;
    return element;
  }
}

const NONE: Marks = { base: undefined, decorations: Decoration.none, count: 0 };

function marksOf(base: string, doc: string): Marks {
  const found = changes(base, doc).map((change) => tightened(base, change));
  let moved = 0;
  const ranges = found.flatMap(({ from, to, insert }) => {
    const at = from + moved;
    moved += insert.length - (to - from);
    const deleted = base.slice(from, to);
    return [
      ...(deleted === ''
        ? []
        : [Decoration.widget({ widget: new Deleted(deleted), side: -1 }).range(at)]),
      ...(insert === ''
        ? []
        : [
            Decoration.mark({ tagName: 'ins', class: 'suggested-insertion' }).range(
              at,
              at + insert.length,
            ),
          ]),
    ];
  });
  const count = changedPassages(base, found, MAX_PASSAGE)?.length ?? Math.min(found.length, 1);
  return { base, decorations: Decoration.set(ranges, true), count };
}

const marks = StateField.define<Marks>({
  create: () => NONE,
  update(value, { docChanged, changes, effects, newDoc }) {
    let { base } = value;
    let isAsked = false;
    for (const effect of effects) {
      if (effect.is(setBase)) base = effect.value;
      if (effect.is(setBase) || effect.is(compareNow)) isAsked = true;
    }
    if (base === undefined) return value.base === undefined ? value : NONE;
    if (isAsked || (docChanged && newDoc.length <= LARGE)) return marksOf(base, newDoc.toString());
    return docChanged ? { ...value, decorations: value.decorations.map(changes) } : value;
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

let waiting = 0;

/** Shows in the text what is suggested: inserted words marked, deleted words struck through. */
export const suggestionMarks: Extension = [
  marks,
  EditorView.updateListener.of(({ view, docChanged, state }) => {
    if (!docChanged || state.doc.length <= LARGE || state.field(marks).base === undefined) return;
    clearTimeout(waiting);
    waiting = window.setTimeout(() => view.dispatch({ effects: compareNow.of(null) }), WAIT_MS);
  }),
];

/** Shows the text's differences from `base`; from nothing, if it is `undefined`. */
export function markAgainst(view: EditorView, base: string | undefined): void {
  view.dispatch({ effects: setBase.of(base) });
}

/** Returns where the text differs from what others have; `undefined` while nothing is suggested. */
export function suggestedIn(state: EditorState): DecorationSet | undefined {
  const value = state.field(marks, false);
  return value?.base === undefined ? undefined : value.decorations;
}

/** Returns how many suggestions the text has. */
export function countSuggestions(view: EditorView): number {
  return view.state.field(marks).count;
}
