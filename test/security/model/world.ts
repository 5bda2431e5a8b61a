import { strict as assert } from 'node:assert';
import { requireAccount } from '../../../src/account/account-service.ts';
import { deleteReleasedNamespace } from '../../../src/account/released-namespace-store.ts';
import { createToken } from '../../../src/account/token-service.ts';
import { KINDS } from '../../../src/document/kind.ts';
import type { Answer, Client, Service } from '../../harness.ts';
import { signedIn, type Visitor } from '../../oauth/visitor.ts';
import { type DocumentState, type Model, newModel, type Reference } from './model.ts';

/** Somebody with an account, or who had one or will. */
export interface Person {
  username: string;
  /** With the latest token; `undefined` before there was one. */
  client: Client;
  tokenWorks: boolean;
  /** With tokens that were revoked, or whose account is gone. */
  former: Client[];
  /** Browsers that were signed in when the account was deleted. */
  formerVisitors: Visitor[];
}

/** A service beside the model that it is to be like. */
export interface World {
  service: Service;
  model: Model;
  people: Person[];
  /** What organizations can be called here. */
  organizationNames: string[];
  /** Names under which there was a document once, and its id. */
  formerReferences: (Reference & { id: string })[];
  /** Ids of invitations that were answered or taken back. */
  formerInvitations: string[];
  /** Signed addresses of pages that were given out. */
  signedAddresses: SignedAddress[];
  /** Secret links that were given out, those that have ended too. */
  secretLinks: { id: string; url: string; document: DocumentState }[];
  /** What the words of this world begin with, before a number. */
  prefix: string;
  /** Makes a word that is nowhere else. */
  newWord(): string;
  /** What was done so far, one line each. */
  log: string[];
}

/** Where a reader could see a page as it was at one version. */
export interface SignedAddress {
  url: string;
  reader: string;
  page: DocumentState;
  version: number;
}

const PEOPLE = ['ada', 'grace', 'alan', 'joan'];
const ORGANIZATIONS = ['guild', 'lab'];

/**
 * Makes a world of its own in a service that may have others.
 *
 * @param id a number, unlike that of every other world
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

/** Makes a person's account. */
export async function signUp({ service, model }: World, person: Person): Promise<void> {
  const { username } = person;
  // As `briefs users create --reuse-name` does, where the person had an account before.
  const { sql } = service.app.context;
  await sql.transaction((tx) => deleteReleasedNamespace(tx, username));
  model.released.delete(username);
  person.client = await service.user(username);
  person.tokenWorks = true;
  model.users.add(username);
}

/** Gives a person another token in place of the one that works no more. */
export async function renewToken({ service }: World, person: Person): Promise<void> {
  const { username } = person;
  const input = { username, name: 'another', lifetimeMs: undefined };
  const { token } = await createToken(service.app.context, input);
  person.client = service.client(token);
  person.tokenWorks = true;
}

/** Notes that a person's token works no more. */
export function forgetToken(person: Person): void {
  if (person.tokenWorks) person.former.push(person.client);
  person.tokenWorks = false;
}

/** A browser in which a person signs in. */
export async function browserOf({ service }: World, { username }: Person): Promise<Visitor> {
  const { id } = await requireAccount(service.app.context.sql.read, username);
  return signedIn(service, id);
}

/** Where the API has a document. */
export function pathOf({ kind, owner, name }: Reference): string {
  return `/${KINDS[kind].segment}/${owner}/${encodeURIComponent(name)}`;
}

/** Where the web host has a document, below whatever is done with it there. */
export function webPathOf({ kind, owner, name }: Reference): string {
  return `/${[owner, ...KINDS[kind].webSegments, encodeURIComponent(name)].join('/')}`;
}

/**
 * The names of documents that are gone. A document that lives on under another name answers at its former
 * ones (test/rest/renames.test.ts).
 */
export function goneReferences({ model, formerReferences }: World): Reference[] {
  const living = new Set(model.documents.map(({ id }) => id));
  const leading = formerReferences.filter(({ id }) => living.has(id)).map(pathOf);
  return formerReferences.filter(
    (reference) => !living.has(reference.id) && !leading.includes(pathOf(reference)),
  );
}

/** Asserts an answer's status; the message says to what. */
export function assertStatus(answer: Answer, status: number, what: string): void {
  assert.equal(answer.status, status, `${what}: ${answer.status}, not ${status}: ${answer.text}`);
}
