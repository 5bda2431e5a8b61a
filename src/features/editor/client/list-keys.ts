import { indentLess, indentMore } from '@codemirror/commands';
import type { Command, EditorView } from '@codemirror/view';
import { deeperIndent, indentOf, isListItem, shallowerIndent } from './lines.ts';

/** How many lines above an item to search for its parent item. */
const LINES_ABOVE = 200;

/** Nests the selected list items under the item before them. Outside a list, indents. */
export const indentItems: Command = (view) => moveItems(view, deeperIndent) || tab(view);

/** Moves the selected list items out to the level of their parent. Outside a list, outdents. */
export const outdentItems: Command = (view) => moveItems(view, shallowerIndent) || indentLess(view);

/** @returns whether the selection begins in a list */
function moveItems(
  view: EditorView,
  indentFor: (line: string, before: string[]) => number | undefined,
): boolean {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const first = doc.lineAt(from);
  if (!isListItem(first.text)) return false;
  const before: string[] = [];
  for (let number = Math.max(1, first.number - LINES_ABOVE); number < first.number; number++) {
    before.push(doc.line(number).text);
  }
  const step = (indentFor(first.text, before) ?? indentOf(first.text)) - indentOf(first.text);
  const changes = [];
  for (let number = first.number; number <= doc.lineAt(to).number; number++) {
    const line = doc.line(number);
    if (line.text.trim() === '') continue;
    const end = line.from + (/^[ \t]*/.exec(line.text)?.[0].length ?? 0);
    const insert = ' '.repeat(Math.max(0, indentOf(line.text) + step));
    changes.push({ from: line.from, to: end, insert });
  }
  if (step !== 0) view.dispatch({ changes, userEvent: 'input.indent', scrollIntoView: true });
  return true;
}

const tab: Command = (view) => {
  if (!view.state.selection.main.empty) return indentMore(view);
  view.dispatch(view.state.replaceSelection('  '), { userEvent: 'input', scrollIntoView: true });
  return true;
};
