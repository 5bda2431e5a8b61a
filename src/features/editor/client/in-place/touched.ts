import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

interface Range {
  from: number;
  to: number;
}

/** How long the caret rests before what it has left hides its source, in ms. */
const REST_MS = 250;
/** As many places as a held arrow key keeps open, at most. */
const MOST = 20;

const rest = StateEffect.define<readonly Range[]>();

/**
 * Where the source shows itself. What the caret reaches by a key opens at once, so that it never stands in
 * something hidden; what it has left closes once it rests.
 */
const touched = StateField.define<readonly Range[]>({
  create: () => [],
  update(value, transaction) {
    const { docChanged, changes, effects, selection } = transaction;
    const rested = effects.findLast((effect) => effect.is(rest));
    if (rested) return rested.value;
    const moved = docChanged
      ? value.map(({ from, to }) => ({ from: changes.mapPos(from, -1), to: changes.mapPos(to, 1) }))
      : value;
    // A pointer is still down: nothing moves below it.
    if (!selection || transaction.isUserEvent('select.pointer')) return moved;
    const added = selection.ranges.filter(
      (range) => !moved.some(({ from, to }) => from <= range.from && range.to <= to),
    );
    return added.length === 0 ? moved : [...moved, ...added].slice(-MOST);
  },
});

/** Tells whether the source from one position to another shows itself. */
export function isTouched(state: EditorView['state'], from: number, to: number): boolean {
  return state.field(touched).some((range) => range.from <= to && range.to >= from);
}

/** Tells whether an update shows or hides source. */
export function hasTouched({
  startState,
  state,
}: Pick<ViewUpdate, 'startState' | 'state'>): boolean {
  return startState.field(touched, false) !== state.field(touched);
}

class Watch {
  readonly view: EditorView;
  private timer = 0;
  private isDown = false;

  constructor(view: EditorView) {
    this.view = view;
    window.addEventListener('pointerup', this.up);
    window.addEventListener('pointercancel', this.up);
    this.soon(0);
  }

  down(): void {
    this.isDown = true;
  }

  private readonly up = () => {
    if (!this.isDown) return;
    this.isDown = false;
    this.soon(0);
  };

  soon(ms = REST_MS): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.settle(), ms);
  }

  update({ selectionSet, docChanged, focusChanged }: ViewUpdate): void {
    if (selectionSet || docChanged || focusChanged) this.soon();
  }

  private settle(): void {
    const { view, isDown } = this;
    // What has the focus in a picture must stay.
    if (document.activeElement?.matches('.resize-handle')) return;
    if (isDown || view.compositionStarted) {
      this.soon();
      return;
    }
    const { ranges } = view.state.selection;
    const wanted = view.hasFocus ? ranges.map(({ from, to }) => ({ from, to })) : [];
    const is = view.state.field(touched);
    const isSame =
      is.length === wanted.length &&
      is.every(({ from, to }, index) => from === wanted[index]?.from && to === wanted[index]?.to);
    if (!isSame) view.dispatch({ effects: rest.of(wanted) });
  }

  destroy(): void {
    clearTimeout(this.timer);
    window.removeEventListener('pointerup', this.up);
    window.removeEventListener('pointercancel', this.up);
  }
}

const watch = ViewPlugin.fromClass(Watch, {
  eventHandlers: {
    pointerdown() {
      this.down();
    },
    compositionend() {
      this.soon();
    },
  },
});

export const touchedSource: Extension = [touched, watch];
