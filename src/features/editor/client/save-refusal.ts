import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { makeButton, makeLinkInNewTab } from './save-state.ts';
import type { Writing } from './writing.ts';

/** Shows why the service refused a save, and what the user can do about it. */
export function showSaveRefusal(writing: Writing, status: number, body: string): void {
  if (status === 401) {
    writing.show('signed-out');
    const link = makeLinkInNewTab('/sign-in', 'Sign in in another tab');
    writing.fault('You’re signed out. Your text is safe on this computer. Sign in, then save.', [
      link,
    ]);
    return;
  }
  writing.show('failed');
  const { field, sentence, freeName } = readRefusal(body);
  const isForSomeoneElse = field === 'account';
  const isGone = !writing.versions.isNew && (status === 403 || status === 404) && !isForSomeoneElse;
  if (isGone) showGone(writing, sentence);
  else writing.fault(sentence, freeName === undefined ? [] : [freeNameButton(writing, freeName)]);
  if (field === 'name') {
    const { name } = writing.parts;
    name.setAttribute('aria-invalid', 'true');
    name.setAttribute('aria-describedby', 'notice-fault');
    name.focus();
  }
}

/** Reports a first save without a response. Repeating it could create the document twice. */
export function showUnanswered({ show, fault }: Writing): void {
  show('failed');
  const text =
    'The connection broke, so this may or may not have been saved. Your text is safe on this ' +
    'computer. Check your documents before you save again.';
  fault(text, [makeLinkInNewTab('/', 'Check my documents')]);
}

/** Offers a new document if this one is gone or no longer editable: retries would fail too. */
function showGone({ parts, versions, fault, save }: Writing, message: string): void {
  const { form, visibility, settings } = parts;
  const text =
    `${message} It may have been deleted, or is no longer shared with you. Your text is safe on ` +
    'this computer.';
  const saveApart = () => {
    if (visibility) visibility.value = 'private';
    versions.isNew = true;
    form.action = settings.newPath;
    void save();
  };
  fault(text, [makeButton(`Save as a new private ${settings.kind}`, saveApart)]);
}

function freeNameButton({ parts, source, save }: Writing, freeName: string): HTMLElement {
  return makeButton(`Use ${freeName}`, () => {
    parts.name.value = freeName;
    void save();
    source.focus();
  });
}
