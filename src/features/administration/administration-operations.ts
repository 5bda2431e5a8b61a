import { act, change, get, list, make, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR, ANY_ACCOUNT_OF_ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import { handOver } from '../moves/hand-over-service.ts';
import {
  CreateManagedUserBody,
  HandedOver,
  HandOverBody,
  ManagedAccount,
  ManagedOrganization,
  ManagedOrganizationDetails,
  ManagedUser,
  ManagedUserDetails,
  OrganizationsQuery,
  presentAccount,
  presentListed,
  presentOrganization,
  presentOrganizationDetails,
  presentPerson,
  Retries,
  RetryBody,
  StorageSchema,
  TestMailSchema,
  UpdateManagedUserBody,
  UserDeletion,
  UserDeletionQuery,
  UsersQuery,
  WorkSchema,
} from './administration-schema.ts';
import { describeOrganization, listOrganizations } from './organizations-service.ts';
import { getPerson, listPeople } from './people-service.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  describeDeletion,
  endSessionsOf,
  revokeAccessOf,
} from './person-service.ts';
import { describeStorage } from './storage-service.ts';
import { describeWork, retryWork, sendTestMail } from './work-service.ts';

const COMMON = { tag: 'Administration', scope: 'admin' } as const;
const ADMIN = { ...COMMON, rule: ADMINISTRATOR } as const;
const OF_USER = { ...COMMON, rule: ANY_ACCOUNT_OF_ADMINISTRATOR } as const;

/** Adds the routes of administrators of the instance. */
export function addAdministrationOperations(api: Api): void {
  addPeople(api);
  addActs(api);
  addOrganizations(api);
  addWork(api);
}

function addPeople(api: Api): void {
  list(api, {
    ...ADMIN,
    path: '/admin/users',
    id: 'listManagedUsers',
    summary: 'List accounts',
    description: 'Newest first.',
    query: UsersQuery,
    items: ManagedUser,
    find: ({ call, query: { q: search, filter }, page }) =>
      listPeople(call, call.actor, { search, filter }, page),
    present: presentListed,
  });

  make(api, {
    ...ADMIN,
    path: '/admin/users',
    id: 'createManagedUser',
    summary: 'Create an account',
    description:
      'The account has no password until the user sets one with a link, which administrators make in ' +
      'the web app. If the server sends mail, the user is asked to verify the address.',
    body: CreateManagedUserBody,
    answer: ManagedAccount,
    errors: [422],
    handler: async ({ call, body }) => {
      const { account } = await createPerson(call, call.actor, { ...body, withLink: false });
      return { data: presentAccount(account), location: `/admin/users/${account.username}` };
    },
  });

  get(api, {
    ...OF_USER,
    path: '/admin/users/{username}',
    id: 'getManagedUser',
    summary: 'Get an account',
    description: 'With the names and sizes of its documents, also private ones, but no texts.',
    answer: ManagedUserDetails,
    handler: async ({ call, params }) =>
      presentPerson(await getPerson(call, call.actor, params.username)),
  });

  change(api, {
    ...OF_USER,
    path: '/admin/users/{username}',
    id: 'updateManagedUser',
    summary: 'Disable or enable an account',
    description:
      'The user is told by mail. The last administrator can’t be disabled. Usernames, addresses, ' +
      'passwords and administrators are changed in the web app only.',
    body: UpdateManagedUserBody,
    answer: ManagedAccount,
    errors: [422],
    handler: async ({ call, params, body }) =>
      presentAccount(await changePerson(call, call.actor, params.username, body)),
  });

  get(api, {
    ...OF_USER,
    path: '/admin/users/{username}/deletion',
    id: 'getUserDeletion',
    summary: 'Get what deleting an account would delete',
    description: 'Counts, and the organizations that block the deletion.',
    answer: UserDeletion,
    handler: ({ call, params }) => describeDeletion(call, call.actor, params.username),
  });

  addOperation(api, {
    ...OF_USER,
    method: 'DELETE',
    path: '/admin/users/{username}',
    id: 'deleteManagedUser',
    summary: 'Delete an account',
    description:
      'Also deletes its files, tokens and sessions, and its documents if `documents` says so. ' +
      'This can’t be undone.',
    query: UserDeletionQuery,
    answers: { 204: null },
    errors: [422],
    handler: async ({ call, params, query: { documents } }) => {
      await deletePerson(call, call.actor, params.username, documents ? { documents } : {});
      return NO_CONTENT;
    },
  });

  act(api, {
    ...OF_USER,
    path: '/admin/users/{username}/hand-over',
    id: 'handOverDocuments',
    summary: 'Give a user’s documents to somebody else',
    description:
      'Also those of a disabled account. They keep their history, comments, reviewers, ' +
      'collaborators and secret links; a name that is taken gets a number, and what can’t be public ' +
      'there becomes private. Both sides are mailed. If it is interrupted, repeat it for the rest. ' +
      'With a token, only to an organization that the user is in and you don’t administer; ' +
      'in the web app, to anybody.',
    body: HandOverBody,
    answer: HandedOver,
    errors: [409, 422],
    handler: async ({ call, params, body }) => ({
      documents: await handOver(call, call.actor, params.username, body),
    }),
  });
}

function addActs(api: Api): void {
  for (const { part, act, ...described } of [
    {
      part: 'sessions',
      id: 'endUserSessions',
      summary: 'End all sessions of a user',
      description: 'Signs the user out in every browser. Tokens and applications go on working.',
      act: endSessionsOf,
    },
    {
      part: 'access',
      id: 'revokeUserAccess',
      summary: 'Revoke a user’s tokens and disconnect applications',
      description: 'All of them. This can’t be undone.',
      act: revokeAccessOf,
    },
  ] as const) {
    remove(api, {
      ...OF_USER,
      path: `/admin/users/{username}/${part}`,
      ...described,
      handler: ({ call, params }) =>
        act(call, call.actor, (params as { username: string }).username),
    });
  }
}

function addOrganizations(api: Api): void {
  list(api, {
    ...ADMIN,
    path: '/admin/orgs',
    id: 'listManagedOrganizations',
    summary: 'List organizations',
    description: 'Newest first.',
    query: OrganizationsQuery,
    items: ManagedOrganization,
    find: ({ call, query: { q: search, filter }, page }) =>
      listOrganizations(call, call.actor, { search, filter }, page),
    present: presentOrganization,
  });

  get(api, {
    ...ADMIN,
    path: '/admin/orgs/{org}',
    id: 'getManagedOrganization',
    summary: 'Get an organization as an administrator',
    description: 'With the names and sizes of its documents, also private ones, but no texts.',
    answer: ManagedOrganizationDetails,
    errors: [404],
    handler: async ({ call, params }) =>
      presentOrganizationDetails(await describeOrganization(call, call.actor, params.org)),
  });
}

function addWork(api: Api): void {
  get(api, {
    ...ADMIN,
    path: '/admin/work',
    id: 'getBackgroundWork',
    summary: 'Get the background work',
    description: 'What waits, and what failed and is tried again.',
    answer: WorkSchema,
    handler: ({ call }) => describeWork(call, call.actor),
  });

  act(api, {
    ...ADMIN,
    path: '/admin/work/retries',
    id: 'retryBackgroundWork',
    summary: 'Try failed mails or deliveries again now',
    description: 'Those of which attempts failed, instead of at their next attempt.',
    body: RetryBody,
    answer: Retries,
    handler: async ({ call, body }) => ({ tried: await retryWork(call, body.work) }),
  });

  act(api, {
    ...ADMIN,
    path: '/admin/test-mail',
    id: 'sendTestMail',
    summary: 'Send a mail to yourself',
    description: 'Sends it at once and returns what the mail server answered.',
    answer: TestMailSchema,
    errors: [422],
    handler: ({ call }) => sendTestMail(call),
  });

  get(api, {
    ...ADMIN,
    path: '/admin/storage',
    id: 'getStorage',
    summary: 'Get what is stored',
    description: 'Totals, and what was created on each of the last 30 days.',
    answer: StorageSchema,
    handler: ({ call }) => describeStorage(call, call.actor),
  });
}
