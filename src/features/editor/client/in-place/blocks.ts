import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Extension, Prec, type Range, StateField } from '@codemirror/state';
import {
  type BlockInfo,
  BlockType,
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  WidgetType,
} from '@codemirror/view';
import { othersCarets } from '../others.ts';
import { suggestedIn } from '../suggestion-marks.ts';
import { cellRanges } from '../table.ts';
import { type CellMark, Grid } from './grid.ts';
import { renderInto } from './rendered.ts';
import { hasTouched, isTouched } from './touched.ts';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** A formula or diagram of its own lines. */
class Drawing extends WidgetType {
  readonly source: string;
  readonly isDiagram: boolean;

  constructor(source: string, isDiagram: boolean) {
    super();
    this.source = source;
    this.isDiagram = isDiagram;
  }

  override eq({ source }: Drawing): boolean {
    return source === this.source;
  }

  override get estimatedHeight(): number {
    return this.isDiagram ? 240 : 70;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement('div');
    frame.className = 'cm-drawing prose';
    frame.addEventListener('contentadded', () => view.requestMeasure());
    frame.addEventListener('mousedown', (event) => {
      if ((event.target as Element).closest('summary, details')) return;
      event.preventDefault();
      openBlock(view, frame);
    });
    this.show(frame, view);
    return frame;
  }

  override updateDOM(frame: HTMLElement, view: EditorView): boolean {
    if (frame.classList.contains('cm-diagram') !== this.isDiagram || !frame.matches('.cm-drawing'))
      return false;
    this.show(frame, view);
    return true;
  }

  private show(frame: HTMLElement, view: EditorView): void {
    frame.classList.toggle('cm-diagram', this.isDiagram);
    if (!this.isDiagram) {
      if (frame.childElementCount === 0) frame.replaceChildren(sourceOf(this.source));
      renderInto(frame, this.source, () => view.requestMeasure());
      return;
    }
    const source = sourceOf(this.source.replace(/^.*\n/, '').replace(/\n[^\n]*$/, ''));
    source.className = 'mermaid-source';
    source.dataset.diagram = 'mermaid';
    // The picture of the last version stays until this one is drawn.
    const before = frame.querySelector('pre');
    if (before) before.replaceWith(source);
    else frame.append(source);
    requestAnimationFrame(() =>
      frame.dispatchEvent(new CustomEvent('contentadded', { bubbles: true })),
    );
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function sourceOf(text: string): HTMLElement {
  const source = document.createElement('pre');
  const code = document.createElement('code');
  code.textContent = text;
  source.append(code);
  return source;
}

/** Puts the caret into the source of a block that is drawn. */
function openBlock(view: EditorView, frame: HTMLElement): void {
  const at = view.posAtDOM(frame);
  const block = drawnAt(view.state, at);
  if (!block) return;
  const { doc } = view.state;
  const first = doc.lineAt(block.from);
  const inside = first.to < block.to ? first.to + 1 : block.from;
  view.dispatch({ selection: { anchor: inside }, scrollIntoView: true, userEvent: 'select' });
  view.focus();
}

function drawnAt(state: EditorState, at: number): { from: number; to: number } | undefined {
  let found: { from: number; to: number } | undefined;
  syntaxTree(state).iterate({
    from: at,
    to: at,
    enter({ name, node }) {
      if (name === 'Document') return true;
      if (drawingOf(state, node)) found = node;
      return false;
    },
  });
  return found;
}

/** Returns what draws a block, if something does. */
function drawingOf(state: EditorState, node: SyntaxNode): Drawing | undefined {
  if (node.name === 'FormulaBlock') return new Drawing(state.sliceDoc(node.from, node.to), false);
  if (node.name !== 'FencedCode') return undefined;
  const info = node.getChild('CodeInfo');
  const language = info ? state.sliceDoc(info.from, info.to).trim().toLowerCase() : '';
  const isWhole = node.getChildren('CodeMark').length === 2 && node.getChild('CodeText');
  if (!isWhole || (language !== 'mermaid' && language !== 'math')) return undefined;
  return new Drawing(state.sliceDoc(node.from, node.to), language === 'mermaid');
}

/** Returns which cells of a table a suggestion changes, and in which others write. */
function markedCells(state: EditorState, start: number, end: number): CellMark[] {
  const { doc } = state;
  const first = doc.lineAt(start).number;
  const cellAt = (at: number) => {
    const { number, text, from } = doc.lineAt(at);
    const column = cellRanges(text).findIndex((cell) => from + cell.to + 1 >= at);
    return { row: Math.max(0, number - first - 1), column };
  };
  const marks: CellMark[] = [];
  suggestedIn(state)?.between(start, end, (from, to) => {
    const isText = state.sliceDoc(from, to).trim() !== '' || from === to;
    if (isText) marks.push(cellAt(from));
  });
  for (const { username, head } of othersCarets(state))
    if (head >= start && head <= end) marks.push({ ...cellAt(head), writer: username });
  return marks;
}

/** Where a search has led. A table there shows its source, because cells don't show what is found in them. */
const searched = StateField.define<number | undefined>({
  create: () => undefined,
  update(value, transaction) {
    const { newSelection, selection, changes } = transaction;
    const isFound = ['select.search', 'input.replace'].some((each) =>
      transaction.isUserEvent(each),
    );
    if (isFound) return newSelection.main.head;
    return selection || value === undefined ? undefined : changes.mapPos(value);
  },
});

function drawnBlocks(state: EditorState): DecorationSet {
  const all: Range<Decoration>[] = [];
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    const from = state.doc.lineAt(node.from).from;
    if (node.name === 'Table') {
      const source = state.sliceDoc(from, node.to);
      // A text right below is a row, too, but nobody sees it as one.
      if (!source.split('\n').every((line) => line.includes('|'))) continue;
      const match = state.field(searched);
      if (match !== undefined && match >= from && match <= node.to) continue;
      const widget = new Grid(source, markedCells(state, from, node.to));
      all.push(Decoration.replace({ widget, block: true }).range(from, node.to));
      continue;
    }
    const widget = drawingOf(state, node);
    if (!widget) continue;
    all.push(
      isTouched(state, from, node.to)
        ? Decoration.widget({ widget, block: true, side: 1 }).range(node.to)
        : Decoration.replace({ widget, block: true }).range(from, node.to),
    );
  }
  return Decoration.set(all);
}

/**
 * Tables, formulas and diagrams. They come from a field of the state, because only then the editor knows
 * their heights before it draws.
 */
const drawn = StateField.define<DecorationSet>({
  create: drawnBlocks,
  update(value, transaction) {
    const { startState, state } = transaction;
    const isSame =
      syntaxTree(startState) === syntaxTree(state) &&
      suggestedIn(startState) === suggestedIn(state) &&
      othersCarets(startState) === othersCarets(state) &&
      startState.field(searched, false) === state.field(searched) &&
      !hasTouched(transaction);
    return isSame && !transaction.docChanged ? value : drawnBlocks(state);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Puts what is typed where the cursor is, also while that is within what is drawn: there the browser has its
 * caret above or below.
 */
const typedWithin = EditorView.inputHandler.of((view, from, _to, text) => {
  const { state } = view;
  const { head, empty } = state.selection.main;
  let isWithin = false;
  state.field(drawn).between(head, head, (start, end, { spec }) => {
    if (start < head && head < end && !spec.side) isWithin = true;
  });
  if (!isWithin || !empty || from === head || view.composing) return false;
  view.dispatch(state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
  return true;
});

/** Steps with an arrow key into what is drawn above or below, which the caret would jump over. */
function stepInto(isDown: boolean): Command {
  return (view) => {
    const { state } = view;
    const { main } = state.selection;
    const { head } = view.moveVertically(main, isDown);
    const here = view.lineBlockAt(main.head);
    const isWithin = head !== main.head && head >= here.from && head <= here.to;
    if (!main.empty || isWithin) return false;
    const after = ({ from, to }: BlockInfo) => {
      const at = isDown ? to + 1 : from - 1;
      return at < 0 || at > state.doc.length ? undefined : view.lineBlockAt(at);
    };
    let next = after(here);
    if (next && state.sliceDoc(next.from, next.to).trim() === '') next = after(next);
    if (next?.type !== BlockType.WidgetRange) return false;
    const anchor = isDown ? next.from : next.to;
    view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' });
    return true;
  };
}

export const stepDown = stepInto(true);
export const stepUp = stepInto(false);

export const blockLooks: Extension = [searched, drawn, Prec.high(typedWithin)];
