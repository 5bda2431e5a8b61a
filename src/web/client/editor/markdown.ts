import {
  deleteMarkupBackward,
  insertNewlineContinueMarkup,
  markdownLanguage,
  pasteURLAsLink,
} from '@codemirror/lang-markdown';
import { type Extension, Prec } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { blockMenu } from './blocks.ts';
import { FORMAT_KEYS } from './format.ts';
import { indentItems, outdentItems } from './list-keys.ts';
import { newRow, nextCell, previousCell } from './table-keys.ts';
import { chooseFiles, uploads } from './uploads.ts';

/**
 * Writing Markdown: its language (without the one of HTML within it, which weighs more than all the
 * rest), lists that go on, tables, blocks, links, files.
 */
export function markdownExtensions(): Extension {
  return [
    markdownLanguage,
    pasteURLAsLink,
    blockMenu(chooseFiles),
    uploads(),
    Prec.high(
      keymap.of([
        ...FORMAT_KEYS,
        { key: 'Enter', run: newRow },
        { key: 'Enter', run: insertNewlineContinueMarkup },
        { key: 'Backspace', run: deleteMarkupBackward },
      ]),
    ),
    keymap.of([
      { key: 'Tab', run: nextCell, shift: previousCell },
      { key: 'Tab', run: indentItems, shift: outdentItems },
    ]),
  ];
}
