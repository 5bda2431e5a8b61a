import type { ComponentChildren, JSX } from 'preact';
import { NAMESPACE_RESERVED_DAYS } from '../../core/owner/namespace.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import type { AccountDeletion } from './account-deletion-service.ts';
import { CurrentPassword } from './current-password.tsx';

export interface AccountPage {
  username: string;
  hasPassword: boolean;
  deletion: AccountDeletion;
  /** Organizations whose documents the user can export. */
  administered: readonly { namespace: string; name: string }[];
  faults: Faults;
}

/** Shows the links to import and export, and the form that deletes the account. */
export function accountPage(page: AccountPage): AppPage {
  return settingsPage(
    'account',
    <>
      <section aria-labelledby="import">
        <h2 id="import">Import</h2>
        <p>Create documents from Markdown and HTML files, or from an exported archive.</p>
        <p>
          <a class="secondary" href="/import">
            Import files
          </a>
        </p>
      </section>
      <ExportSection page={page} />
      <DeletionSection page={page} />
    </>,
  );
}

function ExportSection({ page }: { page: AccountPage }): JSX.Element {
  return (
    <section aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p>
        A zip archive with your briefs as Markdown, your pages as HTML, and your uploaded files. Its{' '}
        <code>briefs.json</code> lists them and who can read and edit them. You can import the
        archive again.
      </p>
      <p>
        <a class="secondary" href="/export">
          Export your documents
        </a>{' '}
        <a href="/export?history">Export with old texts</a>
      </p>
      <p>
        <a href="/settings/account/data">Everything else that is stored about you</a>, as JSON:
        sessions, tokens, invitations, memberships, and what you wrote in other people’s documents.
      </p>
      {page.administered.length > 0 && (
        <>
          <p>Each organization that you’re an admin of has its own archive:</p>
          <ul>
            {page.administered.map(({ namespace, name }) => (
              <li>
                <a href={`/export?owner=${namespace}`}>Export {name}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function DeletionSection({ page }: { page: AccountPage }): JSX.Element {
  const { deletion } = page;
  return (
    <section aria-labelledby="delete-account">
      <h2 id="delete-account">Delete your account</h2>
      {deletion.lastAdminOf.length > 0 ? (
        <Blocked namespaces={deletion.lastAdminOf} fault={page.faults.form} />
      ) : (
        <DeletionForm page={page} />
      )}
    </section>
  );
}

function Blocked(props: { namespaces: readonly string[]; fault: string | undefined }): JSX.Element {
  return (
    <>
      <FormFault fault={props.fault} />
      <p>
        You can’t delete your account yet, because you’re the only admin of these organizations. Add
        another admin to each, or delete it.
      </p>
      <ul>
        {props.namespaces.map((namespace) => (
          <li>
            <a href={organizationPath(namespace, 'members')}>{namespace}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function DeletionForm({ page }: { page: AccountPage }): JSX.Element {
  const { username, hasPassword, faults } = page;
  return (
    <>
      <p>This can’t be undone. Deleting your account:</p>
      <ul>
        {consequences(page.deletion).map((consequence) => (
          <li>{consequence}</li>
        ))}
        <li>
          reserves the username {username} for {NAMESPACE_RESERVED_DAYS} days
        </li>
      </ul>
      <p>
        What you wrote in other people’s documents stays there, without your name. To keep your own
        documents, <a href="#export">export them</a> first. To leave some to an organization, move
        each there before; pictures and files that you have uploaded are deleted all the same. If
        others need all of it, ask an administrator of this server to hand it over instead.
      </p>
      <form class="form" method="post" action="/settings/account/delete">
        <FormFault fault={faults.form} />
        <Field
          name="confirmation"
          label={`Type ${username} to confirm`}
          fault={faults.confirmation}
          autocomplete="off"
          focused={faults.confirmation !== undefined}
        />
        {hasPassword && <CurrentPassword name="password" label="Password" faults={faults} />}
        <FormActions label="Delete my account" class="danger" />
      </form>
    </>
  );
}

/** Lists what deleting the account removes, with counts. Leaves out zero counts. */
function consequences(deletion: AccountDeletion): ComponentChildren[] {
  const { briefs, pages, files, tokens, applications, collaborations, organizations } = deletion;
  const { invitations, links, trashed, takenDown } = deletion;
  const goes: [number, one: string, more: string][] = [
    [briefs, 'deletes # brief', 'deletes # briefs'],
    [pages, 'deletes # page', 'deletes # pages'],
    [trashed, 'deletes # document in the trash', 'deletes # documents in the trash'],
    [
      takenDown,
      'deletes # document that was taken down',
      'deletes # documents that were taken down',
    ],
    [files, 'deletes # uploaded file', 'deletes # uploaded files'],
    [tokens, 'revokes # token', 'revokes # tokens'],
    [applications, 'disconnects # app', 'disconnects # apps'],
    [
      collaborations,
      'ends your access to # document shared with you',
      'ends your access to # documents shared with you',
    ],
    [
      invitations,
      'ends # pending invitation that you sent',
      'ends # pending invitations that you sent',
    ],
    [links, 'revokes # secret link that you created', 'revokes # secret links that you created'],
    [organizations.length, 'removes you from # organization', 'removes you from # organizations'],
  ];
  return goes
    .filter(([number]) => number > 0)
    .map(([number, one, more]) => (number === 1 ? one : more).replace('#', String(number)));
}
