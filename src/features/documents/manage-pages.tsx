import { shownTitle } from '../../core/document/shown-title.ts';
import { type Addressed, documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { NameField } from '../../surfaces/web/pages/name-field.tsx';
import { ConfirmForm, DocumentField, FormActions } from '../../surfaces/web/pages/parts.tsx';

/** Formats a span in days. */
function inDays(ms: number): string {
  const days = Math.round(ms / (24 * 60 * 60_000));
  return days === 1 ? '1 day' : `${days} days`;
}

/** Asks for another name. */
export function renamePage(
  document: Addressed & { id: string },
  form: { name: string; fault?: string | undefined },
): AppPage {
  return dialogScreen({
    title: `Rename ${document.name}`,
    children: (
      <form class="form" method="post" action={documentPath('rename', document)}>
        <DocumentField document={document} />
        <NameField
          id="new-name"
          label="Name"
          value={form.name}
          hint={`Renaming changes the ${document.kind}’s link. The old link will redirect to the new one.`}
          fault={form.fault}
          focused
        />
        <FormActions label="Rename" back={documentPath('read', document)} />
      </form>
    ),
  });
}

/** Asks for confirmation before a document is deleted. */
export function deletePage(document: Titled, collaborators: number, trashMs: number): AppPage {
  const title = `Delete ${shownTitle(document)}?`;
  return dialogScreen({
    title,
    children: (
      <>
        <p>
          The {document.kind}{' '}
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
          fields={{ document: document.id }}
          label={`Delete ${document.kind}`}
          back={documentPath('read', document)}
        />
      </>
    ),
  });
}
