import { MergeView } from '@codemirror/merge';
import {
  type ChangeSpec,
  EditorSelection,
  EditorState,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { merge3 } from '../../../base/text/merge.ts';
import { sourceExtensions } from './source.ts';

/** Which version to use at a conflict. */
export type Choice = 'current' | 'mine' | 'both';

/** Two versions of a text. The second one is edited and then saved. */
export interface Merge {
  text(): string;
  /** How many conflicts still need a decision. */
  undecided(): number;
  previous(): void;
  next(): void;
  /** Resolves the conflict that was shown last. */
  choose(choice: Choice): void;
  onChange(tell: () => void): void;
  destroy(): void;
}

/** A conflict's place in the text that will be saved. */
interface Place {
  from: number;
  /** The end of its last line, before the line break. */
  to: number;
  /** The current version's lines. */
  current: readonly string[];
  /** Whether my version has no lines there. */
  isEmpty: boolean;
  isDecided: boolean;
  /** Whether the buttons apply to this conflict. */
  isShown: boolean;
}

/**
 * Shows the read-only current version beside mine. Mine already contains all changes that only one
 * side made. Places that both changed are conflicts.
 */
export function createMerge(
  parent: HTMLElement,
  versions: { base: string; current: string; mine: string; nonce: string },
): Merge {
  const { base, current, mine, nonce } = versions;
  let tell = () => {};
  const label = (text: string) => EditorView.contentAttributes.of({ 'aria-label': text });
  const heads = document.createElement('div');
  heads.className = 'merge-heads';
  heads.innerHTML = '<span>Current version</span><span>Your version</span>';
  parent.append(heads);
  // With the sides swapped, the merged text has my lines at conflicts.
  const merged = merge3(base, mine, current);
  const places = conflictsField(merged.text, merged.conflicts);
  const view = new MergeView({
    parent,
    a: {
      doc: current,
      extensions: [
        sourceExtensions(nonce),
        EditorState.readOnly.of(true),
        label('Current version'),
      ],
    },
    b: {
      doc: merged.text,
      extensions: [
        sourceExtensions(nonce),
        places,
        EditorView.decorations.compute([places, 'doc'], (state) =>
          marksOf(state.field(places), state.doc),
        ),
        label('Your version'),
        EditorView.updateListener.of(() => tell()),
      ],
    },
    collapseUnchanged: { margin: 3, minSize: 8 },
  });

  const all = () => view.b.state.field(places);
  const shown = () =>
    Math.max(
      0,
      all().findIndex(({ isShown }) => isShown),
    );
  const goTo = (index: number) => {
    const place = all().at(index);
    if (!place) return;
    view.b.dispatch({
      selection: EditorSelection.cursor(place.from),
      effects: [showing.of(index), EditorView.scrollIntoView(place.from, { y: 'center' })],
    });
  };
  const step = (by: 1 | -1) => {
    const { length } = all();
    if (length > 0) goTo((shown() + by + length) % length);
  };

  goTo(0);
  return {
    text: () => view.b.state.doc.toString(),
    undecided: () => all().filter(({ isDecided }) => !isDecided).length,
    previous: () => step(-1),
    next: () => step(1),
    choose(choice) {
      const index = shown();
      const place = all().at(index);
      if (!place) return;
      view.b.dispatch({
        changes: changesOf(view.b.state.doc, place, choice),
        effects: decided.of(index),
      });
      const next = all().findIndex(({ isDecided }) => !isDecided);
      if (next !== -1) goTo(next);
    },
    onChange(listener) {
      tell = listener;
    },
    destroy: () => view.destroy(),
  };
}

const decided = StateEffect.define<number>();
const showing = StateEffect.define<number>();

function conflictsField(
  text: string,
  conflicts: ReturnType<typeof merge3>['conflicts'],
): StateField<readonly Place[]> {
  return StateField.define<readonly Place[]>({
    create({ doc }) {
      return conflicts.map(({ line, current: mine, yours: current }) => {
        const isEmpty = mine.length === 0;
        const from = line <= doc.lines ? doc.line(line).from : text.length;
        const to = isEmpty ? from : doc.line(line - 1 + mine.length).to;
        return { from, to, current, isEmpty, isDecided: false, isShown: false };
      });
    },
    update: (places, transaction) =>
      places.map((place, index) => follow(place, index, transaction)),
  });
}

/** Maps a place through a change. Typing in it resolves it. */
function follow(place: Place, index: number, { changes, effects }: Transaction): Place {
  const isTouched = changes.touchesRange(place.from, place.to) !== false;
  const isChosen = effects.some((effect) => effect.is(decided) && effect.value === index);
  const shown = effects.findLast((effect) => effect.is(showing));
  if (changes.empty && !isChosen && !shown) return place;
  return {
    ...place,
    from: changes.mapPos(place.from, -1),
    to: changes.mapPos(place.to, 1),
    isEmpty: place.isEmpty && !isTouched,
    isDecided: place.isDecided || isTouched || isChosen,
    isShown: shown ? shown.value === index : place.isShown,
  };
}

/** Returns the change that puts the chosen lines in a place. */
function changesOf(doc: Text, place: Place, choice: Choice): ChangeSpec {
  const { from, to, current, isEmpty } = place;
  const mine = isEmpty ? [] : doc.sliceString(from, to).split('\n');
  if (choice === 'mine' || (choice === 'both' && current.length === 0)) return [];
  const lines = choice === 'both' ? [...mine, ...current] : current;
  const insert = lines.join('\n');
  if (mine.length > 0 && lines.length > 0) return { from, to, insert };
  if (mine.length > 0) {
    // Removing lines also removes one of the line breaks around them.
    return to < doc.length ? { from, to: to + 1 } : { from: Math.max(0, from - 1), to };
  }
  const isBehindAll = from === doc.length && doc.lineAt(from).length > 0;
  return { from, insert: isBehindAll ? `\n${insert}` : `${insert}\n` };
}

const CONFLICT = 'cm-conflict';
const SHOWN = 'cm-conflict cm-conflict-shown';
const conflictLine = Decoration.line({ class: CONFLICT });
const shownLine = Decoration.line({ class: SHOWN });

/** Marks where the current version has lines that mine lacks. */
class NothingHere extends WidgetType {
  readonly #isShown: boolean;

  constructor(isShown: boolean) {
    super();
    this.#isShown = isShown;
  }

  override eq(other: NothingHere): boolean {
    return other.#isShown === this.#isShown;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = `${this.#isShown ? SHOWN : CONFLICT} cm-conflict-empty`;
    element.textContent = 'Nothing here in your version';
    return element;
  }
}

function marksOf(places: readonly Place[], doc: Text): DecorationSet {
  const open = places.filter(({ isDecided }) => !isDecided);
  const marks = open.flatMap(({ from, to, isEmpty, isShown }) => {
    if (isEmpty) {
      const side = from === doc.length ? 1 : -1;
      const widget = new NothingHere(isShown);
      return [Decoration.widget({ widget, block: true, side }).range(from)];
    }
    const first = doc.lineAt(from).number;
    const last = doc.lineAt(to).number;
    return Array.from({ length: last - first + 1 }, (_, index) =>
      (isShown ? shownLine : conflictLine).range(doc.line(first + index).from),
    );
  });
  return Decoration.set(marks, true);
}
