import type { EditorView } from '@codemirror/view';
import { makeDialog } from '../../../surfaces/web/client/app/dialog.ts';
import { makeButton, showNotice } from './save-state.ts';
import type { Parts } from './settings.ts';
import { countSuggestions } from './suggestion-marks.ts';

/** Whether what is typed changes the text, or suggests changes to it. */
export type Mode = 'editing' | 'suggesting';

/** The outcome of sending suggestions. */
export type Sent =
  | { kind: 'saved'; path: string; message: string }
  | { kind: 'refused'; status: number; body: string }
  | { kind: 'unanswered' };

/** Sends a text of which each changed passage becomes a suggestion. */
export async function sendSuggestions(
  { form, settings }: Parts,
  given: { content: string; etag?: string; baseRevision?: number },
): Promise<Sent> {
  const field = (name: string) =>
    (form.elements.namedItem(name) as HTMLInputElement | null)?.value ?? '';
  const data = new FormData();
  data.append('as', 'suggestions');
  data.append('content', given.content);
  data.append('etag', given.etag ?? '');
  data.append('baseRevision', String(given.baseRevision ?? ''));
  data.append('document', field('document'));
  data.append('message', field('message'));
  data.append('account', settings.accountId);
  const path = new URL(form.action).pathname.replace('/edit/', '/propose/');
  try {
    const headers = { accept: 'application/json' };
    const response = await fetch(path, { method: 'POST', body: data, headers });
    const body = await response.text();
    if (!response.ok) return { kind: 'refused', status: response.status, body };
    return { kind: 'saved', ...JSON.parse(body) };
  } catch {
    return { kind: 'unanswered' };
  }
}

/** Says how many suggestions there are, and that they aren't saved. */
export function showSuggested(
  place: HTMLElement,
  view: EditorView,
  { isDirty, isKept, isSaving }: { isDirty: boolean; isKept: boolean; isSaving: boolean },
): void {
  const count = countSuggestions(view);
  const what = count === 1 ? '1 unsaved suggestion' : `${count} unsaved suggestions`;
  const isLost = isDirty && !isKept;
  const text = isSaving
    ? 'Saving…'
    : isLost
      ? 'Not saved. This browser can’t store drafts'
      : isDirty
        ? what
        : 'Nothing suggested yet';
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = isLost ? 'failed' : 'unsaved';
}

/** Says that others changed the same lines. The text shows the user's words in place of theirs. */
export function showClash({ notices }: Parts, lines: readonly number[]): void {
  const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 5).join(', ')}`;
  showNotice(notices, {
    id: 'clash',
    text:
      `Others have changed the same words meanwhile, in ${where}. There, your suggestion now ` +
      'replaces theirs. Look at it, then save.',
    isFault: true,
  });
}

/** Asks what to do with suggestions that aren't saved. Closing the dialog keeps them. */
export function askAboutUnsaved(): Promise<'save' | 'discard' | 'keep'> {
  return new Promise((resolve) => {
    const dialog = makeDialog();
    const content = document.createElement('div');
    const text = document.createElement('p');
    text.textContent = 'What you suggest isn’t saved, so nobody else sees it yet.';
    const buttons = document.createElement('div');
    buttons.className = 'form-actions';
    let answer: 'save' | 'discard' | 'keep' = 'keep';
    const choose = (label: string, chosen: typeof answer, look: string) => {
      const button = makeButton(label, () => {
        answer = chosen;
        dialog.element.close();
      });
      button.className = look;
      return button;
    };
    buttons.append(
      choose('Save suggestions', 'save', 'primary'),
      choose('Keep suggesting', 'keep', 'secondary'),
      choose('Discard', 'discard', 'secondary'),
    );
    content.append(text, buttons);
    dialog.fill('Unsaved suggestions', content);
    dialog.element.addEventListener('close', () => {
      dialog.element.remove();
      resolve(answer);
    });
    dialog.element.showModal();
    buttons.querySelector('button')?.focus();
  });
}

/** Makes the switch between editing and suggesting work, also by keyboard. */
export function connectModes({ form }: Parts, choose: (mode: Mode) => void): void {
  if (!form.querySelector('#editing-mode')) return;
  form.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('button[data-mode]');
    if (button) choose(button.dataset.mode as Mode);
  });
  document.addEventListener('keydown', (event) => {
    const isOurs = (event.ctrlKey || event.metaKey) && event.altKey && event.shiftKey;
    if (!isOurs || document.querySelector('dialog[open]')) return;
    // With Alt, some systems type another character than the key's.
    const key = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.code;
    if (key === 'x' || key === 'KeyX') choose('suggesting');
    else if (key === 'z' || key === 'KeyZ') choose('editing');
    else return;
    event.preventDefault();
  });
}

/** Shows the mode: in the switch, in the fields that can't be changed now, and on the button. */
export function showMode({ form, name, visibility }: Parts, mode: Mode): void {
  const isSuggesting = mode === 'suggesting';
  form.dataset.mode = mode;
  for (const button of form.querySelectorAll<HTMLElement>('#editing-mode [data-mode]')) {
    button.setAttribute('aria-pressed', String(button.dataset.mode === mode));
  }
  form.dispatchEvent(new Event('modechanged'));
  name.readOnly = isSuggesting;
  if (visibility) visibility.disabled = isSuggesting;
  const message = form.elements.namedItem('message');
  if (message instanceof HTMLInputElement) message.hidden = !isSuggesting;
  const save = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (!save) return;
  save.textContent = isSuggesting ? 'Save suggestions' : 'Save';
  save.title = `${save.textContent} (Ctrl S)`;
}

/** Empties the field for the reason, which was sent. */
export function clearReason({ form }: Parts): void {
  const message = form.elements.namedItem('message');
  if (message instanceof HTMLInputElement) message.value = '';
}
