import type { Kind } from '../../../document/kind.ts';
import { MAX_NAME_CHARACTERS } from '../../../document/name.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { type Addressed, documentPath, leavePath, type Titled } from '../../app/addresses.ts';
import type { AppPage } from './app-page.tsx';
import { ConfirmForm, PageHead } from './parts.tsx';

/** Formats a span in days. */
function inDays(ms: number): string {
  const days = Math.round(ms / (24 * 60 * 60_000));
  return days === 1 ? '1 day' : `${days} days`;
}

const NOUN: Record<Kind, string> = { brief: 'brief', page: 'page' };

export function renamePage(
  document: Addressed,
  form: { name: string; fault?: string | undefined },
): AppPage {
  const noun = NOUN[document.kind];
  return {
    title: `Rename ${document.name}`,
    children: (
      <div class="sheet narrow">
        <PageHead title={`Rename ${document.name}`} />
        <div data-dialog-content={`Rename ${document.name}`}>
          <form class="form" method="post" action={documentPath('rename', document)}>
            <div class="field">
              <label for="new-name">Name</label>
              <input
                id="new-name"
                name="name"
                value={form.name}
                required
                maxLength={MAX_NAME_CHARACTERS}
                autocomplete="off"
                autocapitalize="none"
                autofocus
                aria-invalid={form.fault ? 'true' : undefined}
                aria-describedby={form.fault ? 'new-name-hint new-name-fault' : 'new-name-hint'}
              />
              <p class="hint" id="new-name-hint">
                Renaming changes the {noun}’s link. The old link will redirect to the new one.
              </p>
              {form.fault && (
                <p class="fault" id="new-name-fault">
                  {form.fault}
                </p>
              )}
            </div>
            <p class="form-actions">
              <button type="submit" class="primary">
                Rename
              </button>
              <a class="quiet" href={documentPath('read', document)} data-closes>
                Cancel
              </a>
            </p>
          </form>
        </div>
      </div>
    ),
  };
}

/** Asks for confirmation before a document is deleted. */
export function deletePage(document: Addressed, collaborators: number, trashMs: number): AppPage {
  const noun = NOUN[document.kind];
  const title = `Delete ${document.name}?`;
  return {
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <div data-dialog-content={title}>
          <p>
            The {noun}{' '}
            <strong>
              {document.ownerNamespace}/{document.name}
            </strong>{' '}
            {trashMs > 0
              ? 'will go to the trash. Its link will stop working, and invitations to it will end. '
              : 'will be deleted with its history. Its link will stop working. '}
            {collaborators > 0 &&
              (collaborators === 1
                ? '1 collaborator will lose access. '
                : `${collaborators} collaborators will lose access. `)}
            {trashMs > 0
              ? `For ${inDays(trashMs)} you can restore it with its history and collaborators.`
              : 'This can’t be undone.'}
          </p>
          <ConfirmForm
            action={documentPath('delete', document)}
            label={`Delete ${noun}`}
            back={documentPath('read', document)}
          />
        </div>
      </div>
    ),
  };
}

/** Asks for confirmation before a collaborator leaves a document. */
export function leavePage(document: Titled): AppPage {
  const title = `Leave ${shownTitle(document)}?`;
  const noun = NOUN[document.kind];
  return {
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <div data-dialog-content={title}>
          <p>This ends the access that you were given. To come back, you need a new invitation.</p>
          <ConfirmForm
            action={leavePath(document)}
            label={`Leave this ${noun}`}
            back={documentPath('read', document)}
          />
        </div>
      </div>
    ),
  };
}
