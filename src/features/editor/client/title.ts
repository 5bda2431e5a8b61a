import { redo, undo } from '@codemirror/commands';
import {
  ChangeSet,
  type ChangeSpec,
  type EditorState,
  type Extension,
  Prec,
  type Range,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  runScopeHandlers,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { difference } from './edits.ts';
import { hiddenLines } from './hidden-lines.ts';
import type { Parts } from './settings.ts';

/** The heading that begins a text, as positions in it. */
export interface Heading {
  from: number;
  /** Where its words begin and end. */
  wordsFrom: number;
  wordsTo: number;
  /** The end of its lines. */
  to: number;
  /** The same, or the end of the empty line below it, if the text goes on after that. */
  end: number;
}

const MARK = /^ {0,3}#[ \t]+/;
const UNDERLINE = /^ {0,3}=+[ \t]*$/;
/** How far down front matter can end, and the heading can be, in lines. */
const MAX_LINES = 200;
const EMPTY = 'Write, or type / for headings, tables, images …';

/** Returns the number of the first line after front matter; one too many if nothing is there. */
function firstLine(doc: Text): number {
  const isBegun =
    doc.lines > 2 && doc.line(1).text === '---' && /^[^\s#:][^:]*:/.test(doc.line(2).text);
  for (let number = 3; isBegun && number <= Math.min(doc.lines, MAX_LINES); number++) {
    if (doc.line(number).text === '---') return number + 1;
  }
  return 1;
}

/** Returns the heading of level 1 that a text begins with, after front matter and empty lines. */
export function headingOf(doc: Text): Heading | undefined {
  let number = firstLine(doc);
  const last = Math.min(doc.lines, number + MAX_LINES);
  while (number <= last && doc.line(number).text.trim() === '') number++;
  if (number > last) return undefined;
  const { from, to: wordsTo, text } = doc.line(number);
  const next = number < doc.lines ? doc.line(number + 1) : undefined;
  const isUnderlined = next !== undefined && UNDERLINE.test(next.text);
  const mark = MARK.exec(text) ?? (isUnderlined && /^\w/.test(text) ? [''] : undefined);
  if (!mark) return undefined;
  const ends = mark[0] === '' ? number + 1 : number;
  const hasGap = ends + 1 < doc.lines && doc.line(ends + 1).text.trim() === '';
  const { to: end } = doc.line(hasGap ? ends + 1 : ends);
  return { from, wordsFrom: from + mark[0].length, wordsTo, to: doc.line(ends).to, end };
}

/** Says in an empty text what one can do. */
class Hint extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const hint = document.createElement('span');
    hint.className = 'cm-placeholder';
    hint.setAttribute('aria-hidden', 'true');
    hint.textContent = EMPTY;
    return hint;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

interface Title {
  /** Whether the field shows the heading instead of the text. */
  isShown: boolean;
  heading: Heading | undefined;
  decorations: DecorationSet;
}

const setShown = StateEffect.define<boolean>();

function titleOf({ doc }: EditorState, isShown: boolean): Title {
  const heading = headingOf(doc);
  const start = heading ? heading.end + 1 : 0;
  const ranges: Range<Decoration>[] = [];
  if (isShown && heading) {
    // Without a line below it, the caret needs this one.
    const block = start <= doc.length;
    ranges.push(Decoration.replace({ block }).range(heading.from, heading.end));
  }
  if (doc.length <= start && (isShown || doc.length === 0)) {
    ranges.push(Decoration.widget({ widget: new Hint(), side: 1 }).range(doc.length));
  }
  return { isShown, heading, decorations: Decoration.set(ranges) };
}

const title = StateField.define<Title>({
  create: (state) => titleOf(state, false),
  update(value, { state, docChanged, effects }) {
    const asked = effects.find((effect) => effect.is(setShown));
    if (!docChanged && !asked) return value;
    return titleOf(state, asked ? asked.value : value.isShown);
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

/** Returns the heading that the field shows, if it does. */
function shownHeading(state: EditorState): Heading | undefined {
  const { isShown, heading } = state.field(title);
  return isShown ? heading : undefined;
}

/** Returns where the text begins, below the heading. */
function bodyStart(state: EditorState): number {
  const { heading } = state.field(title);
  if (heading) return Math.min(heading.end + 1, state.doc.length);
  const { doc } = state;
  const number = firstLine(doc);
  return number > doc.lines ? doc.length : doc.line(number).from;
}

/** The field above the text, which is a view of the text's first heading. */
export interface TitleField {
  extension: Extension;
  /** Puts the field above the text. */
  connect(view: EditorView): void;
  /** Puts the caret into the field of an empty text, else into the text. */
  focus(view: EditorView): void;
}

/**
 * Creates the field for the title. It writes into the text, as typing there would, and shows what the
 * text says. It is hidden, and the heading in the text, while the source is shown or changes are
 * suggested.
 */
export function createTitle({ form, settings }: Parts): TitleField {
  const field = document.createElement('textarea');
  field.className = 'title-field';
  field.rows = 1;
  field.placeholder = 'Title';
  field.setAttribute('aria-label', 'Title');
  field.autocomplete = 'off';
  const panes = form.querySelector<HTMLElement>('.panes');
  /** The words of the heading that the field began from. */
  let shown = '';
  let isComposing = false;
  /** Whether the caret has just come into an empty text with Enter. */
  let hasEntered = false;

  const isWanted = () =>
    panes?.dataset.shows === 'write' && form.dataset.mode !== 'suggesting' && !settings.isProposal;

  function wordsOf(state: EditorState): string {
    const { heading } = state.field(title);
    return heading ? state.sliceDoc(heading.wordsFrom, heading.wordsTo) : '';
  }

  /** Shows what the text says, and keeps the caret between the same letters. */
  function read(view: EditorView): void {
    if (isComposing) return;
    shown = wordsOf(view.state);
    const { value, selectionStart, selectionEnd } = field;
    if (value !== shown) {
      const moved = ChangeSet.of(difference(value, shown), value.length);
      field.value = shown;
      // What somebody else begins behind a word that is being typed isn't in it.
      const [start, end] = [moved.mapPos(selectionStart), moved.mapPos(selectionEnd)];
      if (document.activeElement === field) field.setSelectionRange(start, end);
      layOut(view);
    }
  }

  /** Writes what was typed in the field into the text, beside what others did there meanwhile. */
  function write(view: EditorView): void {
    // Who types or pastes Markdown here gets what they mean.
    const typed = field.value.replace(/\s*\n\s*/g, ' ').replace(/^#+[ \t]+/, '');
    const { state } = view;
    const now = wordsOf(state);
    const theirs = ChangeSet.of(difference(shown, now), shown.length);
    const own = ChangeSet.of(difference(shown, typed), shown.length).map(theirs, true);
    const words = own.apply(state.toText(now)).toString();
    if (words !== now) {
      const changes = state.changes(titleChange(state, now, words));
      const { anchor, head } = state.selection.main;
      // The caret stays in the text below.
      const selection = { anchor: changes.mapPos(anchor, 1), head: changes.mapPos(head, 1) };
      view.dispatch({ changes, selection, userEvent: 'input.type' });
    }
    read(view);
  }

  /** Goes on below the title. Makes an empty line between them if nothing is there. */
  function goOn(view: EditorView): void {
    const { state } = view;
    const { heading } = state.field(title);
    const rest = heading ? state.sliceDoc(heading.to) : '\n\n';
    const insert = heading && rest.trim() === '' ? '\n\n'.slice(rest.length) : '';
    const { length } = state.doc;
    const anchor = insert === '' ? bodyStart(state) : length + insert.length;
    view.dispatch({
      changes: { from: length, insert },
      selection: { anchor },
      scrollIntoView: true,
    });
    view.focus();
  }

  function edit(view: EditorView, at = field.value.length): boolean {
    view.scrollDOM.scrollTop = 0;
    field.focus();
    field.setSelectionRange(at, at);
    return true;
  }

  function layOut(view: EditorView): void {
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight}px`;
    view.scrollDOM.style.setProperty('--title', `${field.offsetHeight}px`);
    view.requestMeasure();
  }

  let place = '';
  /** Puts the field where the text is, which comments beside it move. */
  const placing = {
    key: field,
    read: ({ contentDOM }: EditorView) => [contentDOM.offsetLeft, contentDOM.offsetWidth] as const,
    write([left, width]: readonly [number, number], view: EditorView) {
      if (place === `${left} ${width}`) return;
      place = `${left} ${width}`;
      view.scrollDOM.style.setProperty('--text-left', `${left}px`);
      view.scrollDOM.style.setProperty('--text-width', `${width}px`);
      if (!field.hidden) layOut(view);
    },
  };

  /** The caret has come into the heading, which the field shows. */
  function follow({ view, state, selectionSet, docChanged }: ViewUpdate): void {
    const heading = shownHeading(state);
    const { head, empty } = state.selection.main;
    const isInside = heading && empty && head >= heading.from && head <= heading.end;
    if (!heading || !isInside || !(selectionSet || docChanged) || !view.hasFocus) return;
    edit(view, head > heading.wordsTo ? undefined : Math.max(0, head - heading.wordsFrom));
    const anchor = bodyStart(state);
    if (anchor > heading.end) queueMicrotask(() => view.dispatch({ selection: { anchor } }));
  }

  const isAtStart = (view: EditorView) => {
    const { state } = view;
    const { head, empty } = state.selection.main;
    return state.field(title).isShown && empty && head === bodyStart(state);
  };
  const isOnFirstRow = (view: EditorView) => {
    const { state } = view;
    const { head, empty } = state.selection.main;
    if (!state.field(title).isShown || !empty) return false;
    const first = view.coordsAtPos(bodyStart(state));
    const here = view.coordsAtPos(head);
    return first !== null && here !== null && here.top < first.bottom;
  };
  const back = (view: EditorView) =>
    isAtStart(view) && shownHeading(view.state) !== undefined && edit(view);
  const keys = keymap.of([
    { key: 'Backspace', run: back },
    { key: 'Mod-Backspace', run: back },
    { key: 'ArrowUp', run: (view) => isOnFirstRow(view) && edit(view) },
    {
      key: 'Enter',
      run(view) {
        // In Markdown, an empty line is below a heading: it is there already.
        const isThere = hasEntered && isAtStart(view);
        hasEntered = false;
        return isThere;
      },
    },
  ]);

  function listen(view: EditorView): void {
    field.addEventListener('compositionstart', () => {
      isComposing = true;
    });
    field.addEventListener('compositionend', () => {
      isComposing = false;
      write(view);
    });
    field.addEventListener('input', () => {
      if (!isComposing) write(view);
      layOut(view);
    });
    field.addEventListener('paste', (event) => {
      const { clipboardData } = event;
      const words = clipboardData?.getData('text/plain').trim() ?? '';
      if (!words.includes('\n') && !(words === '' && clipboardData?.files.length)) return;
      // More than a title goes into the text, where a heading that begins it becomes the title.
      event.preventDefault();
      goOn(view);
      const init = { clipboardData, bubbles: true, cancelable: true };
      view.contentDOM.dispatchEvent(new ClipboardEvent('paste', init));
    });
    field.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      const isCommand = event.ctrlKey || event.metaKey;
      const key = isCommand ? `Mod-${event.key.toLowerCase()}` : event.key;
      const isBelow = field.selectionEnd === field.value.length || field.value.length < 30;
      if (key === 'Mod-z' && !event.altKey) (event.shiftKey ? redo : undo)(view);
      else if (key === 'Mod-y') redo(view);
      else if (key === 'Enter' || (key === 'ArrowDown' && isBelow)) {
        goOn(view);
        hasEntered = key === 'Enter' && view.state.sliceDoc(bodyStart(view.state)) === '';
      } else if (!(isCommand && event.altKey) && key !== 'Mod-f') return;
      else if (!runScopeHandlers(view, event, 'editor')) return;
      event.preventDefault();
    });
  }

  return {
    extension: [
      title,
      hiddenLines.of(shownHeading),
      Prec.highest(keys),
      EditorView.contentAttributes.of({ 'aria-placeholder': EMPTY }),
      EditorView.updateListener.of((update) => {
        update.view.requestMeasure(placing);
        if (update.docChanged || update.selectionSet) hasEntered = false;
        if (update.docChanged) {
          read(update.view);
          form.toggleAttribute('data-empty', update.state.doc.length === 0);
        }
        follow(update);
      }),
    ],
    connect(view) {
      const show = () => {
        const isShown = isWanted();
        const { heading } = view.state.field(title);
        const { anchor, head } = view.state.selection.main;
        const isInside = isShown && heading && head >= heading.from && head <= heading.end;
        const start = isInside ? bodyStart(view.state) : undefined;
        field.hidden = !isShown;
        view.dispatch({
          effects: setShown.of(isShown),
          selection: { anchor: start ?? anchor, head: start ?? head },
        });
        if (isShown) {
          read(view);
          layOut(view);
        } else view.scrollDOM.style.removeProperty('--title');
      };
      view.scrollDOM.prepend(field);
      const templates = form.querySelector('#template-row');
      if (templates) view.scrollDOM.append(templates);
      form.toggleAttribute('data-empty', view.state.doc.length === 0);
      listen(view);
      panes?.addEventListener('paneschanged', show);
      form.addEventListener('modechanged', show);
      show();
    },
    focus(view) {
      if (field.isConnected && !field.hidden && view.state.doc.length === 0) edit(view);
      else view.focus();
    },
  };
}

/** Returns the change that gives a text another title: of the heading's words, or of a whole heading. */
function titleChange(state: EditorState, before: string, after: string): ChangeSpec {
  const { heading } = state.field(title);
  if (!heading) {
    const from = bodyStart(state);
    const isOnLine = from === 0 || state.sliceDoc(from - 1, from) === '\n';
    return { from, insert: `${isOnLine ? '' : '\n\n'}# ${after}\n\n` };
  }
  if (after === '') {
    return { from: heading.from, to: Math.min(heading.end + 1, state.doc.length) };
  }
  const { from, to, insert } = difference(before, after);
  return { from: from + heading.wordsFrom, to: to + heading.wordsFrom, insert };
}
