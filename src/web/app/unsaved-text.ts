import type { Actor } from '../../context.ts';
import type { Kind } from '../../document/kind.ts';
import { FieldError, type ServiceError } from '../../errors.ts';
import type { UnsavedTextPage } from '../pages/app/unsaved-text-page.tsx';
import { newDocumentPath } from './addresses.ts';
import type { EditForm } from './edit-form.ts';

/**
 * Returns the page for a text that was not saved. Its form submits the text again. If the document
 * is gone or not editable, the form saves the text as a new document.
 *
 * @param written.path the path the text was sent to
 * @param actor undefined if signed out
 */
export function unsavedTextPage(
  error: ServiceError,
  written: { kind: Kind; form: EditForm; path: string },
  actor?: Actor,
): UnsavedTextPage {
  const { kind, form, path } = written;
  const { content, ...fields } = form;
  const isForSomeoneElse = error instanceof FieldError && error.field === 'account';
  const isGone = ['NOT_FOUND', 'FORBIDDEN'].includes(error.code) && !isForSomeoneElse;
  const page = {
    viewer: actor ? { username: actor.username } : ('signed out' as const),
    title: actor ? 'Not saved' : 'You’re signed out',
    content,
  };
  if (isGone) {
    const { name, account } = form;
    return {
      ...page,
      message: `${error.sentence} Your text is below. Save it as a new ${kind}, or copy it.`,
      fields: { name, account, visibility: 'private' },
      action: newDocumentPath(kind),
      button: `Save as a new private ${kind}`,
    };
  }
  return {
    ...page,
    message: `${error.sentence} Your text is below, complete.`,
    fields,
    action: path,
    button: 'Save',
  };
}
