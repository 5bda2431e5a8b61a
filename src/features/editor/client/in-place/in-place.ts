import { type Extension, Prec } from '@codemirror/state';
import { type Command, EditorView, keymap } from '@codemirror/view';
import { blockLooks, stepDown, stepUp } from './blocks.ts';
import { dragging } from './drag.ts';
import { focusCells } from './grid.ts';
import { rowDown, rowUp } from './grid-menus.ts';
import { inlineLooks } from './inline.ts';
import { MOST_COLUMNS } from './lines.ts';
import { moveDown, moveUp } from './move-blocks.ts';
import {
  breakLine,
  joinBackward,
  joinForward,
  newParagraph,
  paragraphOfComposed,
  paragraphOnEmptyLine,
  past,
  quoteParagraph,
} from './paragraph-keys.ts';
import { touchedSource } from './touched.ts';
import './in-place.css';
import { tick } from './widgets.ts';

const first =
  (...commands: Command[]): Command =>
  (view) =>
    commands.some((command) => command(view));

/** Hanging indents: of the whole text, and of what its first line has before it. */
const INDENTS = EditorView.baseTheme(
  Object.fromEntries(
    Array.from({ length: MOST_COLUMNS + 1 }, (_, columns) => [
      [`& .cm-pad-${columns}`, { '--pad': `${columns * 0.6}em` }],
      [`& .cm-dent-${columns}`, { '--dent': `${columns * 0.6}em` }],
    ]).flat(),
  ),
);

/**
 * Shows Markdown as it will be read, except where the caret is. Decorates the text and nothing else: what is
 * typed is what is stored.
 */
export function inPlace(): Extension {
  return [
    EditorView.editorAttributes.of({ class: 'cm-in-place' }),
    INDENTS,
    touchedSource,
    blockLooks,
    inlineLooks,
    focusCells,
    paragraphOnEmptyLine,
    paragraphOfComposed,
    openLinks,
    dragging,
    // Before lists, which also go on with quotes.
    Prec.high(keymap.of([{ key: 'Enter', run: quoteParagraph }])),
    keymap.of([
      { key: 'Enter', run: newParagraph, shift: breakLine },
      { key: 'Mod-Enter', run: (view) => tick(view, view.state.selection.main.head) },
      { key: 'Backspace', run: joinBackward },
      { key: 'Delete', run: joinForward },
      { key: 'ArrowUp', run: first(stepUp, past.up), shift: past.selectUp },
      { key: 'ArrowDown', run: first(stepDown, past.down), shift: past.selectDown },
      { key: 'Alt-ArrowUp', run: first(rowUp, moveUp) },
      { key: 'Alt-ArrowDown', run: first(rowDown, moveDown) },
    ]),
  ];
}

/** Follows a link that is clicked with Ctrl, in a new tab. */
const openLinks = EditorView.domEventHandlers({
  mousedown({ ctrlKey, metaKey, target, clientX, clientY }, view) {
    if (!(ctrlKey || metaKey) || !(target as Element).closest('.cm-link')) return false;
    const at = view.posAtCoords({ x: clientX, y: clientY });
    if (at === null) return false;
    const { text, from } = view.state.doc.lineAt(at);
    const found = [...text.matchAll(/\]\(<?([^\s)>]+)|<?(https?:\/\/[^\s<>)]+)/g)].find(
      ({ index, 0: whole }) => from + index + whole.length >= at,
    );
    const address = found?.[1] ?? found?.[2];
    if (!address || !URL.canParse(address, location.href)) return false;
    const { href, protocol } = new URL(address, location.href);
    if (!/^(?:https?|mailto):$/.test(protocol)) return false;
    window.open(href, '_blank', 'noopener');
    return true;
  },
});
