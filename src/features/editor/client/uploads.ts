import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Transaction,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view';
import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';

/** Shows an upload in progress. It is a widget and not text, so drafts never contain it. */
class Placeholder extends WidgetType {
  readonly dom = document.createElement('span');

  constructor(name: string) {
    super();
    this.dom.className = 'upload';
    this.dom.textContent = `Uploading ${name}…`;
  }

  override eq(other: Placeholder): boolean {
    return other === this;
  }

  override toDOM(): HTMLElement {
    return this.dom;
  }

  show(name: string, share: number): void {
    this.dom.textContent = `Uploading ${name}, ${Math.round(100 * share)} %`;
  }
}

const begin = StateEffect.define<{ at: number; widget: Placeholder }>({
  map: ({ at, widget }, changes) => ({ at: changes.mapPos(at, 1), widget }),
});
const end = StateEffect.define<Placeholder>();

const placeholders = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(begin)) {
        const { at, widget } = effect.value;
        next = next.update({ add: [Decoration.widget({ widget, side: 1 }).range(at)] });
      } else if (effect.is(end)) {
        next = next.update({ filter: (_from, _to, { spec }) => spec.widget !== effect.value });
      }
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Counts how often the text or the caret has changed, except by uploads. */
const touches = StateField.define<number>({
  create: () => 0,
  update: (count, transaction) => (isTouch(transaction) ? count + 1 : count),
});

function isTouch(transaction: Transaction): boolean {
  const { docChanged, selection, startState } = transaction;
  if (transaction.isUserEvent('input.upload')) return false;
  return docChanged || (selection !== undefined && !selection.eq(startState.selection));
}

/** Takes files that are dropped beside the text or on the title, instead of which the browser would open them. */
const besideTheText = ViewPlugin.define((view) => {
  const take = (event: DragEvent) => {
    const { dataTransfer, defaultPrevented, type } = event;
    if (defaultPrevented || !dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    if (type !== 'drop') return;
    uploadFiles(view, dataTransfer.files);
    view.focus();
  };
  for (const type of ['dragover', 'drop'] as const) view.dom.addEventListener(type, take);
  return {
    destroy() {
      for (const type of ['dragover', 'drop'] as const) view.dom.removeEventListener(type, take);
    },
  };
});

/** Uploads pasted and dropped files, and inserts links where they were pasted or dropped. */
export function uploads(): Extension {
  return [
    placeholders,
    touches,
    besideTheText,
    EditorView.domEventHandlers({
      paste(event, view) {
        const { clipboardData } = event;
        // Spreadsheets and word processors add an image of copied text.
        if (!clipboardData?.files.length || clipboardData.getData('text/plain') !== '')
          return false;
        event.preventDefault();
        uploadFiles(view, clipboardData.files);
        return true;
      },
      drop(event, view) {
        const files = event.dataTransfer?.files;
        if (!files?.length) return false;
        event.preventDefault();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
        view.dispatch({ selection: { anchor: at } });
        uploadFiles(view, files);
        view.focus();
        return true;
      },
    }),
  ];
}

/** Opens a file picker and uploads the files to where the cursor is. */
export function chooseFiles(view: EditorView): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => {
    uploadFiles(view, input.files ?? []);
    view.focus();
  });
  input.click();
}

/** Uploads files and inserts a link to each at the cursor, which then follows the last link. */
export function uploadFiles(view: EditorView, files: Iterable<File>): void {
  for (const file of files) void upload(view, file);
}

/**
 * Uploads a picture of pasted text and inserts it at a place; its description if it isn't uploaded.
 */
export function uploadPicture(view: EditorView, file: File, description: string, at: number): void {
  void upload(view, file, { at, description });
}

async function upload(
  view: EditorView,
  file: File,
  inText?: { at: number; description: string },
): Promise<void> {
  const widget = new Placeholder(file.name);
  const begins = inText?.at ?? view.state.selection.main.to;
  view.dispatch({ effects: begin.of({ at: begins, widget }) });
  const before = view.state.field(touches);
  try {
    const { name, url, contentType } = await send(file, (share) => widget.show(file.name, share));
    const label = (inText?.description ?? name).replace(/[[\]\\]/g, '\\$&');
    const link = `${contentType.startsWith('image/') ? '!' : ''}[${label}](${url})`;
    const at = placeOf(view.state, widget);
    // A picture that stands alone, as it will be read, isn't what one writes on in.
    const isAlone = link.startsWith('!') && view.state.doc.lineAt(at).text === '';
    const below = !inText && isAlone && view.dom.matches('.cm-in-place') ? '\n\n' : '';
    const insert = inText ? link : besideText(view.state, at, link) + below;
    // If the user has moved on, the caret stays where it is.
    const isUntouched = view.state.field(touches) === before;
    view.dispatch({
      changes: { from: at, insert },
      ...(isUntouched &&
        !inText && {
          selection: { anchor: at + insert.indexOf(link) + link.length + below.length },
        }),
      effects: end.of(widget),
      userEvent: 'input.upload',
    });
  } catch (error) {
    const insert = inText?.description ?? '';
    const from = placeOf(view.state, widget);
    view.dispatch({
      changes: { from, insert },
      effects: end.of(widget),
      userEvent: 'input.upload',
    });
    const reason = error instanceof Error ? error.message : '';
    showToast(`${file.name} was not uploaded. ${reason}`, { isFault: true });
  }
}

/** Returns a link with the separators that it needs in the text around it. */
function besideText({ doc }: EditorState, at: number, link: string): string {
  const { from, to } = doc.lineAt(at);
  const [before, after] = [doc.sliceString(from, at), doc.sliceString(at, to)];
  // A heading or a list must still start its line.
  if (before === '' && after !== '') return `${link}\n\n`;
  return `${/\S$/.test(before) ? ' ' : ''}${link}${/^\S/.test(after) ? ' ' : ''}`;
}

/** Returns a placeholder's position, or the cursor's if the placeholder was deleted. */
function placeOf(state: EditorState, widget: Placeholder): number {
  for (const at = state.field(placeholders).iter(); at.value; at.next()) {
    if (at.value.spec.widget === widget) return at.from;
  }
  return state.selection.main.to;
}

interface Uploaded {
  name: string;
  url: string;
  contentType: string;
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function send(file: File, onProgress: (share: number) => void): Promise<Uploaded> {
  const form = new FormData();
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/uploads');
    request.setRequestHeader('accept', 'application/json');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText));
      else reject(new Error(readRefusal(request.responseText).sentence));
    });
    request.addEventListener('error', () => reject(new Error('No connection.')));
    request.send(form);
  });
}
