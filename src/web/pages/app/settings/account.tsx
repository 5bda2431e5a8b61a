import type { ComponentChildren, JSX } from 'preact';
import type { AccountDeletion } from '../../../../account/account-deletion-service.ts';
import { organizationPath } from '../../../app/addresses.ts';
import type { Faults } from '../../../form.ts';
import { Field, FormFault } from '../../form-field.tsx';
import type { AppPage } from '../app-page.tsx';
import { settingsPage } from './settings-page.tsx';

export interface AccountPage {
  username: string;
  /** How long a deleted username stays reserved, such as `90 days`; `undefined` if it does not. */
  usernameReserved: string | undefined;
  hasPassword: boolean;
  deletion: AccountDeletion;
  /** Organizations whose documents the person may export. */
  administered: readonly { namespace: string; name: string }[];
  faults: Faults;
}

/** What one has here, as a whole: in, out, and gone. */
export function accountPage(page: AccountPage): AppPage {
  return settingsPage(
    'account',
    <>
      <section aria-labelledby="import">
        <h2 id="import">Import</h2>
        <p>Make documents of Markdown and HTML files, or of an archive that was exported here.</p>
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
        A zip archive with your briefs as Markdown files, your pages as HTML files, the files you
        have uploaded, and a list of them all (<code>briefs.json</code>) with who may read and write
        what. It can be imported again.
      </p>
      <p>
        <a class="secondary" href="/export">
          Export your documents
        </a>{' '}
        <a href="/export?history">Export with old texts</a>
      </p>
      {page.administered.length > 0 && (
        <>
          <p>The documents of organizations that you are an admin of are archives of their own:</p>
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
        Your account cannot be deleted yet: nobody else is an admin of these organizations. Make
        somebody an admin of each, or delete it.
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
  const { username, usernameReserved, hasPassword, faults } = page;
  return (
    <>
      <p>This cannot be undone. At once, and for good:</p>
      <ul>
        {consequences(page.deletion).map((consequence) => (
          <li>{consequence}</li>
        ))}
        <li>
          {usernameReserved
            ? `no one can take the username ${username} for ${usernameReserved}`
            : `anyone can take the username ${username}`}
        </li>
      </ul>
      <p>
        What you wrote in documents of others stays there, without your name. If you want to keep
        your own, <a href="#export">export them</a> first.
      </p>
      <form class="form" method="post" action="/settings/account/delete">
        <FormFault fault={faults.form} />
        <Field
          name="confirmation"
          label={`Your username, to be sure (${username})`}
          fault={faults.confirmation}
          autocomplete="off"
          focused={faults.confirmation !== undefined}
        />
        {hasPassword && (
          <Field
            name="password"
            label="Password"
            type="password"
            fault={faults.password}
            autocomplete="current-password"
            focused={faults.password !== undefined}
          />
        )}
        <p class="form-actions">
          <button type="submit" class="danger">
            Delete my account
          </button>
        </p>
      </form>
    </>
  );
}

/** What goes, in numbers; what there is none of is left out. */
function consequences(deletion: AccountDeletion): ComponentChildren[] {
  const { briefs, pages, files, tokens, applications, collaborations, organizations } = deletion;
  const goes: [number, one: string, more: string][] = [
    [briefs, 'brief is deleted', 'briefs are deleted'],
    [pages, 'page is deleted', 'pages are deleted'],
    [files, 'uploaded file is deleted', 'uploaded files are deleted'],
    [tokens, 'token stops working', 'tokens stop working'],
    [applications, 'connected application loses access', 'connected applications lose access'],
    [collaborations, 'document of others is lost to you', 'documents of others are lost to you'],
    [organizations.length, 'organization loses you', 'organizations lose you'],
  ];
  return goes
    .filter(([number]) => number > 0)
    .map(([number, one, more]) => `${number} ${number === 1 ? one : more}`);
}
