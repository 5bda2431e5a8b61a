import { strict as assert } from 'node:assert';
import { KINDS, type Kind } from '../../../src/base/schema/kind.ts';
import { everythingIndexed } from '../../document/everything-indexed.ts';
import { type Answer, type Client, readAnswer } from '../../harness.ts';
import { message, messagesOf, post, readingOf } from '../../mcp/agent.ts';
import type { Visitor } from '../../oauth/visitor.ts';
import { isListedInOrganization, type Rank } from '../../rest/access-model.ts';
import {
  callerOf,
  type DocumentState,
  findDocument,
  isExpired,
  isInsider,
  isOpen,
  type Reference,
  rank,
  restorable,
  threadsFor,
} from './model.ts';
import { assertDocument, permissionsOf } from './operations.ts';
import {
  assertStatus,
  browserOf,
  goneReferences,
  type Person,
  pathOf,
  type World,
  webPathOf,
} from './world.ts';

const KIND_NAMES = Object.keys(KINDS) as Kind[];
const LEVELS = ['none', 'read', 'write', 'admin'] as const;

/** The longest list that the app shows at once. */
const LIST_SIZE = 30;

/** How many signed addresses are tested again. */
const SIGNED_TRIED = 50;

/** How many former names of documents are tested again. */
const FORMER_TRIED = 4;

/** A viewer: a person with a token and a browser. */
interface Onlooker {
  username: string;
  client: Client;
  browser: Visitor;
}

/** The expected document under a name, if any. */
interface Sight {
  reference: Reference;
  document: DocumentState | undefined;
}

/**
 * Compares everything that everyone sees with the model: each document, some former ones, on every
 * surface and in every list.
 */
export async function sweep(world: World): Promise<void> {
  const { model, people } = world;
  const former = goneReferences(world).slice(-FORMER_TRIED);
  const gone = former.filter((reference) => !findDocument(model, reference));
  const sights: Sight[] = [
    ...model.documents.map((document) => ({ reference: document, document })),
    ...gone.map((reference) => ({ reference, document: undefined })),
  ];
  await everythingIndexed(world.service.app.context);
  await Promise.all([
    asNobody(world, sights),
    withSignedAddresses(world),
    withSecretLinks(world),
    ...people.map((person) => asPerson(world, person, sights)),
  ]);
}

async function asPerson(world: World, person: Person, sights: Sight[]): Promise<void> {
  const { model, service } = world;
  const { username, client, tokenWorks } = person;
  for (const token of [...person.former, ...(tokenWorks ? [] : [client])]) {
    assertStatus(await token.get('/user'), 401, `${username}, with a token that ended`);
  }
  for (const browser of person.formerVisitors) {
    assertStatus(await browser.get(`${service.webUrl}/settings`), 303, `${username}, signed out`);
  }
  if (!model.users.has(username)) return;
  const onlooker = { username, client, browser: await browserOf(world, person) };
  for (const sight of sights) {
    const found = sight.document ? rank(model, username, sight.document) : 0;
    if (tokenWorks) await overRest(world, onlooker, sight, found);
    if (tokenWorks) await overMcp(world, onlooker, sight, found);
    await inTheApp(world, onlooker, sight, found);
  }
  if (tokenWorks) await lists(world, onlooker);
  if (tokenWorks) await ownInvitations(world, onlooker);
  if (tokenWorks) await trash(world, onlooker);
  if (tokenWorks) await organizations(world, onlooker);
  await listsInTheApp(world, onlooker);
}

/** The document over the API, and its subresources. */
async function overRest(
  world: World,
  { username, client }: Onlooker,
  { reference, document }: Sight,
  found: Rank,
): Promise<void> {
  const { model } = world;
  const path = pathOf(reference);
  const status = found ? 200 : 404;
  const get = async (below: string, expected: number) => {
    const answer = await client.get(path + below);
    assertStatus(answer, expected, `${username} GET ${path}${below}`);
    return answer;
  };
  const whole = await get('', status);
  if (!found) assert.equal(whole.text, (await client.get(`${path}-absent`)).text);
  const collaborators = await get('/collaborators?per_page=100', status);
  const invitations = await get('/invitations?per_page=100', found === 3 ? 200 : found ? 403 : 404);
  const someone = world.people[(world.log.length + path.length) % world.people.length]?.username;
  const isUser = model.users.has(someone as string);
  const permission = await get(`/collaborators/${someone}/permission`, found && isUser ? 200 : 404);
  if (reference.kind === 'page') {
    const signed = await get('/render-url', status);
    if (document && found) {
      const { version } = document;
      const { url } = signed.data;
      world.signedAddresses.push({ url, reader: username, page: document, version });
    }
  }
  const shown = document && found ? threadsFor(model, username, document) : undefined;
  const threads = await get('/threads?state=all&per_page=100', shown ? 200 : found ? 403 : 404);
  const revisions = await get('/revisions?per_page=100', status);
  if (!document || !found) return;
  assertDocument(whole.data, document, found);
  if (shown) {
    const ids = threads.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids.toSorted(), shown.toSorted(), `${username} GET ${path}/threads`);
  }
  if (!isInsider(model, username, document)) {
    for (const { number, viaName } of revisions.data) {
      if (number < document.visibleSince) assert.equal(viaName, null, `${path} revision ${number}`);
    }
  }
  assertSame(
    collaborators.data,
    Array.from(document.collaborators, ([username, permission]) => ({ username, permission })),
  );
  if (isUser) {
    const level = LEVELS[rank(model, someone as string, document)];
    assert.deepEqual(permission.data, { username: someone, permission: level });
  }
  if (found < 3) return;
  assertSame(
    invitations.data,
    Array.from(document.invitations, ([targetUsername, invitation]) => ({
      id: invitation.id,
      targetUsername,
      permission: invitation.gives,
      expired: isExpired(model, invitation),
    })),
  );
}

const OTHER_KIND = /^There is no (?:brief|page) of this name, but a /;

async function overMcp(
  { service }: World,
  { username, client }: Onlooker,
  { reference, document }: Sight,
  found: Rank,
): Promise<void> {
  const { kind, owner, name } = reference;
  const what = { name: 'read_document', arguments: { kind, owner, name } };
  const answer = await post(service, client.token, message('tools/call', what));
  const { result } = messagesOf(answer)[0];
  if (!document || !found) {
    // Where only the other kind exists, the tool reads that, which is looked at by itself.
    if (OTHER_KIND.test(result.content[0].text)) return;
    assert.ok(result.isError, `${username} read_document ${pathOf(reference)}: ${answer.text}`);
    assert.match(result.content[0].text, /^NOT_FOUND/);
    return;
  }
  assert.ok(!result.isError, `${username} read_document ${pathOf(reference)}: ${answer.text}`);
  const { content, document: shown } = readingOf(result.content[0].text);
  assert.deepEqual([content, shown.permission], [document.text, LEVELS[found]]);
}

/** The document on the web. */
async function inTheApp(
  { service: { webUrl } }: World,
  { username, browser }: Onlooker,
  { reference, document }: Sight,
  found: Rank,
): Promise<void> {
  const isBrief = reference.kind === 'brief';
  // Whoever is signed in reads in the app, where invitations are, too.
  const isInvited = !found && document?.invitations.has(username);
  const leadsToApp = isInvited || found;
  const address = webUrl + webPathOf(reference);
  const open = await browser.get(address);
  assertStatus(open, leadsToApp ? 303 : 404, `${username} GET ${address}`);
  const status = found ? 200 : 404;
  const paths = isBrief ? ['/raw'] : ['/read'];
  for (const path of paths) {
    const url = webUrl + path + webPathOf(reference);
    const answer = await browser.get(url);
    assertStatus(answer, status, `${username} GET ${url}`);
    if (document && found && isBrief) assert.equal(answer.text, document.text);
  }
}

/** Every document without a token: its web and raw addresses, also when signed in. */
async function asNobody(world: World, sights: Sight[]): Promise<void> {
  const { service, model, people } = world;
  const { webUrl, renderUrl } = service;
  for (const { reference, document } of sights) {
    const isPublic = document?.visibility === 'public';
    const status = isPublic ? 200 : 404;
    const isBrief = reference.kind === 'brief';
    const { owner, name } = reference;
    const addresses = isBrief
      ? [webUrl + webPathOf(reference), `${webUrl}${webPathOf(reference)}.md`]
      : [`${renderUrl}/${owner}/${encodeURIComponent(name)}`];
    for (const address of addresses) {
      const answer = await readAnswer(await fetch(address));
      assertStatus(answer, status, `nobody GET ${address}`);
      if (isPublic) assert.equal(answer.text, document?.text);
    }
    const page = await readAnswer(
      await fetch(webUrl + webPathOf(reference), { headers: { accept: 'text/html' } }),
    );
    assertStatus(page, status, `nobody GET ${webPathOf(reference)}`);
    const path = pathOf(reference);
    assertStatus(await service.client().get(path), 401, `nobody GET ${path}`);
  }
  const owners = [...people.map(({ username }) => username), ...world.organizationNames];
  for (const owner of owners) {
    const isThere = model.users.has(owner) || model.organizations.has(owner);
    const answer = await readAnswer(
      await fetch(`${webUrl}/${owner}`, { headers: { accept: 'text/html' } }),
    );
    assertStatus(answer, isThere ? 200 : 404, `nobody GET /${owner}`);
    const expected = model.documents.filter(
      (document) => document.owner === owner && document.visibility === 'public',
    );
    const links = hrefsOf(answer).filter((href) => href.startsWith(`${webUrl}/${owner}/`));
    assert.deepEqual(
      [...new Set(links)].sort(),
      expected.map((document) => webUrl + webPathOf(document)).sort(),
      `the documents at /${owner}`,
    );
  }
}

/** What someone can restore, and nothing else; an organization's only for its members. */
async function trash(world: World, { username, client }: Onlooker): Promise<void> {
  const { model, organizationNames } = world;
  const manageable = restorable(model).filter((each) => rank(model, username, each) === 3);
  const ids = (documents: DocumentState[]) => documents.map(({ id }) => ({ id }));
  const own = manageable.filter(
    ({ owner, collaborators }) => owner === username || collaborators.get(username) === 'admin',
  );
  assertSame((await client.get('/user/trash?per_page=100')).data, ids(own));
  for (const org of organizationNames) {
    const organization = model.organizations.get(org);
    const isMember = organization?.members.has(username);
    const answer = await client.get(`/orgs/${org}/trash?per_page=100`);
    const status = isMember ? 200 : organization ? 403 : 404;
    assertStatus(answer, status, `${username} GET /orgs/${org}/trash`);
    if (isMember) assertSame(answer.data, ids(manageable.filter(({ owner }) => owner === org)));
  }
}

/** Signed addresses end with the page, with each write, and with the right to read. */
async function withSignedAddresses(world: World): Promise<void> {
  const { model } = world;
  const working: typeof world.signedAddresses = [];
  for (const signed of world.signedAddresses.splice(0)) {
    const { page, reader } = signed;
    const isThere = model.documents.includes(page) && page.version === signed.version;
    const holds = isThere && rank(model, reader, page) > 0;
    const answer = await readAnswer(await fetch(signed.url));
    if (holds) {
      // It may have expired or been revoked.
      if (answer.status === 200) assert.equal(answer.text, page.text);
      working.push(signed);
    } else {
      assertStatus(answer, 404, `a signed address of ${pathOf(page)}`);
    }
  }
  world.signedAddresses.push(...working.slice(-SIGNED_TRIED));
}

/**
 * A secret link shows its document to anyone until it ends; then it is like one that never existed.
 */
async function withSecretLinks({ model, secretLinks, service }: World): Promise<void> {
  const never = await readAnswer(await fetch(`${service.webUrl}/s/${'x'.repeat(32)}`));
  const html = { headers: { accept: 'text/html' } };
  for (const { id, url, document } of secretLinks.slice(-SIGNED_TRIED)) {
    const answer = await readAnswer(await fetch(url));
    if (isOpen(model, document, id)) {
      assertStatus(answer, 200, `nobody GET ${url}`);
      assert.equal(answer.text, document.text);
      assertStatus(await readAnswer(await fetch(url, html)), 200, `nobody GET ${url}`);
    } else {
      assertStatus(answer, 404, `nobody GET ${url}`);
      assert.equal(answer.text, never.text);
      assertStatus(await readAnswer(await fetch(url, html)), 404, `nobody GET ${url}`);
    }
  }
}

/** Every list of documents, in its order. */
async function lists({ model, people, organizationNames }: World, onlooker: Onlooker) {
  const { username, client } = onlooker;
  for (const kind of KIND_NAMES) {
    const { segment } = KINDS[kind];
    const expect = async (
      path: string,
      owner: string,
      isListed: ((document: DocumentState) => boolean) | undefined,
    ) => {
      const answer = await client.get(`${path}?per_page=100`);
      assertStatus(answer, isListed ? 200 : 404, `${username} GET ${path}`);
      if (!isListed) return;
      const expected = model.documents
        .filter((document) => document.kind === kind && document.owner === owner)
        .filter(isListed)
        .toReversed();
      assert.deepEqual(
        answer.data.map((entry: Record<string, unknown>) => [
          entry.ownerNamespace,
          entry.name,
          entry.visibility,
          entry.permissions,
        ]),
        expected.map((document) => [
          document.owner,
          document.name,
          document.visibility,
          permissionsOf(rank(model, username, document)),
        ]),
        `${username} GET ${path}`,
      );
    };
    for (const path of [`/user/${segment}`, `/${segment}`]) {
      await expect(path, username, () => true);
    }
    for (const { username: owner } of people) {
      const isListed = ({ visibility }: DocumentState) =>
        owner === username || visibility === 'public';
      const path = `/users/${owner}/${segment}`;
      await expect(path, owner, model.users.has(owner) ? isListed : undefined);
    }
    for (const org of organizationNames) {
      const isListed = (document: DocumentState) =>
        isListedInOrganization(callerOf(model, username, document), document.visibility);
      const path = `/orgs/${org}/${segment}`;
      await expect(path, org, model.organizations.has(org) ? isListed : undefined);
    }
  }
}

/** The invitations to documents that someone can accept. */
async function ownInvitations({ model }: World, { client, username }: Onlooker): Promise<void> {
  const { data } = await client.get('/user/brief_invitations?per_page=100');
  const expected = model.documents.flatMap(({ kind, owner, name, invitations }) => {
    const invitation = invitations.get(username);
    if (!invitation || isExpired(model, invitation)) return [];
    const { id, gives: permission } = invitation;
    return [{ id, documentType: kind, briefFullName: `${owner}/${name}`, permission }];
  });
  assertSame(data, expected);
}

/** Organizations, their members and their invitations. */
async function organizations(
  { model, organizationNames }: World,
  { client, username }: Onlooker,
): Promise<void> {
  const all = [...model.organizations.values()];
  const own = all.flatMap(({ namespace, members }) => {
    const role = members.get(username);
    return role ? [{ namespace, role }] : [];
  });
  assertSame((await client.get('/user/orgs?per_page=100')).data, own);

  const relations = await client.get('/user/memberships/orgs?per_page=100');
  const pending = all.flatMap(({ namespace, invitations }) => {
    const invitation = invitations.get(username);
    if (!invitation || isExpired(model, invitation)) return [];
    return [{ state: 'pending', role: invitation.gives, namespace }];
  });
  assertSame(
    // biome-ignore lint/suspicious/noExplicitAny: an answer
    relations.data.map(({ state, role, organization }: any) => ({
      state,
      role,
      namespace: organization.namespace,
    })),
    [...own.map((entry) => ({ ...entry, state: 'active' })), ...pending],
  );

  for (const namespace of organizationNames) {
    const organization = model.organizations.get(namespace);
    const role = organization?.members.get(username);
    const get = async (below: string, isFor: boolean) => {
      const path = `/orgs/${namespace}${below}`;
      const answer = await client.get(path);
      const status = !organization ? 404 : isFor ? 200 : 403;
      assertStatus(answer, status, `${username} GET ${path}`);
      return answer;
    };
    const shown = await get('', true);
    const members = await get('/members', !!role);
    const invitations = await get('/invitations', role === 'admin');
    if (!organization) continue;
    assert.equal(shown.data.role, role);
    assert.equal('defaultBriefPermission' in shown.data, !!role);
    if (!role) continue;
    assertSame(
      members.data,
      Array.from(organization.members, ([username, role]) => ({ username, role })),
    );
    if (role !== 'admin') continue;
    assertSame(
      invitations.data,
      Array.from(organization.invitations, ([targetUsername, invitation]) => ({
        id: invitation.id,
        targetUsername,
        role: invitation.gives,
        expired: isExpired(model, invitation),
      })),
    );
  }
}

/** The app lists only readable documents, and all shared ones. */
async function listsInTheApp(world: World, { username, browser }: Onlooker): Promise<void> {
  const { model, service, prefix } = world;
  const readable = model.documents.filter((document) => rank(model, username, document) > 0);
  const addresses = new Set(readable.map(readPathOf));
  const shared = readable.filter(({ owner, collaborators, madeBy }) => {
    return owner !== username && madeBy !== username && collaborators.has(username);
  });
  const words = new Set(readable.flatMap(({ name, text }) => wordsIn(world, `${name} ${text}`)));
  for (const path of ['/', '/shared', `/search?q=${prefix}`]) {
    const answer = await browser.get(service.webUrl + path);
    assertStatus(answer, 200, `${username} GET ${path}`);
    const listed = hrefsOf(answer).filter((href) => href.startsWith('/read/'));
    const strange = listed.filter((href) => !addresses.has(href));
    assert.deepEqual(strange, [], `${username} finds at ${path}`);
    const leaked = wordsIn(world, answer.text).filter((word) => !words.has(word));
    assert.deepEqual(leaked, [], `${username} finds at ${path}`);
    if (path !== '/shared' || shared.length > LIST_SIZE) continue;
    assert.deepEqual(
      [...new Set(listed)].sort(),
      shared.map(readPathOf).sort(),
      `${username} at /shared`,
    );
  }
}

function readPathOf(document: DocumentState): string {
  return `/read${webPathOf(document)}`;
}

/** The words of this world's documents that a text contains. */
function wordsIn({ prefix }: World, text: string): string[] {
  return text.match(new RegExp(`${prefix}\\d+`, 'g')) ?? [];
}

function hrefsOf({ text }: Answer): string[] {
  return Array.from(text.matchAll(/href="([^"]*)"/g), ([, href = '']) => href);
}

/** Asserts that a list has the expected items, in any order; other fields are ignored. */
function assertSame(list: Record<string, unknown>[], expected: Record<string, unknown>[]): void {
  const fields = Object.keys(expected[0] ?? {}).sort();
  const keys = (entries: Record<string, unknown>[]) =>
    entries.map((entry) => JSON.stringify(fields.map((field) => entry[field]))).sort();
  assert.deepEqual(keys(list), keys(expected));
}
