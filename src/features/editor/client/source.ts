import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { indentUnit, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, dropCursor, EditorView, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { changes } from '../../../base/text/changes.ts';
import { onDemand } from './on-demand.ts';
import type { Source } from './session-types.ts';

/**
 * Adapts an editor's text to what a session needs.
 *
 * @param focus puts the caret where one writes
 */
export function sourceOf(view: EditorView, focus = () => view.focus()): Source {
  const get = () => view.state.doc.toString();
  return {
    get,
    set(text) {
      // Only differences change, so the cursor and the selection stay.
      view.dispatch({ changes: changes(get(), text) });
    },
    focus,
  };
}

/** The user event of a change that one undo takes back with the one before it. */
export const JOINED_BY_UNDO = 'input.type.compose';

const undoing = new Compartment();

/** Forgets what could be undone. */
export function forgetHistory(view: EditorView): void {
  view.dispatch({ effects: undoing.reconfigure([]) });
  view.dispatch({ effects: undoing.reconfigure(history()) });
}

/** Returns the extensions that all editors here need: history, keys, highlighting by class. */
export function sourceExtensions(nonce: string): Extension {
  return [
    EditorView.cspNonce.of(nonce),
    undoing.of(history()),
    drawSelection(),
    dropCursor(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(4),
    indentUnit.of('  '),
    syntaxHighlighting(classHighlighter),
    leaveByKeyboard,
    typeOverSelection,
    keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-i'), ...historyKeymap]),
  ];
}

/**
 * Replaces a selection with typed text. By default, Chromium copies the old text's look into a
 * style attribute, which the content security policy blocks with an error in the console.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || state.readOnly) return false;
    if (view.composing) return false;
    const insert = () =>
      state.update(state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    const handlers = state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

const LEAVE_WITHIN_MS = 2000;

/** Makes Tab leave the editor after Escape. */
const leaveByKeyboard = EditorView.domEventObservers({
  keydown({ key }, view) {
    if (key === 'Escape') view.setTabFocusMode(LEAVE_WITHIN_MS);
  },
});

/** Returns the extension for the search panel. Its code loads with the first search. */
export function searchOnDemand(): Extension {
  const search = new Compartment();
  const open = (view: EditorView): boolean => {
    void onDemand(import('./search.ts')).then((code) => {
      if (!code) return;
      view.dispatch({ effects: search.reconfigure(code.searchExtension()) });
      code.openSearchPanel(view);
    });
    return true;
  };
  return [search.of([]), Prec.low(keymap.of([{ key: 'Mod-f', run: open, preventDefault: true }]))];
}

/** Replaces a text area with an editor. The hidden text area stays in the form. */
export function replaceTextarea(
  textarea: HTMLTextAreaElement,
  text: string,
  extensions: Extension,
): EditorView {
  const label = textarea.labels[0]?.textContent ?? 'Text';
  const view = new EditorView({
    doc: text,
    extensions: [
      extensions,
      EditorView.contentAttributes.of({
        'aria-label': label,
        tabindex: '0',
        spellcheck: String(textarea.spellcheck),
        autocorrect: 'on',
        autocapitalize: 'sentences',
      }),
    ],
  });
  textarea.hidden = true;
  textarea.after(view.dom);
  keepCaretInSight(view);
  followKeyboard();
  for (const one of textarea.labels) one.addEventListener('click', () => view.focus());
  return view;
}

/** Scrolls to the caret if a notice or a keyboard takes the room where it was. */
function keepCaretInSight(view: EditorView): void {
  const { scrollDOM } = view;
  let height = scrollDOM.clientHeight;
  new ResizeObserver(() => {
    const before = height;
    height = scrollDOM.clientHeight;
    const { head } = view.state.selection.main;
    const { bottom = 0 } = view.coordsAtPos(head) ?? {};
    const at = bottom - scrollDOM.getBoundingClientRect().top;
    if (!view.hasFocus || at <= height || at > before) return;
    view.dispatch({ effects: EditorView.scrollIntoView(head, { y: 'end', yMargin: 16 }) });
  }).observe(scrollDOM);
}

/** The least height of a keyboard on the screen, in pixels. */
const KEYBOARD = 120;

/** Keeps the toolbar at the bottom above a phone's keyboard, which covers the page. */
function followKeyboard(): void {
  const seen = window.visualViewport;
  const { body } = document;
  const fit = () => {
    // While somebody zooms, they see less without a keyboard.
    const isCovered = seen !== null && seen.scale === 1 && innerHeight - seen.height > KEYBOARD;
    body.toggleAttribute('data-keyboard', isCovered);
    body.style.height = isCovered ? `${seen.height}px` : '';
    body.style.top = isCovered ? `${seen.offsetTop}px` : '';
  };
  for (const type of ['resize', 'scroll']) seen?.addEventListener(type, fit);
}
