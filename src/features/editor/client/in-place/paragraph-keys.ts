import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type Line } from '@codemirror/state';
import { type Command, EditorView, ViewPlugin } from '@codemirror/view';
import { isListItem } from '../lines.ts';
import { JOINED_BY_UNDO } from '../source.ts';
import { cellRanges } from '../table.ts';
import { isInVerbatimBlock } from '../verbatim.ts';
import { isGap } from './lines.ts';

/** Quote marks and markers of list items before a line's text. */
const PREFIX = /^((?:[ \t]*>[ \t]?)*[ \t]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)/;
/** What the next line would go on with, if no blank line were between them. */
const GOES_ON = /^(?:Paragraph|Table|SetextHeading\d)$/;

/** Returns the block whose text a line begins with, or ends with. */
function blockOf(state: EditorState, { from, to, text }: Line, atEnd = false): string {
  const at = atEnd ? to : from + text.length - text.trimStart().length;
  let name = '';
  for (
    let node = syntaxTree(state).resolveInner(at, atEnd ? -1 : 1);
    node.parent;
    node = node.parent
  ) {
    if (/^(?:Paragraph|Table|(?:ATX|Setext)Heading\d)$/.test(node.name)) return node.name;
    ({ name } = node);
  }
  return name;
}

/** Tells whether the cursor is right after a block of code or a formula that is closed. */
function isAfterBlock(state: EditorState): boolean {
  const { head } = state.selection.main;
  for (let node = syntaxTree(state).resolveInner(head, -1); node.parent; node = node.parent) {
    const { name, to } = node;
    if (name === 'FencedCode') return to === head && node.getChildren('CodeMark').length === 2;
    if (name === 'FormulaBlock' || name === 'FrontMatter') return to === head;
  }
  return false;
}

/** Begins a paragraph: the blank line before it is in the source. In an empty one, adds a line. */
export const newParagraph: Command = (view) => {
  const { state } = view;
  if (isInVerbatimBlock(state) && !isAfterBlock(state)) return false;
  const changes = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from);
    const end = state.doc.lineAt(range.to);
    const after = state.sliceDoc(range.to, end.to);
    const to = range.to + after.length - after.trimStart().length;
    const insert = line.text.trim() === '' ? '\n' : '\n\n';
    return {
      changes: { from: range.from, to, insert },
      range: EditorSelection.cursor(range.from + insert.length),
    };
  });
  view.dispatch(changes, { userEvent: 'input', scrollIntoView: true });
  return true;
};

/** Begins a paragraph of a quote. On an empty line, ends the quote. */
export const quoteParagraph: Command = (view) => {
  const { state } = view;
  const { doc } = state;
  const { from, to, empty } = state.selection.main;
  const line = doc.lineAt(from);
  const [marks = ''] = /^(?:[ \t]*>[ \t]?)+/.exec(line.text) ?? [];
  const text = line.text.slice(marks.length).trim();
  const isIn = marks !== '' && empty && from - line.from >= marks.length;
  if (!isIn || isInVerbatimBlock(state) || isListItem(text) || /^\[!\w+\]$/.test(text))
    return false;
  const above = line.number > 1 ? doc.line(line.number - 1) : line;
  const isEnd = text === '' && above.text.startsWith('>');
  const spaces = /[ \t]*$/.exec(line.text.slice(marks.length, from - line.from))?.[0].length ?? 0;
  const begin = /^[\s>]*$/.test(above.text) ? above.from : line.from;
  const start = isEnd ? begin : from - spaces;
  const insert = isEnd ? '\n' : `\n${marks.trimEnd()}\n${marks}`;
  view.dispatch({
    changes: { from: start, to: isEnd ? line.to : to, insert },
    selection: { anchor: start + insert.length },
    userEvent: 'input',
    scrollIntoView: true,
  });
  return true;
};

/** Breaks the line within a paragraph, which in the source takes a backslash. */
export const breakLine: Command = (view) => {
  const { state } = view;
  if (isInVerbatimBlock(state)) return false;
  const changes = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from);
    const [written = '', lead = '', marker = ''] = PREFIX.exec(line.text) ?? [];
    const isText = range.from - line.from > written.length && !/^ATX/.test(blockOf(state, line));
    const insert = isText ? `\\\n${lead}${' '.repeat(marker.length)}` : '\n';
    return {
      changes: { from: range.from, to: range.to, insert },
      range: EditorSelection.cursor(range.from + insert.length),
    };
  });
  view.dispatch(changes, { userEvent: 'input', scrollIntoView: true });
  return true;
};

/** Joins what a blank line parts: with one key, as one key parted it. */
function join(isBackward: boolean): Command {
  return (view) => {
    const { state } = view;
    const { doc } = state;
    const { head, empty } = state.selection.main;
    const line = doc.lineAt(head);
    if (!empty || head !== (isBackward ? line.from : line.to)) return false;
    const step = isBackward ? -1 : 1;
    const [first, last] = [line.number + 2 * step, line.number].toSorted((a, b) => a - b);
    if (first === undefined || last === undefined || first < 1 || last > doc.lines) return false;
    const [above, gap, below] = [doc.line(first), doc.line(first + 1), doc.line(last)];
    const before = blockOf(state, above, true);
    if (!isGap(state, gap)) return false;
    if (isBackward && before === 'Table') {
      const anchor = above.from + (cellRanges(above.text).at(-1)?.to ?? 0);
      view.dispatch({ selection: { anchor }, userEvent: 'select' });
      return true;
    }
    const isText = below.text.trim() === '' || blockOf(state, below) === 'Paragraph';
    if (!isText || !/^(?:Paragraph|ATXHeading\d)$/.test(before)) return false;
    view.dispatch({
      changes: { from: above.to, to: below.from },
      selection: { anchor: above.to },
      userEvent: isBackward ? 'delete.backward' : 'delete.forward',
      scrollIntoView: true,
    });
    return true;
  };
}

export const joinBackward = join(true);
export const joinForward = join(false);

/** Tells whether a line is empty, and what is typed there would go on with the text above it. */
function isBare(state: EditorState, { text, number }: Line): boolean {
  if (text.trim() !== '' || number === 1 || isInVerbatimBlock(state)) return false;
  const above = state.doc.line(number - 1);
  const isText = above.text.trim() !== '' && !above.text.endsWith('\\');
  return isText && GOES_ON.test(blockOf(state, above, true));
}

/**
 * Typing on an empty line begins a paragraph, because it looks like one: without a blank line, Markdown would
 * go on with what is above it.
 */
export const paragraphOnEmptyLine = EditorView.inputHandler.of((view, from, to, text) => {
  if (from !== to || text === '' || view.compositionStarted) return false;
  const { state } = view;
  const { doc } = state;
  const line = doc.lineAt(from);
  if (!isBare(state, line)) return false;
  const below = line.number < doc.lines ? doc.line(line.number + 1).text : '';
  const insert = `\n${text}${below.trim() === '' ? '' : '\n'}`;
  view.dispatch({
    changes: { from: line.from, to: line.to, insert },
    selection: { anchor: line.from + 1 + text.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
});

/** The same for what is composed, as soon as it is: no key comes before. Until then, nothing may be changed there. */
export const paragraphOfComposed = ViewPlugin.define((view) => {
  /** The line that one composes on, if what is above it would go on there. */
  let start: number | undefined;
  const begin = () => {
    const line = view.state.doc.lineAt(view.state.selection.main.head);
    start = isBare(view.state, line) ? line.from : undefined;
  };
  const end = () =>
    // Once the editor has read what was composed.
    queueMicrotask(() => {
      const from = start;
      start = undefined;
      if (from === undefined || view.state.doc.lineAt(from).text.trim() === '') return;
      view.dispatch({ changes: { from, insert: '\n' }, userEvent: JOINED_BY_UNDO });
    });
  // On phones, the editor hears of it here.
  const { editContext } = view.contentDOM as { editContext?: EventTarget | null };
  const source = editContext ?? view.contentDOM;
  source.addEventListener('compositionstart', begin);
  source.addEventListener('compositionend', end);
  return {
    update({ changes }) {
      if (start !== undefined) start = changes.mapPos(start, -1);
    },
    destroy() {
      source.removeEventListener('compositionstart', begin);
      source.removeEventListener('compositionend', end);
    },
  };
});

/** Goes up or down past the lines that only part paragraphs. */
function goPast(isDown: boolean, isSelecting: boolean): Command {
  return (view) => {
    const { state } = view;
    const { main } = state.selection;
    const once = view.moveVertically(main, isDown);
    if (!isGap(state, state.doc.lineAt(once.head))) return false;
    const { head, goalColumn } = view.moveVertically(once, isDown);
    const range = isSelecting
      ? EditorSelection.range(main.anchor, head, goalColumn)
      : EditorSelection.cursor(head, undefined, undefined, goalColumn);
    view.dispatch({ selection: range, userEvent: 'select', scrollIntoView: true });
    return true;
  };
}

export const past = {
  up: goPast(false, false),
  down: goPast(true, false),
  selectUp: goPast(false, true),
  selectDown: goPast(true, true),
};
