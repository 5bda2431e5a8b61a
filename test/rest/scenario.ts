import { strict as assert } from 'node:assert';
import { type DocumentKind, KINDS } from '../../src/base/schema/kind.ts';
import { type Actor, callOf } from '../../src/core/context.ts';
import { authenticate } from '../../src/core/identity/token-service.ts';
import type { Policies } from '../../src/core/owner/policy.ts';
import { changePolicies } from '../../src/features/policies/policy-change-service.ts';
import type { Answer, Client, Service } from '../harness.ts';

export type Permission = 'read' | 'write' | 'admin';
export type Visibility = 'public' | 'private' | 'internal';
export type Role = 'admin' | 'member';

/** All kinds of documents; a test for one applies to all. */
export const ALL_KINDS: readonly DocumentKind[] = Object.values(KINDS);

/** Valid content for each kind, if a test doesn't need a specific one. */
export const CONTENT = '<p>content</p>\n';

/** A body that creates a document of the kind. */
export function documentBody(
  kind: DocumentKind,
  fields: { name?: string; visibility?: Visibility; content?: string } = {},
): Record<string, string> {
  const { content = CONTENT, ...rest } = fields;
  return { [kind.contentField]: content, ...rest };
}

/** Creates a document of the caller or an organization, and returns its path. */
export async function makeDocument(
  client: Client,
  name: string,
  options: { kind?: DocumentKind; org?: string; visibility?: Visibility; content?: string } = {},
): Promise<string> {
  const { kind = KINDS.brief, org, ...fields } = options;
  const collection = org ? `/orgs/${org}/${kind.segment}` : `/user/${kind.segment}`;
  const answer = await client.post(collection, documentBody(kind, { name, ...fields }));
  assert.equal(answer.status, 201, answer.text);
  return `/${kind.segment}/${org ?? client.username}/${encodeURIComponent(answer.data.name)}`;
}

/** Returns the client's user as somebody who acts in the web app. */
export async function onTheWeb({ app }: Service, { token }: Client): Promise<Actor> {
  const actor = (await authenticate(app.context, token as string, 'api')) as Actor;
  return { ...actor, via: { means: 'web', name: null } };
}

/** Changes an organization's policies, as an admin does in the web app. */
export async function setPolicies(
  service: Service,
  admin: Client,
  org: string,
  change: Partial<Policies>,
) {
  return changePolicies(callOf(service.app.context, await onTheWeb(service, admin)), org, change);
}

/** Invites a user to a document and returns the invitation's id. */
export async function invite(
  admin: Client,
  document: string,
  user: Client,
  permission: Permission,
): Promise<string> {
  const answer = await admin.put(`${document}/collaborators/${user.username}`, { permission });
  assert.equal(answer.status, 201, answer.text);
  return answer.data.id;
}

/** Makes a user a collaborator: invites and accepts. */
export async function collaborate(
  admin: Client,
  document: string,
  user: Client,
  permission: Permission,
): Promise<void> {
  const id = await invite(admin, document, user, permission);
  await expectStatus(user.patch(`/user/brief_invitations/${id}`), 204);
}

/** Creates an organization with the caller as its admin. */
export async function makeOrganization(
  admin: Client,
  namespace: string,
  settings?: { membersCanCreate?: boolean; defaultBriefPermission?: 'none' | 'read' | 'write' },
): Promise<string> {
  const answer = await admin.post('/user/orgs', { namespace, name: namespace.toUpperCase() });
  assert.equal(answer.status, 201, answer.text);
  if (settings) await expectStatus(admin.patch(`/orgs/${namespace}`, settings), 200);
  return answer.data.id;
}

/** Makes a user a member of an organization: invites and accepts. */
export async function join(
  admin: Client,
  org: string,
  user: Client,
  role: Role = 'member',
): Promise<void> {
  await expectStatus(admin.put(`/orgs/${org}/members/${user.username}`, { role }), 201);
  await expectStatus(user.patch(`/user/memberships/orgs/${org}`, { state: 'active' }), 200);
}

/** Awaits a response and asserts its status. */
export async function expectStatus(pending: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await pending;
  assert.equal(answer.status, status, answer.text);
  return answer;
}

/** Asserts that an object has exactly these fields, in any order. */
export function assertFields(value: object, fields: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...fields].sort());
}

/** One field of every item of a list, in the list's order. */
export function pluck(answer: Answer, field: string): unknown[] {
  assert.equal(answer.status, 200, answer.text);
  return answer.data.map((item: Record<string, unknown>) => item[field]);
}

/** The number of responses with each status. */
export function countStatuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** `{ [username]: client }` for several new users. */
export async function users<Name extends string>(
  service: { user(username: string): Promise<Client> },
  ...names: Name[]
): Promise<Record<Name, Client>> {
  const entries: [Name, Client][] = [];
  for (const name of names) entries.push([name, await service.user(name)]);
  return Object.fromEntries(entries) as Record<Name, Client>;
}

/** Accepts or rejects suggestions as they are in the current revision, if the client can read it. */
export async function decide(
  client: Client,
  path: string,
  act: 'accept' | 'reject',
  threads: (string | undefined)[],
) {
  const { headers } = await client.get(path);
  const revision = Number(headers.get('x-revision') ?? 1);
  return client.post(`${path}/suggestions/${act}`, { threads, revision });
}
