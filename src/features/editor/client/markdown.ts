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
import { richPaste } from './paste/rich-paste.ts';
import { newRow, nextCell, previousCell } from './table-keys.ts';
import { chooseFiles, uploads } from './uploads.ts';

/**
 * Returns the extensions for Markdown: the language, list continuation, tables, blocks, links,
 * files, rich text. Leaves out the language of embedded HTML, which is larger than all the rest.
 */
export function markdownExtensions(): Extension {
  return [
    markdownLanguage,
    pasteURLAsLink,
    blockMenu(chooseFiles),
    uploads(),
    richPaste(),
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
