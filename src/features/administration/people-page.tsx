import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import { personPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Ago, Day } from '../../surfaces/web/pages/format.tsx';
import type { Listed } from '../../surfaces/web/pages/pager.tsx';
import { CopyLine, EmptyState, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { totalBytes } from './administration-schema.ts';
import { FactsTable, ListPager, SearchLine } from './parts.tsx';
import type { ListedPerson } from './people-service.ts';
import type { PeopleFilter, PersonRow } from './people-store.ts';

const PATH = '/admin/people';

const FILTERS = {
  all: 'Everyone',
  admins: 'Administrators',
  disabled: 'Disabled',
  new: 'Never signed in',
  unverified: 'Address not verified',
  singleFactor: 'No second factor',
  unlinked: 'Not linked to the provider',
} as const satisfies Record<PeopleFilter, string>;

/** How people sign in to this instance. */
export interface SignInWays {
  hasPasswords: boolean;
  /** The name of the provider; `undefined` if there is none. */
  provider: string | undefined;
}

/** Lists accounts. */
export function peoplePage(page: {
  people: Listed<ListedPerson>;
  filter: PeopleFilter;
  search: string;
  signIn: SignInWays;
  now: string;
}): AppPage {
  const { people, filter, search, signIn, now } = page;
  const isFiltered = search !== '' || filter !== 'all';
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
            {offered(signIn).map(([value, label]) => (
              <option value={value} selected={value === filter}>
                {label}
              </option>
            ))}
          </select>
        </SearchLine>
        {people.items.length === 0 ? (
          <EmptyState title="No account fits">
            {isFiltered && (
              <p>
                <a href={PATH}>Show everyone</a>
              </p>
            )}
          </EmptyState>
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
        <ListPager
          list={people}
          path={PATH}
          query={{ q: search, filter: filter === 'all' ? '' : filter }}
        />
      </>
    ),
  });
}

/** The filters that can find anybody. */
function offered({ provider }: SignInWays): [string, string][] {
  return Object.entries(FILTERS).filter(([name]) => name !== 'unlinked' || provider !== undefined);
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
  signIn: SignInWays;
  faults: Faults;
}): AppPage {
  const { faults, signIn } = page;
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
        {signIn.hasPasswords ? (
          <label class="choice">
            <input type="checkbox" name="link" value="yes" checked={page.withLink} />
            <span>Make a link with which the person sets a password</span>
          </label>
        ) : (
          <p class="aside">
            Nobody can sign in to this account, because people sign in through {signIn.provider}{' '}
            only, and get their accounts there. It can have tokens, for programs.
          </p>
        )}
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
