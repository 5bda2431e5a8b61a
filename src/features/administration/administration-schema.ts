import { Type } from 'typebox';
import {
  Id,
  Nullable,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { ALL_KINDS } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';
import { ROLES } from '../../core/owner/organization-access.ts';
import type { ListedOrganization, OrganizationDetails } from './organizations-service.ts';
import { ORGANIZATION_FILTERS } from './organizations-store.ts';
import type { ListedPerson, Person } from './people-service.ts';
import { PEOPLE_FILTERS, type PersonRow, type Usage } from './people-store.ts';
import { RETRIED } from './work-service.ts';

const bytes = (description: string) => Type.Integer({ minimum: 0, description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const UsageSchema = Type.Object(
  {
    documents: count('How many briefs and pages, without those in the trash.'),
    totalBytes: bytes('All of the following.'),
    currentBytes: bytes('Current texts.'),
    trashBytes: bytes('Texts of documents in the trash.'),
    historyBytes: bytes('Older texts, as they are stored.'),
    fileBytes: bytes('Uploaded files.'),
  },
  { title: 'Usage' },
);

const account = {
  id: Id('The user’s id.'),
  username: Type.String({ examples: ['ada'] }),
  email: Type.String({ examples: ['ada@example.com'] }),
  emailVerifiedAt: NullableTimestamp('When the address was verified; `null` if it isn’t.'),
  createdAt: Timestamp('When the account was created.'),
  lastSignInAt: NullableTimestamp('When the user last signed in to the web app; `null` for never.'),
  adminSince: NullableTimestamp(
    'Since when the user administers the instance; `null` if they don’t.',
  ),
  disabledAt: NullableTimestamp('When the account was disabled; `null` if it isn’t.'),
};

export const ManagedAccount = Type.Object(account, { title: 'ManagedAccount' });

export const ManagedUser = Type.Object(
  { ...account, usage: UsageSchema },
  { title: 'ManagedUser' },
);

const SizedDocument = Type.Object(
  {
    kind: OneOf(ALL_KINDS, 'The kind of document.'),
    name: Type.String({ description: 'Its name; never its title or text.', examples: ['plans'] }),
    visibility: OneOf(VISIBILITIES, 'Who can see it.'),
    isTakenDown: Type.Boolean({ description: 'Whether an administrator has taken it down.' }),
    bytes: bytes('The size of its current text.'),
  },
  { title: 'SizedDocument' },
);

const named = {
  id: Id('Its id.'),
  name: Type.String({ description: 'Its name.' }),
  createdAt: Timestamp('When it was created or connected.'),
  lastUsedAt: NullableTimestamp('When it was last used.'),
};

export const ManagedUserDetails = Type.Object(
  {
    ...account,
    usage: UsageSchema,
    largestDocuments: Type.Array(SizedDocument, { description: 'The largest, at most 50.' }),
    sessions: count('How many browsers are signed in.'),
    waysIn: Type.Object(
      {
        password: Type.Boolean({ description: 'Whether the user has a password.' }),
        provider: Type.Boolean({ description: 'Whether the user is linked to the provider.' }),
        passkeys: count('How many passkeys the user has.'),
      },
      { description: 'How the user can sign in to the web app.' },
    ),
    tokens: Type.Array(Type.Object(named), { description: 'Tokens that work.' }),
    applications: Type.Array(
      Type.Object({ ...named, host: Type.String({ description: 'Where it is from.' }) }),
      { description: 'Connected applications.' },
    ),
    memberships: Type.Array(
      Type.Object({
        namespace: Type.String({ description: 'The organization’s namespace.' }),
        role: OneOf(ROLES, 'The user’s role there.'),
      }),
    ),
  },
  { title: 'ManagedUserDetails' },
);

export const UsersQuery = Type.Object({
  q: Type.Optional(
    Text({
      description: 'What the username or the address begins with, among the first 5,000 of each.',
    }),
  ),
  filter: Type.Optional(
    OneOf(
      PEOPLE_FILTERS,
      'Which accounts: all (default), those of administrators, disabled ones, those that have ' +
        'never signed in to the web app (`new`), whose address isn’t verified (`unverified`), that ' +
        'have no second factor (`singleFactor`), or that aren’t linked to the OpenID provider ' +
        '(`unlinked`).',
    ),
  ),
});

export const OrganizationsQuery = Type.Object({
  q: Type.Optional(Text({ description: 'What the namespace begins with.' })),
  filter: Type.Optional(
    OneOf(
      ORGANIZATION_FILTERS,
      'Which organizations: all (default), or those without an admin whose account works ' +
        '(`adminless`).',
    ),
  ),
});

const username = Text({
  description: '1 to 39 letters `a-z`, digits or single inner hyphens; converted to lower case.',
  examples: ['grace-hopper'],
});
const email = Text({ description: 'The email address.', examples: ['grace@example.org'] });

export const CreateManagedUserBody = Type.Object(
  {
    username,
    email,
  },
  { title: 'CreateManagedUser', additionalProperties: false },
);

export const UpdateManagedUserBody = Type.Object(
  {
    disabled: Type.Optional(Type.Boolean({ description: 'Whether the account is disabled.' })),
  },
  { title: 'UpdateManagedUser', additionalProperties: false, minProperties: 1 },
);

export const UserDeletion = Type.Object(
  {
    briefs: count('Briefs that would be deleted.'),
    pages: count('Pages that would be deleted.'),
    trashed: count('Documents in the trash. They are deleted even if others are handed over.'),
    takenDown: count(
      'Documents that are taken down. They are deleted even if others are handed over.',
    ),
    files: count('Uploaded files that would be deleted.'),
    tokens: count('Tokens that would be revoked.'),
    applications: count('Applications that would be disconnected.'),
    collaborations: count('Documents of others that the user collaborates on.'),
    invitations: count('Pending invitations by the user.'),
    links: count('Secret links by the user.'),
    organizations: Type.Array(Type.String(), { description: 'Organizations the user is in.' }),
    lastAdminOf: Type.Array(Type.String(), {
      description: 'Organizations whose only admin the user is. They block the deletion.',
    }),
  },
  { title: 'UserDeletion' },
);

export const UserDeletionQuery = Type.Object(
  {
    documents: Type.Optional(
      OneOf(['delete'], 'Without it, an account that has documents isn’t deleted.'),
    ),
  },
  { additionalProperties: false },
);

export const HandOverBody = Type.Object(
  {
    to: Text({ description: 'A username or an organization’s namespace.', examples: ['grace'] }),
    documents: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Ids, or names such as `plan` and `pages/dice`. All documents, if absent.',
        minItems: 1,
        maxItems: 10_000,
      }),
    ),
  },
  { title: 'HandOver', additionalProperties: false },
);

export const HandedOver = Type.Object(
  { documents: count('How many documents were handed over.') },
  { title: 'HandedOver' },
);

const organization = {
  id: Id('The organization’s id.'),
  namespace: Type.String({ examples: ['engines'] }),
  name: Type.String({ examples: ['Engines'] }),
  createdAt: Timestamp('When it was created.'),
  members: count('How many members it has, admins included.'),
  admins: count('How many admins it has.'),
  activeAdmins: count('How many admins have an account that isn’t disabled.'),
  usage: UsageSchema,
};

export const ManagedOrganization = Type.Object(organization, { title: 'ManagedOrganization' });

export const ManagedOrganizationDetails = Type.Object(
  {
    ...organization,
    people: Type.Array(
      Type.Object({
        username: Type.String({ examples: ['ada'] }),
        role: OneOf(ROLES, 'The role.'),
        joinedAt: Timestamp('When the user joined.'),
        disabledAt: NullableTimestamp('When the account was disabled; `null` if it isn’t.'),
      }),
      { description: 'The members, admins first, at most 50.' },
    ),
    largestDocuments: Type.Array(SizedDocument, { description: 'The largest, at most 50.' }),
  },
  { title: 'ManagedOrganizationDetails' },
);

const failing = {
  id: Id('Its id.'),
  attempts: count('How many attempts failed.'),
  fault: Nullable('string', 'Why the last one failed; `null` if it isn’t known.'),
  nextAt: Timestamp('When the next attempt is due.'),
  createdAt: Timestamp('When it was created.'),
};

export const WorkSchema = Type.Object(
  {
    queues: Type.Array(
      Type.Object({
        work: OneOf(['mail', 'webhooks', 'search', 'feed', 'packing'], 'The kind of work.'),
        waiting: count('How many pieces are due, at most 10,000.'),
        since: NullableTimestamp(
          'Since when the oldest is due; `null` if none is, or it isn’t stored.',
        ),
      }),
    ),
    mails: Type.Array(
      Type.Object({
        ...failing,
        kind: Type.String({ description: 'The kind of mail.' }),
        username: Nullable('string', 'Who gets it; `null` for a mail to an address.'),
      }),
      { description: 'Mails that could not be sent yet, at most 50.' },
    ),
    deliveries: Type.Array(
      Type.Object({
        ...failing,
        owner: Type.String({ description: 'The owner of the webhook.' }),
        host: Type.String({ description: 'The host of its address.' }),
        code: Nullable('integer', 'The HTTP status of the last response.'),
      }),
      { description: 'Deliveries to webhooks that failed and are tried again, at most 50.' },
    ),
  },
  { title: 'BackgroundWork' },
);

export const RetryBody = Type.Object(
  { work: OneOf(RETRIED, 'What to try again.') },
  { title: 'RetryWork', additionalProperties: false },
);

export const Retries = Type.Object(
  { tried: count('How many mails or deliveries are due now.') },
  { title: 'Retries' },
);

export const TestMailSchema = Type.Object(
  {
    to: Type.String({ description: 'Your address.' }),
    sent: Type.Boolean({ description: 'Whether the mail server accepted it.' }),
    answer: Type.String({ description: 'What the mail server answered, or the error.' }),
  },
  { title: 'TestMail' },
);

export const StorageSchema = Type.Object(
  {
    totals: Type.Object({
      accounts: count('Accounts.'),
      organizations: count('Organizations.'),
      documents: count('Briefs and pages, without those in the trash.'),
      revisions: count('Revisions.'),
      files: count('Uploaded files.'),
      databaseBytes: bytes('The database with its indexes.'),
      blobBytes: bytes('HTML pages, long texts and uploaded files in the blob store.'),
    }),
    countedAt: Timestamp('When all of it was counted, at most ten minutes ago.'),
    days: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'The day in UTC.' }),
        accounts: count('Accounts created on that day.'),
        documents: count('Documents created on that day, without those deleted for good.'),
      }),
      { description: 'The last 30 days, today last.' },
    ),
  },
  { title: 'StorageFacts' },
);

export function presentUsage(usage: Usage) {
  return { ...usage, totalBytes: totalBytes(usage) };
}

/** Adds up all that an owner stores. */
export function totalBytes({ currentBytes, trashBytes, historyBytes, fileBytes }: Usage): number {
  return currentBytes + trashBytes + historyBytes + fileBytes;
}

export function presentAccount({ signedInAt, ...row }: PersonRow | AccountRow) {
  return { ...row, lastSignInAt: signedInAt };
}

export function presentListed({ usage, ...row }: ListedPerson) {
  return { ...presentAccount(row), usage: presentUsage(usage) };
}

export function presentPerson({ usage, largest, ...person }: Person) {
  return {
    ...presentAccount(person),
    usage: presentUsage(usage),
    largestDocuments: largest,
    sessions: person.sessions,
    waysIn: person.waysIn,
    tokens: person.tokens,
    applications: person.applications,
    memberships: person.memberships,
  };
}

export function presentOrganization<T extends ListedOrganization>({ usage, ...row }: T) {
  return { ...row, usage: presentUsage(usage) };
}

export function presentOrganizationDetails({ largest, ...details }: OrganizationDetails) {
  return { ...presentOrganization(details), largestDocuments: largest };
}
