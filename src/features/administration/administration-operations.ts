import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR, ANY_ACCOUNT_OF_ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import {
  CreateManagedUserBody,
  ManagedAccount,
  ManagedOrganizationDetails,
  ManagedOrganizationPage,
  ManagedUserDetails,
  ManagedUserPage,
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
  addOperation(api, {
    ...ADMIN,
    method: 'GET',
    path: '/admin/users',
    id: 'listManagedUsers',
    summary: 'List accounts',
    description: 'Newest first, at most 50. To continue, send `cursor` as `after`.',
    query: UsersQuery,
    answers: { 200: ManagedUserPage },
    handler: async ({ context, actor, query }) => {
      const { q: search, filter = 'all', after } = query;
      const { items, cursor } = await listPeople(context, actor, { search, filter, after });
      return { status: 200, data: { items: items.map(presentListed), cursor } };
    },
  });

  addOperation(api, {
    ...ADMIN,
    method: 'POST',
    path: '/admin/users',
    id: 'createManagedUser',
    summary: 'Create an account',
    description:
      'The account has no password until the user sets one with a link, which administrators make in ' +
      'the web app. If the server sends mail, the user is asked to verify the address.',
    body: CreateManagedUserBody,
    answers: { 201: ManagedAccount },
    sends: { 201: ['Location'] },
    errors: [422],
    handler: async ({ context, actor, body }) => {
      const { account } = await createPerson(context, actor, { ...body, withLink: false });
      return {
        status: 201,
        data: presentAccount(account),
        location: `/admin/users/${account.username}`,
      };
    },
  });

  addOperation(api, {
    ...OF_USER,
    method: 'GET',
    path: '/admin/users/{username}',
    id: 'getManagedUser',
    summary: 'Get an account',
    description: 'With the names and sizes of its documents, also private ones, but no texts.',
    answers: { 200: ManagedUserDetails },
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentPerson(await getPerson(context, actor, params.username)),
    }),
  });

  addOperation(api, {
    ...OF_USER,
    method: 'PATCH',
    path: '/admin/users/{username}',
    id: 'updateManagedUser',
    summary: 'Change an account',
    description:
      'Send at least one field. The user is told by mail. A former username stays reserved, and ' +
      'addresses of documents under it no longer work. The last administrator can’t be disabled. ' +
      'Addresses, passwords and administrators are changed in the web app only.',
    body: UpdateManagedUserBody,
    answers: { 200: ManagedAccount },
    errors: [422],
    handler: async ({ context, actor, params, body }) => {
      const changed = await changePerson(context, actor, params.username, body);
      return { status: 200, data: presentAccount(changed) };
    },
  });

  addOperation(api, {
    ...OF_USER,
    method: 'GET',
    path: '/admin/users/{username}/deletion',
    id: 'getUserDeletion',
    summary: 'Get what deleting an account would delete',
    description: 'Counts, and the organizations that block the deletion.',
    answers: { 200: UserDeletion },
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: await describeDeletion(context, actor, params.username),
    }),
  });

  addOperation(api, {
    ...OF_USER,
    method: 'DELETE',
    path: '/admin/users/{username}',
    id: 'deleteManagedUser',
    summary: 'Delete an account',
    description: 'Also deletes its documents, files, tokens and sessions. This can’t be undone.',
    answers: { 204: null },
    errors: [422],
    handler: async ({ context, actor, params }) => {
      await deletePerson(context, actor, params.username);
      return NO_CONTENT;
    },
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
    addOperation(api, {
      ...OF_USER,
      method: 'DELETE',
      path: `/admin/users/{username}/${part}`,
      ...described,
      answers: { 204: null },
      handler: async ({ context, actor, params }) => {
        await act(context, actor, (params as { username: string }).username);
        return NO_CONTENT;
      },
    });
  }
}

function addOrganizations(api: Api): void {
  addOperation(api, {
    ...ADMIN,
    method: 'GET',
    path: '/admin/orgs',
    id: 'listManagedOrganizations',
    summary: 'List organizations',
    description: 'Newest first, at most 50. To continue, send `cursor` as `after`.',
    query: OrganizationsQuery,
    answers: { 200: ManagedOrganizationPage },
    handler: async ({ context, actor, query: { q: search, filter, after } }) => {
      const asked = { filter, search, after };
      const { items, cursor } = await listOrganizations(context, actor, asked);
      return { status: 200, data: { items: items.map(presentOrganization), cursor } };
    },
  });

  addOperation(api, {
    ...ADMIN,
    method: 'GET',
    path: '/admin/orgs/{org}',
    id: 'getManagedOrganization',
    summary: 'Get an organization as an administrator',
    description: 'With the names and sizes of its documents, also private ones, but no texts.',
    answers: { 200: ManagedOrganizationDetails },
    errors: [404],
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: presentOrganizationDetails(await describeOrganization(context, actor, params.org)),
    }),
  });
}

function addWork(api: Api): void {
  addOperation(api, {
    ...ADMIN,
    method: 'GET',
    path: '/admin/work',
    id: 'getBackgroundWork',
    summary: 'Get the background work',
    description: 'What waits, and what failed and is tried again.',
    answers: { 200: WorkSchema },
    handler: async ({ context, actor }) => ({
      status: 200,
      data: await describeWork(context, actor),
    }),
  });

  addOperation(api, {
    ...ADMIN,
    method: 'POST',
    path: '/admin/work/retries',
    id: 'retryBackgroundWork',
    summary: 'Try failed mails or deliveries again now',
    description: 'Those of which attempts failed, instead of at their next attempt.',
    body: RetryBody,
    answers: { 200: Retries },
    handler: async ({ context, actor, body }) => ({
      status: 200,
      data: { tried: await retryWork(context, actor, body.work) },
    }),
  });

  addOperation(api, {
    ...ADMIN,
    method: 'POST',
    path: '/admin/test-mail',
    id: 'sendTestMail',
    summary: 'Send a mail to yourself',
    description: 'Sends it at once and returns what the mail server answered.',
    answers: { 200: TestMailSchema },
    errors: [422],
    handler: async ({ context, actor }) => ({
      status: 200,
      data: await sendTestMail(context, actor),
    }),
  });

  addOperation(api, {
    ...ADMIN,
    method: 'GET',
    path: '/admin/storage',
    id: 'getStorage',
    summary: 'Get what is stored',
    description: 'Totals, and what was created on each of the last 30 days.',
    answers: { 200: StorageSchema },
    handler: async ({ context, actor }) => ({
      status: 200,
      data: await describeStorage(context, actor),
    }),
  });
}
