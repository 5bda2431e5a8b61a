import { strict as assert } from 'node:assert';
import { KINDS } from '../../../src/base/schema/kind.ts';
import { requireAccount } from '../../../src/core/identity/account-service.ts';
import { createToken } from '../../../src/core/identity/token-service.ts';
import { deleteReleasedNamespace } from '../../../src/core/owner/released-namespace-store.ts';
import type { Answer, Client, Service } from '../../harness.ts';
import { signedIn, type Visitor } from '../../oauth/visitor.ts';
import { type DocumentState, type Model, newModel, type Reference } from './model.ts';

/** Someone with a current, former or future account. */
export interface Person {
  username: string;
  /** With the latest token; `undefined` before there was one. */
  client: Client;
  tokenWorks: boolean;
  /** With tokens that were revoked, or whose account was deleted. */
  former: Client[];
  /** Browsers that were signed in when the account was deleted. */
  formerVisitors: Visitor[];
}

/** A service and its model. */
export interface World {
  service: Service;
  model: Model;
  people: Person[];
  /** The names of organizations. */
  organizationNames: string[];
  /** Former names of documents, and their ids. */
  formerReferences: (Reference & { id: string })[];
  /** Ids of invitations that were answered or canceled. */
  formerInvitations: string[];
  /** Signed addresses of pages that were issued. */
  signedAddresses: SignedAddress[];
  /** Secret links that were issued, including ended ones. */
  secretLinks: { id: string; url: string; document: DocumentState }[];
  /** The prefix of this world's words, before a number. */
  prefix: string;
  /** Creates a unique word. */
  newWord(): string;
  /** The log of actions, one line each. */
  log: string[];
}

/** A reader's address of a page at one version. */
export interface SignedAddress {
  url: string;
  reader: string;
  page: DocumentState;
  version: number;
}

const PEOPLE = ['ada', 'grace', 'alan', 'joan'];
const ORGANIZATIONS = ['guild', 'lab'];

/**
 * Creates a separate world in a service that may have others.
 *
 * @param id a number that no other world has
 */
export async function makeWorld(service: Service, id: number): Promise<World> {
  let words = 0;
  const prefix = `zq${id}x`;
  const world: World = {
    service,
    model: newModel(),
    people: [],
    organizationNames: ORGANIZATIONS.map((name) => `${name}-${id}`),
    formerReferences: [],
    formerInvitations: [],
    signedAddresses: [],
    secretLinks: [],
    prefix,
    newWord: () => prefix + ++words,
    log: [],
  };
  for (const name of PEOPLE) {
    const person: Person = {
      username: `${name}-${id}`,
      client: service.client(),
      tokenWorks: false,
      former: [],
      formerVisitors: [],
    };
    world.people.push(person);
    await signUp(world, person);
  }
  return world;
}

/** Creates a person's account. */
export async function signUp({ service, model }: World, person: Person): Promise<void> {
  const { username } = person;
  // Like `briefs users create --reuse-name`, if the person had an account before.
  const { sql } = service.app.context;
  await sql.transaction((tx) => deleteReleasedNamespace(tx, username));
  model.released.delete(username);
  person.client = await service.user(username);
  person.tokenWorks = true;
  model.users.add(username);
}

/** Gives a person a new token instead of an invalid one. */
export async function renewToken({ service }: World, person: Person): Promise<void> {
  const { username } = person;
  const input = { username, name: 'another', lifetimeMs: undefined };
  const { token } = await createToken(service.app.context, input);
  person.client = service.client(token);
  person.tokenWorks = true;
}

/** Records that a person's token is no longer valid. */
export function forgetToken(person: Person): void {
  if (person.tokenWorks) person.former.push(person.client);
  person.tokenWorks = false;
}

/** Signs a person in with a browser. */
export async function browserOf({ service }: World, { username }: Person): Promise<Visitor> {
  const { id } = await requireAccount(service.app.context.sql.read, username);
  return signedIn(service, id);
}

/** The API's path of a document. */
export function pathOf({ kind, owner, name }: Reference): string {
  return `/${KINDS[kind].segment}/${owner}/${encodeURIComponent(name)}`;
}

/** The web host's path of a document, below that of an action. */
export function webPathOf({ kind, owner, name }: Reference): string {
  return `/${[owner, ...KINDS[kind].webSegments, encodeURIComponent(name)].join('/')}`;
}

/**
 * The names of deleted documents. A document that was renamed redirects from its former names
 * (src/features/documents/renames.test.ts).
 */
export function goneReferences({ model, formerReferences }: World): Reference[] {
  const living = new Set(model.documents.map(({ id }) => id));
  const leading = formerReferences.filter(({ id }) => living.has(id)).map(pathOf);
  return formerReferences.filter(
    (reference) => !living.has(reference.id) && !leading.includes(pathOf(reference)),
  );
}

/** Asserts a response's status; the message names the request. */
export function assertStatus(answer: Answer, status: number, what: string): void {
  assert.equal(answer.status, status, `${what}: ${answer.status}, not ${status}: ${answer.text}`);
}
