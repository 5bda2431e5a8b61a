import { indentLess, indentMore } from '@codemirror/commands';
import { deleteMarkupBackward, pasteURLAsLink } from '@codemirror/lang-markdown';
import { type Extension, Prec } from '@codemirror/state';
import { type Command, type EditorView, keymap } from '@codemirror/view';
import { blockMenu } from './blocks.ts';
import { FORMAT_KEYS } from './format.ts';
import { briefLanguage } from './language.ts';
import { deeperIndent, indentOf, isListItem, shallowerIndent } from './lines.ts';
import { nextItem, typedMarkers } from './list-keys.ts';
import { richPaste } from './paste/rich-paste.ts';
import { newRow, nextCell, previousCell } from './table-keys.ts';
import { chooseFiles, uploads } from './uploads.ts';

/** How many lines above an item to search for its parent item. */
const LINES_ABOVE = 200;

/** Nests the selected list items under the item before them. Outside a list, indents. */
const indentItems: Command = (view) => moveItems(view, deeperIndent) || tab(view);

/** Moves the selected list items out to the level of their parent. Outside a list, outdents. */
const outdentItems: Command = (view) => moveItems(view, shallowerIndent) || indentLess(view);

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

/**
 * Returns the extensions for Markdown: the language, list continuation, tables, blocks, links,
 * files, rich text. Leaves out the language of embedded HTML, which is larger than all the rest.
 */
export function markdownExtensions(ownerOf: () => string): Extension {
  return [
    briefLanguage,
    pasteURLAsLink,
    blockMenu(chooseFiles, ownerOf),
    typedMarkers(),
    uploads(),
    richPaste(),
    Prec.high(
      keymap.of([
        ...FORMAT_KEYS,
        { key: 'Enter', run: newRow },
        { key: 'Enter', run: nextItem },
        { key: 'Backspace', run: deleteMarkupBackward },
      ]),
    ),
    keymap.of([
      { key: 'Tab', run: nextCell, shift: previousCell },
      { key: 'Tab', run: indentItems, shift: outdentItems },
    ]),
  ];
}
