import {
  type ChangeSet,
  type EditorState,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** How long what others wrote stays marked, in ms. */
const MARKED_MS = 4_000;

/** How many colours carets have; `others.css` has the same. */
const COLOURS = 6;

/** Where someone else writes, as positions in the text. */
export interface OthersCaret {
  clientId: string;
  username: string;
  anchor: number;
  head: number;
}

interface Range {
  from: number;
  to: number;
}

const NOBODY: readonly OthersCaret[] = [];

const setCarets = StateEffect.define<readonly OthersCaret[]>();
const addMarks = StateEffect.define<readonly Range[]>();
const removeMarks = StateEffect.define<null>();

const mark = Decoration.mark({ class: 'others-change' });

/** What others have just written. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, { changes, effects }) {
    let marked = value.map(changes);
    for (const effect of effects) {
      if (effect.is(removeMarks)) marked = Decoration.none;
      if (effect.is(addMarks)) {
        const add = effect.value.filter(({ from, to }) => from < to);
        marked = marked.update({
          add: add.map(({ from, to }) => mark.range(from, to)),
          sort: true,
        });
      }
    }
    return marked;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Caret extends WidgetType {
  readonly username: string;

  constructor(username: string) {
    super();
    this.username = username;
  }

  override eq(other: Caret): boolean {
    return other.username === this.username;
  }

  override toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = `others-caret others-${colourOf(this.username)}`;
    caret.dataset.name = this.username;
    caret.setAttribute('aria-hidden', 'true');
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Where others write, moved along with the text. */
const carets = StateField.define<readonly OthersCaret[]>({
  create: () => NOBODY,
  update(value, { changes, effects, docChanged }) {
    const set = effects.findLast((effect) => effect.is(setCarets));
    if (set) return set.value;
    if (!docChanged || value.length === 0) return value;
    return value.map((each) => ({
      ...each,
      anchor: changes.mapPos(each.anchor, 1),
      head: changes.mapPos(each.head, 1),
    }));
  },
  provide: (field) =>
    EditorView.decorations.from(field, (all) =>
      RangeSet.of(
        all.flatMap(({ username, anchor, head }) => {
          const caret = Decoration.widget({ widget: new Caret(username), side: 1 }).range(head);
          if (anchor === head) return [caret];
          const selected = Decoration.mark({
            class: `others-selection others-${colourOf(username)}`,
          });
          return [caret, selected.range(Math.min(anchor, head), Math.max(anchor, head))];
        }),
        true,
      ),
    ),
});

/** Returns where others write. The same text and places make the same array. */
export function othersCarets(state: EditorState): readonly OthersCaret[] {
  return state.field(carets, false) ?? NOBODY;
}

/** Shows carets of others with their names, and marks for a moment what they write. */
export const othersExtension = [marks, carets];

export function showCarets(view: EditorView, all: readonly OthersCaret[]): void {
  view.dispatch({ effects: setCarets.of(all) });
}

let clearing = 0;

export function markOthers(view: EditorView, ranges: readonly Range[]): void {
  view.dispatch({ effects: addMarks.of(ranges) });
  clearTimeout(clearing);
  clearing = window.setTimeout(() => {
    view.dispatch({ effects: removeMarks.of(null) });
  }, MARKED_MS);
}

export function changedRanges(changes: ChangeSet): Range[] {
  const ranges: Range[] = [];
  changes.iterChangedRanges((_fromA, _toA, from, to) => ranges.push({ from, to }));
  return ranges;
}

/** The same name always has the same colour. */
export function colourOf(username: string): number {
  let sum = 0;
  for (const letter of username) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return sum % COLOURS;
}
