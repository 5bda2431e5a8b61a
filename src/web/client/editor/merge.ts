import { MergeView } from '@codemirror/merge';
import { EditorSelection, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine } from '@codemirror/view';
import { sourceExtensions } from './source.ts';

/** Two versions of a text, of which the second is becoming what is saved. */
export interface Merge {
  text(): string;
  /** How many differences are left. */
  differences(): number;
  previous(): void;
  next(): void;
  /** Puts theirs in place of mine where the cursor is. */
  takeTheirs(): void;
  onChange(tell: () => void): void;
  destroy(): void;
}

/** Lays theirs, which cannot be changed, beside mine. */
export function createMerge(
  parent: HTMLElement,
  { theirs, mine, nonce }: { theirs: string; mine: string; nonce: string },
): Merge {
  let tell = () => {};
  const label = (text: string) => EditorView.contentAttributes.of({ 'aria-label': text });
  const heads = document.createElement('div');
  heads.className = 'merge-heads';
  heads.innerHTML = '<span>Theirs, as it is now</span><span>Yours, to be saved</span>';
  parent.append(heads);
  const view = new MergeView({
    parent,
    a: {
      doc: theirs,
      extensions: [
        sourceExtensions(nonce),
        EditorState.readOnly.of(true),
        label('Theirs, as it is now'),
      ],
    },
    b: {
      doc: mine,
      extensions: [
        sourceExtensions(nonce),
        highlightActiveLine(),
        label('Yours, to be saved'),
        EditorView.updateListener.of(({ docChanged }) => docChanged && tell()),
      ],
    },
    revertControls: 'a-to-b',
    renderRevertControl: () => {
      const button = document.createElement('button');
      button.type = 'button';
      // The buttons above do the same with the keyboard.
      button.tabIndex = -1;
      button.title = 'Take theirs';
      button.setAttribute('aria-label', 'Take theirs');
      button.textContent = '→';
      return button;
    },
    collapseUnchanged: { margin: 3, minSize: 8 },
  });

  const goTo = (index: number) => {
    const chunk = view.chunks.at(index);
    if (!chunk) return;
    view.b.dispatch({
      selection: EditorSelection.range(chunk.fromB, chunk.endB),
      effects: EditorView.scrollIntoView(chunk.fromB, { y: 'center' }),
    });
  };
  const current = () => {
    const { head } = view.b.state.selection.main;
    return view.chunks.findIndex(({ fromB, toB }) => fromB <= head && head <= toB);
  };

  goTo(0);
  return {
    text: () => view.b.state.doc.toString(),
    differences: () => view.chunks.length,
    previous() {
      const { from } = view.b.state.selection.main;
      const before = view.chunks.findLastIndex(({ endB, fromB }) => endB < from || fromB < from);
      goTo(before === -1 ? view.chunks.length - 1 : before);
    },
    next() {
      const here = current();
      const { head } = view.b.state.selection.main;
      const after = here === -1 ? view.chunks.findIndex(({ fromB }) => fromB > head) : here + 1;
      goTo(after === -1 || after >= view.chunks.length ? 0 : after);
    },
    takeTheirs() {
      const index = Math.max(0, current());
      const chunk = view.chunks.at(index);
      if (!chunk) return;
      const { fromA, toA, fromB, toB } = chunk;
      const { doc } = view.a.state;
      // As the library's own buttons do: a chunk may end one past the text.
      let insert = doc.sliceString(fromA, Math.max(fromA, toA - 1));
      if (fromA !== toA && toB <= view.b.state.doc.length) insert += '\n';
      view.b.dispatch({
        changes: { from: fromB, to: Math.min(view.b.state.doc.length, toB), insert },
        userEvent: 'revert',
      });
      goTo(Math.min(index, view.chunks.length - 1));
    },
    onChange(listener) {
      tell = listener;
    },
    destroy: () => view.destroy(),
  };
}
