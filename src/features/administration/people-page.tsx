import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Ago, Day } from '../../surfaces/web/pages/format.tsx';
import { CopyLine, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { totalBytes } from './administration-schema.ts';
import { FactsTable, Older, personPath, SearchLine } from './parts.tsx';
import type { CursorPage, ListedPerson } from './people-service.ts';
import type { PeopleFilter, PersonRow } from './people-store.ts';

const PATH = '/admin/people';

const FILTERS = {
  all: 'Everyone',
  admins: 'Administrators',
  disabled: 'Disabled',
  new: 'Never signed in',
} as const satisfies Record<PeopleFilter, string>;

/** Lists accounts. */
export function peoplePage(page: {
  people: CursorPage<ListedPerson>;
  filter: PeopleFilter;
  search: string;
  now: string;
}): AppPage {
  const { people, filter, search, now } = page;
  return administrationPage('people', {
    actions: (
      <a class="primary" href={`${PATH}/new`} data-dialog>
        New account
      </a>
    ),
    children: (
      <>
        <SearchLine path={PATH} value={search} label="Start of a username or an email address">
          <select name="filter" aria-label="Which accounts">
            {Object.entries(FILTERS).map(([value, label]) => (
              <option value={value} selected={value === filter}>
                {label}
              </option>
            ))}
          </select>
        </SearchLine>
        {people.items.length === 0 ? (
          <p class="aside">No account fits.</p>
        ) : (
          <FactsTable
            label="People"
            columns={[
              { label: 'Username' },
              { label: 'Email address', breaks: true },
              { label: 'Created' },
              { label: 'Last sign-in' },
              { label: 'Documents', isNumber: true },
              { label: 'Stored', isNumber: true },
            ]}
            rows={people.items.map((person) => rowOf(person, now))}
          />
        )}
        <Older
          path={PATH}
          query={{ q: search, filter: filter === 'all' ? '' : filter }}
          cursor={people.cursor}
        />
      </>
    ),
  });
}

function rowOf(person: ListedPerson, now: string) {
  const { username, email, emailVerifiedAt, createdAt, signedInAt, usage } = person;
  return [
    <>
      <a class="main" href={personPath(username)}>
        {username}
      </a>{' '}
      <Marks person={person} />
    </>,
    <>
      {email}
      {emailVerifiedAt === null && <span class="aside"> (not verified)</span>}
    </>,
    <Day at={createdAt} />,
    signedInAt === null ? <span class="aside">Never</span> : <Ago at={signedInAt} now={now} />,
    usage.documents,
    formatSize(totalBytes(usage)),
  ];
}

/** Marks administrators and disabled accounts. */
export function Marks({
  person,
}: {
  person: Pick<PersonRow, 'adminSince' | 'disabledAt'>;
}): JSX.Element {
  return (
    <>
      {person.adminSince !== null && <span class="badge">Administrator</span>}
      {person.disabledAt !== null && <span class="badge warning">Disabled</span>}
    </>
  );
}

/** Asks for a new account. */
export function newPersonPage(page: {
  username: string;
  email: string;
  withLink: boolean;
  faults: Faults;
}): AppPage {
  const { faults } = page;
  return dialogScreen({
    title: 'New account',
    place: 'administration',
    children: (
      <form class="form" method="post" action={`${PATH}/new`}>
        <FormFault fault={faults.form} />
        <Field
          name="username"
          label="Username"
          value={page.username}
          fault={faults.username}
          hint="Up to 39 letters a–z, digits or single hyphens."
          autocomplete="off"
          focused
        />
        <Field
          name="email"
          label="Email address"
          type="email"
          value={page.email}
          fault={faults.email}
          autocomplete="off"
        />
        <label class="choice">
          <input type="checkbox" name="link" value="yes" checked={page.withLink} />
          <span>Make a link with which the person sets a password</span>
        </label>
        <FormActions label="Create account" back={PATH} />
      </form>
    ),
  });
}

/** Shows a link to a new password, once. */
export function linkPage(page: { username: string; link: string; isNew: boolean }): AppPage {
  const { username, link, isNew } = page;
  return dialogScreen({
    title: isNew ? `Account ${username} created` : `Link for ${username}`,
    place: 'administration',
    children: (
      <section class="shown-once" aria-labelledby="link-title" data-shown-once>
        <h2 id="link-title">Copy the link now</h2>
        <p>
          You won’t see it again. {username} sets a password with it, once, within a day. Pass it on
          in a way that nobody else can read.
        </p>
        <CopyLine text={link} label="Link to a new password" />
        <p>
          <a class="secondary" href={personPath(username)}>
            Go to {username}
          </a>
        </p>
      </section>
    ),
  });
}
