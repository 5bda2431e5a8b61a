import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { organizationPath, TRASH_PATH, trashPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Ago, Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { NameField } from '../../surfaces/web/pages/name-field.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  ConfirmForm,
  EmptyState,
  FormActions,
  PageHead,
} from '../../surfaces/web/pages/parts.tsx';
import { type OwnOrganization, organizationTab } from '../organizations/organization-frame.tsx';
import type { TrashedRow } from './trash-store.ts';

/** A deleted document that can be restored. */
export type Trashed = Pick<
  TrashedRow,
  'id' | 'kind' | 'ownerNamespace' | 'name' | 'title' | 'deletedByUsername' | 'deletedAt'
> & { expiresAt: string };

/** A result page of deleted documents. */
export interface TrashPage extends Listed<Trashed & { canPurge: boolean }> {
  /** The time, ISO 8601. */
  now: string;
}

/** Lists the documents that a user can restore: their own, and others' that they managed. */
export function ownTrashPage(list: TrashPage): AppPage {
  return {
    title: 'Trash',
    place: 'trash',
    children: (
      <div class="sheet">
        <PageHead title="Trash" />
        <p class="aside">
          Deleted documents that you can restore. An organization’s admins find all of its deleted
          documents on its Trash tab.
        </p>
        <TrashList list={list} path={TRASH_PATH} />
      </div>
    ),
  };
}

/** Lists the documents that a member can restore in an organization. */
export function organizationTrashPage(organization: OwnOrganization, list: TrashPage): AppPage {
  const isAdmin = organization.role === 'admin';
  return organizationTab({
    organization,
    tab: 'trash',
    children: (
      <>
        <p class="aside">
          {isAdmin
            ? 'Deleted documents that you can restore.'
            : 'Deleted documents that you can restore, because you managed them.'}
        </p>
        <TrashList list={list} path={organizationPath(organization.namespace, 'trash')} />
      </>
    ),
  });
}

function TrashList({ list, path }: { list: TrashPage; path: string }): JSX.Element {
  return (
    <>
      {list.items.length === 0 ? (
        <EmptyState title={list.page === 1 ? 'Nothing in the trash' : 'Nothing on this page'}>
          <p>Documents that you delete appear here.</p>
        </EmptyState>
      ) : (
        <ul class="items" aria-label="Deleted documents">
          {list.items.map((document) => (
            <TrashItem document={document} now={list.now} />
          ))}
        </ul>
      )}
      <Pager label="Pages of the list" list={list} path={(page) => `${path}?page=${page}`} />
    </>
  );
}

function TrashItem(item: { document: Trashed & { canPurge: boolean }; now: string }): JSX.Element {
  const { document, now } = item;
  const { id, kind, ownerNamespace, name, deletedByUsername, deletedAt, expiresAt } = document;
  return (
    <li class="item">
      <span class="thumbnail">
        <Icon name={kind === 'brief' ? 'file-text' : 'app-window'} />
      </span>
      <div class="item-main">
        <strong class="item-title">{shownTitle(document)}</strong>
        <p class="item-facts">
          <span class="item-address">
            {ownerNamespace}/{name}
          </span>
          <span>
            Deleted <Ago at={deletedAt} now={now} />
            {deletedByUsername !== null && ` by ${deletedByUsername}`}
          </span>
          <span>
            Kept until <Day at={expiresAt} />
          </span>
        </p>
      </div>
      <div class="item-end">
        <ButtonForm
          action={trashPath(id, 'restore')}
          fields={{ name }}
          label="Restore"
          name={`Restore ${name}`}
          class="secondary small"
        />
        {document.canPurge && (
          <a
            class="quiet small"
            href={trashPath(id, 'delete')}
            aria-label={`Delete forever: ${name}`}
            data-dialog
          >
            Delete forever
          </a>
        )}
      </div>
    </li>
  );
}

/** Asks for another name if a document's former name is taken. */
export function restorePage(
  { id, kind, ownerNamespace, name }: Trashed,
  form: { name: string; fault: string; back: string },
): AppPage {
  const title = `Restore ${name}`;
  return dialogScreen({
    title,
    place: 'trash',
    children: (
      <form class="form" method="post" action={trashPath(id, 'restore')}>
        <NameField
          id="new-name"
          label="Name"
          value={form.name}
          hint={`The ${kind} of ${ownerNamespace} needs another name.`}
          fault={form.fault}
          focused
        />
        <FormActions label="Restore" back={form.back} />
      </form>
    ),
  });
}

/** Asks for confirmation before a document is deleted for good. */
export function deleteForeverPage(document: Trashed, back: string): AppPage {
  const { id, kind, ownerNamespace, name } = document;
  const title = `Delete ${name} forever?`;
  return dialogScreen({
    title,
    place: 'trash',
    children: (
      <>
        <p>
          The {kind}{' '}
          <strong>
            {ownerNamespace}/{name}
          </strong>{' '}
          will be gone with its history. This can’t be undone.
        </p>
        <ConfirmForm action={trashPath(id, 'delete')} label="Delete forever" back={back} />
      </>
    ),
  });
}
