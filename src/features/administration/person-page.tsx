import type { ComponentChildren, JSX } from 'preact';
import { NAMESPACE_RESERVED_DAYS } from '../../core/owner/namespace.ts';
import { managedPath, personPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Ago, Day, Moment, profilePath } from '../../surfaces/web/pages/format.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import type { AccountDeletion } from '../accounts/account-deletion-service.ts';
import { DocumentsQuestion, type HandOverForm, NO_HAND_OVER } from './hand-over-form.tsx';
import { FactsTable, LargestDocuments, OwnerLinks, UsageFacts } from './parts.tsx';
import { Marks, type SignInWays } from './people-page.tsx';
import type { Person } from './people-service.ts';
import type { WaysIn } from './people-store.ts';

/** An act on an account that is confirmed in a dialog. */
interface Act {
  /** The button that opens the dialog. */
  label: string;
  /** What it does, beside the button. */
  says: string;
  /** The dialog's heading. */
  asks: (username: string) => string;
  /** What happens then. */
  explains: string;
  /** The button that does it. */
  does: string;
  isDangerous?: boolean;
  /** Whether it is asked what happens with documents. */
  asksDocuments?: boolean;
  /** Whether it is offered. */
  fits?: (person: Person, signIn: SignInWays) => boolean;
  /** Said afterwards. */
  done: (username: string) => string;
}

export const ACTS = {
  verify: {
    label: 'Mark as verified',
    says: 'The address counts as verified without a mail.',
    asks: (username) => `Mark the address of ${username} as verified?`,
    explains: 'Mails are sent to it from then on. Do this only if you know that it is theirs.',
    does: 'Mark as verified',
    fits: ({ emailVerifiedAt }) => emailVerifiedAt === null,
    done: (username) => `The address of ${username} is verified.`,
  },
  'reset-link': {
    label: 'Make a link to a new password',
    says: 'To pass on to somebody who can’t sign in.',
    asks: (username) => `Make a link to a new password for ${username}?`,
    explains:
      'Whoever has the link can set a password, once, within a day. The person is told by mail that it was made.',
    does: 'Make the link',
    fits: ({ disabledAt }, { hasPasswords }) => hasPasswords && disabledAt === null,
    done: () => 'Link made.',
  },
  unlock: {
    label: 'Unlock sign-in',
    says: 'Forgets failed attempts to sign in.',
    fits: (_person, { hasPasswords }) => hasPasswords,
    asks: (username) => `Let ${username} sign in again?`,
    explains: 'Failed attempts to sign in are forgotten.',
    does: 'Unlock',
    done: (username) => `${username} can sign in again.`,
  },
  sessions: {
    label: 'End all sessions',
    says: 'Signs the person out in every browser.',
    asks: (username) => `End all sessions of ${username}?`,
    explains: 'The person has to sign in again in every browser. Tokens and apps go on working.',
    does: 'End all sessions',
    isDangerous: true,
    done: (username) => `${username} is signed out everywhere.`,
  },
  'second-factor': {
    label: 'Remove second factor',
    says: 'For somebody who has lost passkeys, codes and recovery codes.',
    asks: (username) => `Remove the second factor of ${username}?`,
    explains:
      'All passkeys, one-time codes and recovery codes are removed, and all sessions end. Be sure who asked you for this. The person is told by mail.',
    does: 'Remove second factor',
    isDangerous: true,
    fits: ({ secondFactorAt }) => secondFactorAt !== null,
    done: (username) => `${username} has no second factor now.`,
  },
  unlink: {
    label: 'Unlink sign-in',
    says: 'For somebody whose sign-in at the provider has changed.',
    asks: (username) => `Unlink the sign-in of ${username}?`,
    explains:
      'The account is no longer linked to anybody at the provider, and all sessions end. The person signs in with a password or a passkey and links the account again. Be sure who asked you for this. The person is told by mail.',
    does: 'Unlink',
    isDangerous: true,
    fits: ({ waysIn }) => waysIn.provider,
    done: (username) => `${username} is linked to no sign-in at the provider now.`,
  },
  access: {
    label: 'Revoke tokens and apps',
    says: 'Ends every access token and disconnects every app.',
    asks: (username) => `Revoke all tokens and apps of ${username}?`,
    explains: 'Programs and agents that use the account stop working. This can’t be undone.',
    does: 'Revoke all',
    isDangerous: true,
    done: (username) => `All tokens of ${username} are revoked, and all apps disconnected.`,
  },
  'make-admin': {
    label: 'Make administrator',
    says: 'Lets the person do everything that you can do here.',
    asks: (username) => `Make ${username} an administrator?`,
    explains: 'Administrators see and change all accounts, and can make others administrators.',
    does: 'Make administrator',
    isDangerous: true,
    fits: ({ adminSince, disabledAt }) => adminSince === null && disabledAt === null,
    done: (username) => `${username} is an administrator.`,
  },
  'remove-admin': {
    label: 'No longer administrator',
    says: 'The account stays, without the administration.',
    asks: (username) => `Make ${username} no longer an administrator?`,
    explains: 'The account stays as it is. The last administrator can’t be removed here.',
    does: 'Remove',
    isDangerous: true,
    fits: ({ adminSince }) => adminSince !== null,
    done: (username) => `${username} is no longer an administrator.`,
  },
  disable: {
    label: 'Disable account',
    says: 'Hides the account and its documents. You can enable it again.',
    asks: (username) => `Disable ${username}?`,
    explains:
      'The person can’t sign in, tokens and apps stop working, and its documents are hidden, except from people they were shared with. Enabling the account undoes all of it.',
    does: 'Disable account',
    isDangerous: true,
    asksDocuments: true,
    fits: ({ disabledAt }) => disabledAt === null,
    done: (username) => `${username} is disabled.`,
  },
  enable: {
    label: 'Enable account',
    says: 'Gives the person and the documents back what they had.',
    asks: (username) => `Enable ${username}?`,
    explains: 'The person can sign in again, and its documents are shown as before.',
    does: 'Enable account',
    fits: ({ disabledAt }) => disabledAt !== null,
    done: (username) => `${username} is enabled.`,
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof ACTS;

export const ACT_NAMES = Object.keys(ACTS) as ActName[];

/** Shows an account with what can be done with it. */
export function personPage(page: { person: Person; signIn: SignInWays; now: string }): AppPage {
  const { person, signIn, now } = page;
  const { username } = person;
  const owner = { type: 'user', namespace: username } as const;
  return administrationPage('people', {
    title: username,
    about: (
      <>
        {username} <Marks person={person} />
      </>
    ),
    actions: <OwnerLinks owner={owner} />,
    children: (
      <>
        <AccountFacts person={person} signIn={signIn} now={now} />
        <section aria-labelledby="usage">
          <h2 id="usage">Stored</h2>
          <UsageFacts usage={person.usage} />
        </section>
        <Acts
          id="account-acts"
          title="Manage"
          person={person}
          signIn={signIn}
          names={['verify', 'reset-link', 'unlock', 'enable']}
        >
          <ActRow
            label="Rename"
            says="Addresses of documents change with the username."
            href={personPath(username, 'rename')}
          />
          <ActRow
            label="Change address"
            says="The new address has to be verified."
            href={personPath(username, 'email')}
          />
        </Acts>
        <Access person={person} now={now} />
        <Memberships person={person} />
        <LargestDocuments owner={owner} documents={person.largest} />
        <Acts
          id="danger-acts"
          title="Danger"
          person={person}
          signIn={signIn}
          names={[
            'sessions',
            'second-factor',
            'unlink',
            'access',
            'make-admin',
            'remove-admin',
            'disable',
          ]}
        >
          <ActRow
            label="Hand over documents"
            says="Gives documents to another person or an organization."
            href={personPath(username, 'hand-over')}
          />
          <ActRow
            label="Delete account"
            says="Deletes the account with everything that it owns."
            href={personPath(username, 'delete')}
          />
        </Acts>
      </>
    ),
  });
}

function AccountFacts(facts: { person: Person; signIn: SignInWays; now: string }): JSX.Element {
  const { person, signIn, now } = facts;
  const { username, email, emailVerifiedAt, createdAt, signedInAt, adminSince, disabledAt } =
    person;
  return (
    <section aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl class="identity">
        <dt>Profile</dt>
        <dd>
          <a href={profilePath(username)}>{username}</a>
        </dd>
        <dt>Email address</dt>
        <dd>
          {email}
          {emailVerifiedAt === null && <span class="aside"> (not verified)</span>}
        </dd>
        <dt>Created</dt>
        <dd>
          <Day at={createdAt} />
        </dd>
        <dt>Last sign-in</dt>
        <dd>{signedInAt === null ? 'Never' : <Ago at={signedInAt} now={now} />}</dd>
        <dt>Signs in with</dt>
        <dd>{waysInWords(person.waysIn, signIn)}</dd>
        <dt>Sessions</dt>
        <dd>{person.sessions}</dd>
        <dt>Second factor</dt>
        <dd>
          {person.secondFactorAt === null ? (
            'None'
          ) : (
            <>
              Since <Day at={person.secondFactorAt} />
            </>
          )}
        </dd>
        {adminSince !== null && (
          <>
            <dt>Administrator since</dt>
            <dd>
              <Day at={adminSince} />
            </dd>
          </>
        )}
        {person.refusedAt !== null && (
          <>
            <dt>Refused by the provider</dt>
            <dd>
              <Moment at={person.refusedAt} />
            </dd>
          </>
        )}
        {disabledAt !== null && (
          <>
            <dt>Disabled</dt>
            <dd>
              <Moment at={disabledAt} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** Says how somebody can sign in, as far as the instance accepts it. */
function waysInWords({ password, provider, passkeys }: WaysIn, signIn: SignInWays): string {
  const ways = [
    password && signIn.hasPasswords && 'a password',
    provider && signIn.provider,
    passkeys > 0 && (passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`),
  ].filter((way) => typeof way === 'string');
  const words = ways.join(', ') || 'nothing yet';
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Lists tokens and applications by name. */
function Access({ person, now }: { person: Person; now: string }): JSX.Element | null {
  const rows = [
    ...person.tokens.map((token) => ({ ...token, kind: 'Token' })),
    ...person.applications.map(({ name, host, ...application }) => ({
      ...application,
      name: `${name} (${host})`,
      kind: 'App',
    })),
  ];
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="access">
      <h2 id="access">Tokens and apps</h2>
      <FactsTable
        label="Tokens and apps"
        columns={[
          { label: 'Name', breaks: true },
          { label: 'Kind' },
          { label: 'Created' },
          { label: 'Last used' },
        ]}
        rows={rows.map(({ name, kind, createdAt, lastUsedAt }) => [
          name,
          kind,
          <Day at={createdAt} />,
          lastUsedAt === null ? 'Never' : <Ago at={lastUsedAt} now={now} />,
        ])}
      />
    </section>
  );
}

function Memberships({ person }: { person: Person }): JSX.Element | null {
  if (person.memberships.length === 0) return null;
  return (
    <section aria-labelledby="memberships">
      <h2 id="memberships">Organizations</h2>
      <FactsTable
        label="Organizations"
        columns={[{ label: 'Organization' }, { label: 'Role' }]}
        rows={person.memberships.map(({ namespace, role }) => [
          <a href={managedPath(namespace)}>{namespace}</a>,
          role === 'admin' ? 'Admin' : 'Member',
        ])}
      />
    </section>
  );
}

function Acts(props: {
  id: string;
  title: string;
  person: Person;
  signIn: SignInWays;
  names: readonly ActName[];
  children: ComponentChildren;
}): JSX.Element {
  const { id, title, person } = props;
  const acts = props.names.filter((name) => {
    const { fits }: Act = ACTS[name];
    return fits?.(person, props.signIn) ?? true;
  });
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="rows">
        {props.id === 'account-acts' && props.children}
        {acts.map((name) => {
          const { label, says }: Act = ACTS[name];
          const href = personPath(person.username, name);
          return <ActRow label={label} says={says} href={href} />;
        })}
        {props.id !== 'account-acts' && props.children}
      </ul>
    </section>
  );
}

function ActRow(row: { label: string; says: string; href: string }): JSX.Element {
  return (
    <li>
      <div>{row.says}</div>
      <a class="secondary small" href={row.href} data-dialog>
        {row.label}
      </a>
    </li>
  );
}

/** Asks for confirmation of an act. */
export function actPage({
  username,
  name,
  form = NO_HAND_OVER,
  faults = {},
}: {
  username: string;
  name: ActName;
  form?: HandOverForm;
  faults?: Faults;
}): AppPage {
  const { asks, explains, does, isDangerous = false, asksDocuments = false }: Act = ACTS[name];
  return dialogScreen({
    title: asks(username),
    place: 'administration',
    children: (
      <>
        <p>{explains}</p>
        <form class="form" method="post" action={personPath(username, name)}>
          <FormFault fault={faults.form ?? faults.documents} />
          {asksDocuments && <DocumentsQuestion otherwise="keep" form={form} faults={faults} />}
          <FormActions
            label={does}
            back={personPath(username)}
            class={isDangerous ? 'danger' : 'primary'}
          />
        </form>
      </>
    ),
  });
}

/** Asks for another username. */
export function renamePersonPage(page: { username: string; to: string; faults: Faults }): AppPage {
  const { username, to, faults } = page;
  return dialogScreen({
    title: `Rename ${username}`,
    place: 'administration',
    children: (
      <>
        <p>
          Addresses of documents, secret links aside, begin with the username. The former ones no
          longer work. Nobody else can take the name {username} for {NAMESPACE_RESERVED_DAYS} days.
        </p>
        <form class="form" method="post" action={personPath(username, 'rename')}>
          <FormFault fault={faults.form} />
          <Field
            name="to"
            label="New username"
            value={to}
            fault={faults.username}
            autocomplete="off"
            focused
          />
          <FormActions label="Rename" back={personPath(username)} />
        </form>
      </>
    ),
  });
}

/** Asks for another address. */
export function changeAddressPage(page: {
  username: string;
  email: string;
  faults: Faults;
}): AppPage {
  const { username, email, faults } = page;
  return dialogScreen({
    title: `Change the address of ${username}`,
    place: 'administration',
    children: (
      <>
        <p>
          The former address is told, if it was verified. The new one gets a mail that asks to
          verify it.
        </p>
        <form class="form" method="post" action={personPath(username, 'email')}>
          <FormFault fault={faults.form} />
          <Field
            name="email"
            label="New email address"
            type="email"
            value={email}
            fault={faults.email}
            autocomplete="off"
            focused
          />
          <FormActions label="Change address" back={personPath(username)} />
        </form>
      </>
    ),
  });
}

/** Shows what deleting an account deletes, and asks for its name. */
export function deletePersonPage(page: {
  username: string;
  deletion: AccountDeletion;
  form: HandOverForm;
  faults: Faults;
}): AppPage {
  const { username, deletion, form, faults } = page;
  const hasDocuments = deletion.briefs + deletion.pages > 0;
  return dialogScreen({
    title: `Delete ${username}?`,
    place: 'administration',
    children:
      deletion.lastAdminOf.length > 0 ? (
        <>
          <p>
            {username} is the only admin of {deletion.lastAdminOf.join(', ')}. Another admin has to
            be added, or the organization deleted, before.
          </p>
          <p class="form-actions">
            <a class="secondary" href={personPath(username)} data-closes>
              Close
            </a>
          </p>
        </>
      ) : (
        <>
          <p>This can’t be undone. It deletes:</p>
          <ul>
            {goingWith(deletion).map((each) => (
              <li>{each}</li>
            ))}
          </ul>
          <form class="form" method="post" action={personPath(username, 'delete')}>
            <FormFault fault={faults.form ?? faults.documents} />
            {hasDocuments && <DocumentsQuestion otherwise="delete" form={form} faults={faults} />}
            <Field
              name="confirmation"
              label={`Type ${username} to confirm`}
              fault={faults.confirmation}
              autocomplete="off"
              focused
            />
            <FormActions label="Delete account" back={personPath(username)} class="danger" />
          </form>
        </>
      ),
  });
}

function goingWith(deletion: AccountDeletion): string[] {
  const { briefs, pages, trashed, takenDown, files, tokens, applications, collaborations, links } =
    deletion;
  const counted: [number, one: string, more: string][] = [
    [briefs, 'brief', 'briefs'],
    [pages, 'page', 'pages'],
    [trashed, 'document in the trash', 'documents in the trash'],
    [takenDown, 'document that is taken down', 'documents that are taken down'],
    [files, 'uploaded file', 'uploaded files'],
    [tokens, 'token', 'tokens'],
    [applications, 'connected app', 'connected apps'],
    [collaborations, 'access to a document of others', 'accesses to documents of others'],
    [links, 'secret link', 'secret links'],
    [deletion.organizations.length, 'membership', 'memberships'],
  ];
  return [
    'the account',
    ...counted
      .filter(([number]) => number > 0)
      .map(([number, one, more]) => `${number} ${number === 1 ? one : more}`),
  ];
}
