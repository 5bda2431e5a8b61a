import type { Actor } from '../../context.ts';
import type { Kind } from '../../document/kind.ts';
import { FieldError, type ServiceError } from '../../errors.ts';
import type { UnsavedTextPage } from '../pages/app/unsaved-text-page.tsx';
import { newDocumentPath } from './addresses.ts';
import type { EditForm } from './edit-form.ts';

/**
 * What is shown of a text that was not saved: to be sent once more to where it was sent, or, where it
 * cannot be saved there any longer, to be saved apart.
 *
 * @param written.path where it was sent
 * @param actor undefined for whoever is signed out
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
    title: actor ? 'Not saved' : 'You are signed out',
    content,
  };
  if (isGone) {
    const { name, account } = form;
    return {
      ...page,
      message: `${error.sentence} What you wrote is below: save it apart, or copy it.`,
      fields: { name, account, visibility: 'private' },
      action: newDocumentPath(kind),
      button: `Save as a new private ${kind}`,
    };
  }
  return {
    ...page,
    message: `${error.sentence} What you wrote is below; nothing of it is lost.`,
    fields,
    action: path,
    button: 'Save',
  };
}
