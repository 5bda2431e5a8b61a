import type { Actor } from '../../context.ts';
import type { Kind } from '../../document/kind.ts';
import type { ServiceError } from '../../errors.ts';
import type { KeptPage } from '../pages/app/unsaved-text-page.tsx';
import { newDocumentPath } from './addresses.ts';
import { sentenceOf } from './app-parts.ts';
import type { EditForm } from './edit-form.ts';

/**
 * What is shown of a text that was not saved: to be sent once more to where it was sent, or, where it
 * cannot be saved there any longer, to be saved apart.
 *
 * @param written.path where it was sent
 * @param actor undefined for whoever is signed out
 */
export function keptPage(
  error: ServiceError,
  written: { kind: Kind; form: EditForm; path: string },
  actor?: Actor,
): KeptPage {
  const { kind, form, path } = written;
  const { content, ...fields } = form;
  const isForSomeoneElse = error.message.startsWith('account: ');
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
      message: `${sentenceOf(error)} What you wrote is below: save it apart, or copy it.`,
      fields: { name, account, visibility: 'private' },
      action: newDocumentPath(kind),
      button: `Save as a new private ${kind}`,
    };
  }
  return {
    ...page,
    message: `${sentenceOf(error)} What you wrote is below; nothing of it is lost.`,
    fields,
    action: path,
    button: 'Save',
  };
}
