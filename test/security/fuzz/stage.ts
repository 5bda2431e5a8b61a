import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { DocumentKind } from '../../../src/base/schema/kind.ts';
import { setAccountDisabled } from '../../../src/core/identity/account-service.ts';
import { setAdmin } from '../../../src/core/identity/admin.ts';
import { ALL_SCOPES } from '../../../src/core/identity/scope.ts';
import { createToken } from '../../../src/core/identity/token-service.ts';
import { makeReport } from '../../../src/features/moderation/reports.testing.ts';
import { formFor } from '../../files/samples.ts';
import type { Answer, Client, Service } from '../../harness.ts';
import { eventsPlaced, verify } from '../../mail/post-office.ts';
import { ALL_KINDS, documentBody } from '../../rest/scenario.ts';

/** The callers of requests. */
export const CALLERS = [
  // Owns documents, and administers an organization.
  'ada',
  'stranger',
  // Collaborators who can read and write.
  'reader',
  'writer',
  'invitee',
  'fellow',
  'newcomer',
  // Ada, with a token that only has the scope `profile`.
  'limited',
  'nobody',
  // With an invalid token.
  'mistyped',
] as const;
/** One of the callers of random requests, or the administrator of the instance, who sends none. */
export type CallerName = (typeof CALLERS)[number] | 'steward';

/** Callers that are always refused. */
export const WITHOUT_TOKEN: readonly CallerName[] = ['nobody', 'mistyped'];

/** A word of the bystander's private content, which no response to anyone else may contain. */
export const SECRET = 'quicksilver-7f3a';

/** The bystander's things, by their names in paths and tools. */
export const OF_THE_BYSTANDER = {
  owner: 'bystander',
  name: 'vault',
  username: 'bystander',
  org: 'cellar',
  organization: 'cellar',
};

/** Existing things that a path can name. */
export type Known = Record<
  | 'owner'
  | 'name'
  | 'username'
  | 'org'
  | 'inviteId'
  | 'linkId'
  | 'id'
  | 'trashId'
  | 'number'
  | 'thread'
  | 'comment'
  | 'position',
  string[]
>;

/** Threads and invitations on Ada's document of a kind. */
interface Talk {
  thread: string;
  comment: string;
  /** An open suggestion. */
  suggestion: string;
  /** An open proposal. */
  proposal: string;
  /** The document's current revision. */
  revision: number;
}

/** A service with a target for every operation, and an uninvolved bystander. */
export interface Stage {
  service: Service;
  clients: Record<CallerName, Client>;
  known: Known;
  /** Pending invitations: one to each of these, and one that the invitee received. */
  invitations: Record<'briefs' | 'pages' | 'orgs' | 'own', string>;
  /** Email invitations, by the first segment of their paths. */
  addresses: Record<'briefs' | 'pages' | 'orgs', string>;
  /** Secret links, by the kind's path segment. */
  links: Record<string, string>;
  /** Webhooks, by the first segment of their paths. */
  webhooks: Record<'user' | 'orgs', string>;
  /** An open report and an invitation to sign up, by the segment after `/admin`. */
  admin: Record<string, string>;
  /** By the kind's path segment. */
  talk: Record<string, Talk>;
  /** Restores what requests have deleted. */
  furnish(): Promise<void>;
  /** Asserts that the bystander's data is unchanged. */
  assertUntouched(): Promise<void>;
}

export async function makeStage(service: Service): Promise<Stage> {
  const people = ['ada', 'stranger', 'reader', 'writer', 'invitee', 'fellow', 'newcomer'] as const;
  const clients = {} as Record<CallerName, Client>;
  for (const name of people) clients[name] = await service.user(name);
  const input = { username: 'ada', name: 'limited', lifetimeMs: undefined };
  const { token } = await createToken(service.app.context, { ...input, scopes: ['profile'] });
  clients.limited = service.client(token);
  clients.nobody = service.client();
  clients.mistyped = service.client('brf_mistyped');

  await service.user('steward');
  await setAdmin(service.app.context, undefined, { username: 'steward', isAdmin: true });
  const all = { username: 'steward', name: 'admin', lifetimeMs: undefined, scopes: ALL_SCOPES };
  clients.steward = service.client((await createToken(service.app.context, all)).token);
  // An organization whose only admin is disabled.
  const leaver = await service.user('leaver');
  await leaver.post('/user/orgs', { namespace: 'abandoned', name: 'Abandoned' });
  await setAccountDisabled(service.app.context, 'leaver', true);

  // Only users with a verified address can invite by mail.
  await verify(service, 'ada');

  const bystander = await service.user('bystander');
  await bystander.post('/user/orgs', { namespace: 'cellar', name: 'Cellar' });
  for (const kind of ALL_KINDS) {
    const content = `<p>${SECRET}</p>`;
    for (const collection of ['user', 'orgs/cellar']) {
      const body = documentBody(kind, { name: 'vault', visibility: 'private', content });
      await bystander.post(`/${collection}/${kind.segment}`, body);
    }
  }
  const possessions = async () => {
    const paths = ALL_KINDS.flatMap(({ segment }) => [
      `/user/${segment}`,
      `/orgs/cellar/${segment}`,
      `/${segment}/bystander/vault`,
      `/${segment}/cellar/vault`,
      `/${segment}/cellar/vault/collaborators`,
      `/${segment}/bystander/vault/invitations`,
    ]);
    const others = ['/user', '/user/orgs', '/orgs/cellar', '/orgs/cellar/members', '/user/files'];
    const answers: unknown[] = [];
    for (const path of [...paths, ...others]) {
      const { status, text } = await bystander.get(path);
      answers.push([path, status, text]);
    }
    return answers;
  };
  const before = await possessions();

  const stage: Stage = {
    service,
    clients,
    known: {
      // Names of existing things are more frequent.
      owner: ['ada', 'ada', 'ada', 'engines', 'engines', 'bystander', 'cellar'],
      name: ['notes', 'notes', 'notes', 'vault', 'other'],
      username: [...people, 'bystander', 'engines'],
      org: ['engines', 'engines', 'engines', 'cellar', 'ada'],
      inviteId: [],
      linkId: [],
      id: [],
      trashId: [],
      number: ['1', '1', '2', '99'],
      thread: [],
      comment: [],
      position: [],
    },
    invitations: { briefs: '', pages: '', orgs: '', own: '' },
    addresses: { briefs: '', pages: '', orgs: '' },
    links: {},
    admin: {},
    webhooks: { user: '', orgs: '' },
    talk: {},
    furnish: () => furnish(stage),
    assertUntouched: async () => assert.deepEqual(await possessions(), before),
  };
  await stage.furnish();
  return stage;
}

/** Existing things are refused or unchanged. */
async function furnish(stage: Stage): Promise<void> {
  const { clients, known, invitations, addresses, links, talk, webhooks } = stage;
  const { ada, reader, invitee, fellow, steward } = clients;
  const body = (kind: DocumentKind) => documentBody(kind, { name: 'notes', visibility: 'private' });
  const managed = { username: 'managed', email: 'managed@example.com' };
  await clients.steward.post('/admin/users', managed);
  await Promise.all([
    ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' }),
    ada.request('/user/files', { method: 'POST', body: formFor('file') }),
    ...ALL_KINDS.map((kind) => ada.post(`/user/${kind.segment}`, body(kind))),
    // People who accepted can be invited again.
    ada.delete('/orgs/engines/members/newcomer'),
    ...ALL_KINDS.map(({ segment }) => ada.delete(`/${segment}/ada/notes/collaborators/invitee`)),
  ]);
  for (const kind of ALL_KINDS) {
    for (const name of ['removable', 'restorable']) {
      await ada.post(`/user/${kind.segment}`, documentBody(kind, { name }));
    }
    const address = `/admin/${kind.segment}/ada`;
    await steward.delete(`${address}/removable/takedown`);
    await steward.put(`${address}/restorable/takedown`, { reason: 'Spam.' });
  }
  const { id: reported } = (await ada.get('/briefs/ada/notes')).data;
  const invited = await steward.post('/admin/invitations', { email: 'guest@example.net' });
  stage.admin.invitations = invited.data.id;
  stage.admin.reports = await makeReport(stage.service, reported);
  const read = { permission: 'read' };
  const [added] = await Promise.all([
    Promise.all(
      ALL_KINDS.flatMap(({ segment }) =>
        (['reader', 'writer'] as const).map(async (name) => {
          const permission = name === 'reader' ? 'read' : 'write';
          const path = `/${segment}/ada/notes/collaborators/${name}`;
          return { name, answer: await ada.put(path, { permission }) };
        }),
      ),
    ),
    ...ALL_KINDS.map(({ segment }) => ada.put(`/${segment}/ada/notes/collaborators/invitee`, read)),
    ...ALL_KINDS.map((kind) => ada.post(`/orgs/engines/${kind.segment}`, body(kind))),
    ada.put('/orgs/engines/members/fellow', {}),
    ada.put('/orgs/engines/members/newcomer', {}),
  ]);
  await Promise.all([
    fellow.patch('/user/memberships/orgs/engines', { state: 'active' }),
    ...added
      .filter(({ answer }) => answer.status === 201)
      .map(({ name, answer }) => clients[name].patch(`/user/brief_invitations/${answer.data.id}`)),
  ]);

  for (const { segment, contentField } of ALL_KINDS) {
    // Revisions 1 and 2 are old texts.
    for (const text of ['The second content.', 'The third content.']) {
      await ada.patch(`/${segment}/ada/notes`, { [contentField]: text });
    }
    const path = `/${segment}/ada/notes`;
    await ada.patch(`${path}/review-settings`, { comments: 'insiders' });
    const suggestion = { on: { quote: 'third' }, replacement: 'fourth' };
    const asked = await ada.post(`${path}/threads`, { body: 'Why?' });
    const suggested = await ada.post(`${path}/threads`, suggestion);
    const edits = [{ op: 'append', content: 'More.' }];
    const proposed = await ada.post(`${path}/edits`, { edits, propose: true });
    if ([asked, suggested, proposed].every(({ status }) => status === 201)) {
      talk[segment] = {
        thread: asked.data.id,
        comment: asked.data.comments[0].id,
        suggestion: suggested.data.id,
        proposal: proposed.data.id,
        revision: Number((await ada.get(path)).headers.get('x-revision')),
      };
    }
    await ada.post(`${path}/links`, { access: 'read' });
    links[segment] = idsOf(await ada.get(`${path}/links`))[0] ?? '';
    await ada.put(`${path}/reviewers/reader`, {});
    await ada.post(`/user/${segment}`, { [contentField]: 'x', name: 'thrown-away' });
    await ada.delete(`/${segment}/ada/thrown-away`);
  }

  for (const [root, path] of [
    ['user', '/user/webhooks'],
    ['orgs', '/orgs/engines/webhooks'],
  ] as const) {
    const hook = { url: 'https://hooks.example.com/briefs', types: ['revision.created'] };
    if (idsOf(await ada.get(path)).length === 0) await ada.post(path, hook);
    webhooks[root] = idsOf(await ada.get(path))[0] ?? '';
  }
  for (const [root, path, input] of [
    ...ALL_KINDS.map(({ segment }) => [segment, `/${segment}/ada/notes`, read] as const),
    ['orgs', '/orgs/engines', {}] as const,
  ]) {
    const list = `${path}/email_invitations`;
    // No address may be invited often.
    const email = `${randomUUID()}@example.net`;
    if (idsOf(await ada.get(list)).length === 0) await ada.post(list, { email, ...input });
    addresses[root as keyof Stage['addresses']] = idsOf(await ada.get(list))[0] ?? '';
  }
  if (known.position.length === 0) {
    await eventsPlaced(stage.service);
    const inbox = await reader.get('/user/inbox');
    known.position = inbox.data.map(({ position }: { position: number }) => String(position));
  }
  known.id = [...idsOf(await ada.get('/user/files?per_page=5')), ...Object.values(webhooks)].filter(
    Boolean,
  );
  known.thread = Object.values(talk).map(({ thread }) => thread);
  known.linkId = Object.values(links);
  known.comment = Object.values(talk).map(({ comment }) => comment);
  known.trashId = idsOf(await ada.get('/user/trash?per_page=5'));
  const lists = {
    briefs: await ada.get('/briefs/ada/notes/invitations'),
    pages: await ada.get('/pages/ada/notes/invitations'),
    orgs: await ada.get('/orgs/engines/invitations'),
    own: await invitee.get('/user/brief_invitations'),
  };
  known.inviteId = Object.values(lists).flatMap(idsOf);
  for (const [name, list] of Object.entries(lists)) {
    invitations[name as keyof typeof lists] = idsOf(list)[0] ?? '';
  }
}

function idsOf({ status, data }: Answer): string[] {
  return status === 200 ? data.map(({ id }: { id: string }) => id) : [];
}
