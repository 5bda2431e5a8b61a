import { syntaxTree } from '@codemirror/language';
import {
  EditorSelection,
  type EditorState,
  type SelectionRange,
  type StateCommand,
} from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import { cycleHeading, type ListKind, toggleList, toggleQuote } from './lines.ts';
import { formatTable } from './table.ts';
import { headingOf } from './title.ts';

/** Adds a mark on both sides of the selection, or removes it. */
function toggleMark(mark: string): StateCommand {
  const size = mark.length;
  return ({ state, dispatch }) => {
    const changes = state.changeByRange((range) => {
      const text = state.sliceDoc(range.from, range.to);
      const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
      const from = range.from + before.length;
      const to = range.to - after.length;
      const isAround =
        state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark;
      if (isAround) {
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: EditorSelection.range(from - size, to - size),
        };
      }
      // Typing the mark's words has ended.
      if (range.empty && state.sliceDoc(to, to + size) === mark && isInside(state, to, mark)) {
        return { range: EditorSelection.cursor(to + size) };
      }
      if (inner.length > 2 * size && inner.startsWith(mark) && inner.endsWith(mark)) {
        const insert = inner.slice(size, -size);
        return {
          changes: { from, to, insert },
          range: EditorSelection.range(from, from + insert.length),
        };
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(from + size, to + size),
      };
    });
    dispatch(state.update(changes, { userEvent: 'input.format', scrollIntoView: true }));
    return true;
  };
}

/** Tells whether a mark that ends at or after a place begins before it in the same line. */
function isInside({ doc }: EditorState, at: number, mark: string): boolean {
  const { from, text } = doc.lineAt(at);
  return text.slice(0, at - from).split(mark).length % 2 === 0;
}

/** Rewrites the lines of each selection. */
function changeLines(rewrite: (lines: string[]) => string[]): StateCommand {
  return ({ state, dispatch }) => {
    const changes = state.changeByRange((range) => {
      const first = state.doc.lineAt(range.from);
      const last = state.doc.lineAt(range.to);
      const before = state.sliceDoc(first.from, last.to).split('\n');
      const lines = rewrite(before);
      const insert = lines.join('\n');
      const end = first.from + insert.length;
      // A cursor keeps its place in the text; a selection grows to whole lines.
      const grown = (lines.at(-1)?.length ?? 0) - (before.at(-1)?.length ?? 0);
      const cursor = Math.max(first.from, Math.min(end, range.head + (end - last.to || grown)));
      return {
        changes: { from: first.from, to: last.to, insert },
        range: range.empty
          ? EditorSelection.cursor(cursor)
          : EditorSelection.range(first.from, end),
      };
    });
    dispatch(state.update(changes, { userEvent: 'input.format', scrollIntoView: true }));
    return true;
  };
}

/** Below the title, headings begin with the second level. */
const heading: StateCommand = (target) => {
  const { doc, selection } = target.state;
  const title = headingOf(doc);
  const first = title && selection.main.from > title.to ? 2 : 1;
  return changeLines((lines) => lines.map((line) => cycleHeading(line, first)))(target);
};

const list = (kind: ListKind) => changeLines((lines) => toggleList(lines, kind));
const inlineCode = toggleMark('`');

/** Formats a word as inline code and several lines as a code block. */
const code: StateCommand = (target) => {
  const { from, to } = target.state.selection.main;
  const { doc } = target.state;
  if (doc.lineAt(from).number === doc.lineAt(to).number) return inlineCode(target);
  return changeLines((lines) => ['```', ...lines, '```'])(target);
};

const NEW_ADDRESS = 'https://';

/**
 * Handles the link command inside a link, because links can't nest: selects its address, or removes
 * a link that has no address yet and keeps its text.
 */
function linkAround(state: EditorState, { from, to }: SelectionRange) {
  const inner = syntaxTree(state).resolveInner(from, 1);
  let node: typeof inner | null = inner;
  while (node && node.name !== 'Link') node = node.parent;
  const address = node?.getChild('URL');
  if (!node || !address || to > node.to) return undefined;
  const isNew = state.sliceDoc(address.from, address.to) === NEW_ADDRESS;
  if (!isNew) return { range: EditorSelection.range(address.from, address.to) };
  const [, end] = node.getChildren('LinkMark');
  const text = state.sliceDoc(node.from + 1, end?.from);
  const { from: start } = node;
  return {
    changes: { from: start, to: node.to, insert: text },
    range: EditorSelection.range(start, start + text.length),
  };
}

/** Turns the selection into a link's text, or its address if it looks like one. */
const link: StateCommand = ({ state, dispatch }) => {
  const changes = state.changeByRange((range) => {
    const around = linkAround(state, range);
    if (around) return around;
    const text = state.sliceDoc(range.from, range.to);
    const isAddress = /^(?:https?:\/\/|mailto:)\S+$/.test(text);
    const insert = isAddress ? `[](${text})` : `[${text}](${NEW_ADDRESS})`;
    const at = range.from + (isAddress ? 1 : text.length + 3);
    const selected = isAddress
      ? EditorSelection.cursor(at)
      : EditorSelection.range(at, at + NEW_ADDRESS.length);
    return { changes: { from: range.from, to: range.to, insert }, range: selected };
  });
  dispatch(state.update(changes, { userEvent: 'input.format', scrollIntoView: true }));
  return true;
};

const table: StateCommand = ({ state, dispatch }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const rows = [
    ['Column', 'Column', 'Column'],
    ['', '', ''],
  ];
  const text = formatTable({ indent: '', alignments: ['none', 'none', 'none'], rows }).join('\n');
  const before = line.text.trim() === '' ? '' : '\n\n';
  const insert = `${before}${text}\n`;
  const start = line.to + before.length + 2;
  dispatch(
    state.update({
      changes: { from: line.to, insert },
      selection: { anchor: start, head: start + 'Column'.length },
      userEvent: 'input.format',
      scrollIntoView: true,
    }),
  );
  return true;
};

/** The toolbar's commands by name. */
export const FORMATS: Record<string, Command> = {
  bold: toggleMark('**'),
  italic: toggleMark('_'),
  code,
  link,
  heading,
  bullets: list('bullets'),
  numbers: list('numbers'),
  tasks: list('tasks'),
  quote: changeLines(toggleQuote),
  table,
};

/**
 * The keys of the commands. Ctrl K opens the palette everywhere (`palette-shortcut.ts`), so links
 * have Ctrl Shift K.
 */
export const FORMAT_KEYS = [
  { key: 'Mod-b', run: format('bold') },
  { key: 'Mod-i', run: format('italic') },
  { key: 'Mod-e', run: format('code') },
  { key: 'Mod-Shift-k', run: format('link') },
  { key: 'Mod-Shift-h', run: format('heading') },
  { key: 'Mod-Shift-8', run: format('bullets') },
  { key: 'Mod-Shift-7', run: format('numbers') },
  { key: 'Mod-Shift-9', run: format('tasks') },
  { key: 'Mod-Shift-.', run: format('quote') },
].map((binding) => ({ ...binding, preventDefault: true }));

function format(name: string): Command {
  return (view: EditorView) => FORMATS[name]?.(view) ?? false;
}
