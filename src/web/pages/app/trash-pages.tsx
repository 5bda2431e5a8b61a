import type { JSX } from 'preact';
import { MAX_NAME_CHARACTERS } from '../../../document/name.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { organizationPath, TRASH_PATH, trashPath } from '../../app/addresses.ts';
import { Ago, Day } from '../format.tsx';
import { Icon } from '../icons.tsx';
import type { AppPage } from './app-page.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';
import { type Listed, Pager } from './pager.tsx';
import { ButtonForm, ConfirmForm, PageHead } from './parts.tsx';

/** A deleted document that can be restored. */
export interface Trashed {
  id: string;
  kind: 'brief' | 'page';
  ownerNamespace: string;
  name: string;
  title: string | null;
  deletedByUsername: string | null;
  deletedAt: string;
  expiresAt: string;
}

/** A result page of deleted documents. */
export interface TrashPage extends Listed<Trashed> {
  /** The time, ISO 8601. */
  now: string;
}

/** The documents that a user can restore: their own, and others' that they managed. */
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

/** The documents that a member can restore in an organization. */
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
        <p>{list.page === 1 ? 'Nothing in the trash' : 'There is nothing on this page.'}</p>
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

function TrashItem({ document, now }: { document: Trashed; now: string }): JSX.Element {
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
        <a
          class="quiet small"
          href={trashPath(id, 'delete')}
          aria-label={`Delete forever: ${name}`}
          data-dialog
        >
          Delete forever
        </a>
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
  return {
    title,
    place: 'trash',
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <form class="form" method="post" action={trashPath(id, 'restore')}>
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
              aria-invalid="true"
              aria-describedby="new-name-hint new-name-fault"
            />
            <p class="hint" id="new-name-hint">
              The {kind} of {ownerNamespace} needs another name.
            </p>
            <p class="fault" id="new-name-fault">
              {form.fault}
            </p>
          </div>
          <p class="form-actions">
            <button type="submit" class="primary">
              Restore
            </button>
            <a class="quiet" href={form.back}>
              Cancel
            </a>
          </p>
        </form>
      </div>
    ),
  };
}

/** Asks for confirmation before a document is deleted for good. */
export function deleteForeverPage(document: Trashed, back: string): AppPage {
  const { id, kind, ownerNamespace, name } = document;
  const title = `Delete ${name} forever?`;
  return {
    title,
    place: 'trash',
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <div data-dialog-content={title}>
          <p>
            The {kind}{' '}
            <strong>
              {ownerNamespace}/{name}
            </strong>{' '}
            will be gone with its history. This can’t be undone.
          </p>
          <ConfirmForm action={trashPath(id, 'delete')} label="Delete forever" back={back} />
        </div>
      </div>
    ),
  };
}
