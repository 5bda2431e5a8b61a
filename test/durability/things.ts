import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { type DocumentKind, KINDS } from '../../src/base/schema/kind.ts';
import type { Chance } from '../chance.ts';
import { uploadForm } from '../files/samples.ts';
import type { Answer, Client } from '../harness.ts';
import { ask, type Replica, targetOf, type User } from '../installation.ts';

/** A reader's view of a thing; `undefined` if it doesn't exist. */
export type State = Record<string, unknown> | undefined;

/** One possible write. */
export interface Step {
  /** The kind of write, for statistics. */
  what: string;
  send(): Promise<Answer>;
  /** The status that acknowledges it. */
  status: number;
  /** The thing's state afterwards, as far as it is known without the response. */
  after: State;
  /** State that is only known from the response. */
  learn?(answer: Answer): Record<string, unknown>;
}

/** A kind of thing that one writer creates, changes and deletes repeatedly. */
export interface Thing {
  label: string;
  /** The list that contains its owner's things, if there is one. */
  listedIn?: string;
  /** Returns a random write among the possible ones. */
  nextStep(at: Replica, state: State, chance: Chance): Step;
  /** Returns its current state. @throws AssertionError if it is partial or duplicated */
  read(at: Replica): Promise<State>;
}

/** The users of a test. */
export interface Cast {
  /** Owns everything. */
  owner: User;
  /** The user with whom the owner shares, and whom organizations include. */
  guest: User;
}

const PERMISSIONS = ['read', 'write', 'admin'] as const;
const MAX_TEXT = 100_000;

/** Returns the kinds in turn as `count` grows. */
export function makeThing(cast: Cast, prefix: string, count: number): Thing {
  const make = THINGS[count % THINGS.length] as (typeof THINGS)[number];
  return make(cast, `${prefix}-${count}`);
}

const THINGS: ((cast: Cast, label: string) => Thing)[] = [
  (cast, label) => documentThing(cast, KINDS.brief, label),
  (cast, label) => documentThing(cast, KINDS.page, label),
  (cast, label) => fileThing(cast, label),
  (cast, label) => organizationThing(cast, label),
];

/** A brief or a page, and its collaborators. */
function documentThing({ owner, guest }: Cast, kind: DocumentKind, label: string): Thing {
  const names = [label, `${label}-renamed`];
  const pathOf = (name: string) => `/${kind.segment}/${owner.username}/${name}`;

  return {
    label,
    listedIn: `/user/${kind.segment}`,
    nextStep(at, state, chance) {
      const client = owner.at(at);
      const withEtag = {
        learn: ({ headers }: Answer) => ({ etag: headers.get('etag') }),
      };
      const text = newText(label, chance);
      if (!state) {
        const [name = ''] = names;
        return {
          what: `${kind.kind} made`,
          send: () => client.post(`/user/${kind.segment}`, { name, [kind.contentField]: text }),
          status: 201,
          after: {
            name,
            texts: [digest(text)],
            visibility: 'public',
            invited: null,
            permission: null,
          },
          learn: (answer) => ({ ...withEtag.learn(answer), invitationId: null }),
        };
      }
      const { etag, ...rest } = state;
      const texts = state.texts as string[];
      const withText = [...texts, digest(text)];
      const { name, visibility, invited, invitationId, permission } = state as Record<
        string,
        string
      >;
      const path = pathOf(name as string);
      const ifMatch = { 'if-match': etag as string };
      // Different from the current value, so that every step writes.
      const level = chance.pick(
        PERMISSIONS.filter((candidate) => candidate !== (permission ?? invited)),
      );
      const otherName = names.find((candidate) => candidate !== name) as string;
      const otherVisibility = visibility === 'public' ? 'private' : 'public';
      const collaborator = `${path}/collaborators/${guest.username}`;
      const accepted = `/user/brief_invitations/${invitationId}`;

      const steps: Step[] = [
        {
          what: `${kind.kind} replaced, If-Match`,
          send: () => client.patch(path, { [kind.contentField]: text }, ifMatch),
          status: 200,
          after: { ...rest, texts: withText },
          ...withEtag,
        },
        {
          what: `${kind.kind} changed`,
          send: () =>
            client.patch(path, { [kind.contentField]: text, visibility: otherVisibility }),
          status: 200,
          after: { ...rest, texts: withText, visibility: otherVisibility },
          ...withEtag,
        },
        {
          what: `${kind.kind} renamed`,
          send: () => client.patch(path, { name: otherName }),
          status: 200,
          after: { ...rest, name: otherName, texts: [...texts, texts.at(-1)] },
          ...withEtag,
        },
        {
          what: `${kind.kind} deleted`,
          send: () => client.delete(path, ifMatch),
          status: 204,
          after: undefined,
        },
      ];
      if (permission !== null) {
        steps.push(
          {
            what: 'permission changed',
            send: () => client.put(collaborator, { permission: level }),
            status: 204,
            after: { ...state, permission: level },
          },
          {
            what: 'collaborator removed',
            send: () => client.delete(collaborator),
            status: 204,
            after: { ...state, permission: null },
          },
        );
      } else if (invited === null) {
        const { invitationId: _, ...uninvited } = state;
        steps.push({
          what: 'collaborator invited',
          send: () => client.put(collaborator, { permission: level }),
          status: 201,
          after: { ...uninvited, invited: level },
          learn: ({ data }) => ({ invitationId: data.id }),
        });
      } else {
        const settled = { ...state, invited: null, invitationId: null };
        steps.push(
          {
            what: 'invitation changed',
            send: () => client.patch(`${path}/invitations/${invitationId}`, { permission: level }),
            status: 200,
            after: { ...state, invited: level },
          },
          {
            what: 'invitation accepted',
            send: () => guest.at(at).patch(accepted),
            status: 204,
            after: { ...settled, permission: invited },
          },
          {
            what: 'invitation declined',
            send: () => guest.at(at).delete(accepted),
            status: 204,
            after: settled,
          },
        );
      }
      return chance.pick(steps);
    },

    async read(at) {
      const client = owner.at(at);
      const found: State[] = [];
      for (const path of names.map(pathOf)) {
        const answer = await find(client, path);
        if (!answer) continue;
        const { name, visibility, ...data } = answer.data;
        const collaborators = await listAll(client, `${path}/collaborators`);
        const invitations = await listAll(client, `${path}/invitations`);
        assert.ok(collaborators.length + invitations.length <= 1, `${label} is shared twice`);
        const texts = await readTexts(client, path, kind);
        assert.equal(texts.at(-1), digest(data[kind.contentField]), `${label}'s newest revision`);
        found.push({
          name,
          texts,
          visibility,
          etag: answer.headers.get('etag'),
          permission: collaborators[0]?.permission ?? null,
          invited: invitations[0]?.permission ?? null,
          invitationId: invitations[0]?.id ?? null,
        });
      }
      assert.ok(found.length <= 1, `${label} has both its names`);
      return found[0];
    },
  };
}

/** The text of every revision, oldest first: in the document, waiting for the packer, or packed. */
async function readTexts(client: Client, path: string, kind: DocumentKind): Promise<string[]> {
  const listed = await listAll(client, `${path}/revisions`);
  const texts: string[] = [];
  for (const { number } of listed.toReversed()) {
    assert.equal(number, texts.length + 1, `the revisions of ${path} have a gap`);
    const answer = await client.get(`${path}/revisions/${number}`);
    assert.equal(answer.status, 200, `revision ${number} of ${path}: ${answer.text}`);
    texts.push(digest(answer.data[kind.contentField]));
  }
  return texts;
}

/** An upload. */
function fileThing({ owner }: Cast, label: string): Thing {
  const name = `${label}.txt`;
  return {
    label,
    nextStep(at, state, chance) {
      const client = owner.at(at);
      if (state) {
        return {
          what: 'file deleted',
          send: () => client.delete(`/user/files/${state.id}`),
          status: 204,
          after: undefined,
        };
      }
      const text = newText(label, chance);
      return {
        what: 'file uploaded',
        send: () =>
          client.request('/user/files', { method: 'POST', ...uploadForm({ bytes: text, name }) }),
        status: 201,
        after: { text: digest(text) },
        learn: ({ data }) => ({ id: data.id, url: data.url }),
      };
    },
    async read(at) {
      const files = await listAll(owner.at(at), '/user/files');
      const found = files.filter((file) => file.name === name);
      assert.ok(found.length <= 1, `${label} is there ${found.length} times`);
      const [file] = found;
      if (!file) return undefined;
      const answer = await ask(at.renderUrl + targetOf(file.url));
      assert.equal(answer.status, 200, `${label} at its address: ${answer.text}`);
      assert.equal(file.sizeBytes, Buffer.byteLength(answer.text));
      return { text: digest(answer.text), id: file.id, url: file.url };
    },
  };
}

/** An organization with the guest's role, its briefs and pages. */
function organizationThing({ owner, guest }: Cast, label: string): Thing {
  // The namespace of one that is deleted stays reserved, so the next one has another.
  let made = 0;
  const namespaceOf = (number: number) => `${label}-${number}`;
  return {
    label,
    nextStep(at, state, chance) {
      const client = owner.at(at);
      if (!state) made += 1;
      const namespace = namespaceOf(made);
      const org = `/orgs/${namespace}`;
      const member = `${org}/members/${guest.username}`;
      const membership = `/user/memberships/orgs/${namespace}`;
      if (!state) {
        return {
          what: 'organization made',
          send: () => client.post('/user/orgs', { namespace, name: namespace }),
          status: 201,
          after: {
            membersCanCreate: true,
            defaultBriefPermission: 'read',
            invited: null,
            role: null,
            documents: [],
          },
        };
      }
      const { invited, role } = state;
      const documents = state.documents as string[];
      const settings = {
        // Different from the current value, so that the step writes something.
        membersCanCreate: !state.membersCanCreate,
        defaultBriefPermission: chance.pick(['none', 'read', 'write']),
      };
      const kind = chance.pick(Object.values(KINDS));
      const name = `${documents.length}`;
      const someRole = chance.pick(['member', 'admin'].filter((candidate) => candidate !== role));
      const steps: Step[] = [
        {
          what: 'organization changed',
          send: () => client.patch(org, settings),
          status: 200,
          after: { ...state, ...settings },
        },
        {
          what: `organization's ${kind.kind} made`,
          send: () =>
            client.post(`${org}/${kind.segment}`, {
              name,
              [kind.contentField]: newText(name, chance),
            }),
          status: 201,
          after: { ...state, documents: [...documents, `${kind.segment}/${name}`] },
        },
        {
          what: 'organization deleted',
          send: () => client.delete(org),
          status: 204,
          after: undefined,
        },
      ];
      if (role !== null) {
        steps.push(
          {
            what: 'role changed',
            send: () => client.put(member, { role: someRole }),
            status: 204,
            after: { ...state, role: someRole },
          },
          {
            what: 'member left',
            send: () => guest.at(at).delete(membership),
            status: 204,
            after: { ...state, role: null },
          },
          {
            what: 'member removed',
            send: () => client.delete(member),
            status: 204,
            after: { ...state, role: null },
          },
        );
      } else if (invited === null) {
        steps.push({
          what: 'member invited',
          send: () => client.put(member, { role: someRole }),
          status: 201,
          after: { ...state, invited: someRole },
        });
      } else {
        steps.push(
          {
            what: 'member joined',
            send: () => guest.at(at).patch(membership, { state: 'active' }),
            status: 200,
            after: { ...state, invited: null, role: invited },
          },
          {
            what: 'membership declined',
            send: () => guest.at(at).delete(membership),
            status: 204,
            after: { ...state, invited: null },
          },
        );
      }
      return chance.pick(steps);
    },

    async read(at) {
      const client = owner.at(at);
      let answer: Awaited<ReturnType<typeof find>>;
      let org = '';
      // A backup may have an earlier one.
      for (let number = made; number > 0 && !answer; number--) {
        org = `/orgs/${namespaceOf(number)}`;
        answer = await find(client, org);
      }
      if (!answer) return undefined;
      const { membersCanCreate, defaultBriefPermission } = answer.data;
      const members = await listAll(client, `${org}/members`);
      const invitations = await listAll(client, `${org}/invitations`);
      const documents: string[] = [];
      for (const { segment } of Object.values(KINDS)) {
        const listed = await listAll(client, `${org}/${segment}`);
        documents.push(...listed.map(({ name }) => `${segment}/${name}`));
      }
      const byNumber = (path: string) => Number(path.split('/')[1]);
      return {
        membersCanCreate,
        defaultBriefPermission,
        role: members.find(({ username }) => username === guest.username)?.role ?? null,
        invited: invitations[0]?.role ?? null,
        documents: documents.sort((a, b) => byNumber(a) - byNumber(b)),
      };
    },
  };
}

/** A text of random length that starts with a name. */
function newText(name: string, chance: Chance): string {
  const line = `${name} ${chance.below(2 ** 31)}\n`;
  // Most are small, as in practice.
  const length = chance.below(chance.pick([100, 1_000, 10_000, MAX_TEXT]));
  const shared = SHARED.slice(0, chance.pick([0, 2_000, 2_000, 2_000, 2_000, SHARED.length]));
  return line.repeat(1 + length / line.length) + shared;
}

/**
 * A text that compresses badly alone and well with another text that contains it. Packed, it is too
 * large for a row.
 */
const SHARED = Array.from({ length: 2_500 }, (_, line) => sha256(`line ${line}`)).join('\n');

/** Represents a text in the ledger: its size and SHA-256. */
function digest(text: string): string {
  return `${text.length}:${sha256(text)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A response, or `undefined` for 404. */
async function find(client: Client, path: string): Promise<Answer | undefined> {
  const answer = await client.get(path);
  // A former name redirects to the document.
  if (answer.status === 404 || answer.status === 308) return undefined;
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer;
}

/** All result pages of a list. */
// biome-ignore lint/suspicious/noExplicitAny: lists of every shape
export async function listAll(client: Client, path: string): Promise<any[]> {
  const items: unknown[] = [];
  for (let page = 1; ; page++) {
    const answer = await client.get(`${path}?per_page=100&page=${page}`);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    items.push(...answer.data);
    if (!answer.headers.get('link')?.includes('rel="next"')) return items;
  }
}
