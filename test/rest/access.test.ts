import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { DocumentKind } from '../../src/document/kind.ts';
import { type Answer, type Client, type Service, startService } from '../harness.ts';
import {
  ACTIONS,
  type Action,
  CALLERS_OF_A_USER,
  CALLERS_OF_AN_ORGANIZATION,
  type Caller,
  rankOf,
  type Situation,
  statusOf,
} from './access-model.ts';
import { type Cast, makeCast } from './cast.ts';
import {
  ALL_KINDS,
  CONTENT,
  collaborate,
  expectStatus,
  invite,
  makeDocument,
  makeOrganization,
} from './scenario.ts';

const CODES: Record<number, string> = { 403: 'FORBIDDEN', 404: 'NOT_FOUND' };
const RANK_NAMES = ['none', 'read', 'write', 'admin'];
const ORG = 'guild';

let service: Service;
/** Owns every document, or administers the organization that does. */
let keeper: Client;
/** For the callers to act upon: a collaborator and an invited user. `novice` is neither. */
let partner: Client;
let visitor: Client;
let cast: Cast;

/** A document, and its callers as the model describes them. */
interface Scene {
  kind: DocumentKind;
  name: string;
  document: string;
  callers: Record<string, Caller>;
  situation: Situation;
  /** The visitor's invitation. */
  inviteId: string;
}

/** Makes a document with every caller standing towards it as the model says. */
async function setScene(
  kind: DocumentKind,
  name: string,
  callers: Record<string, Caller>,
  situation: Situation,
): Promise<Scene> {
  const { visibility, defaultBriefPermission } = situation;
  const owner = defaultBriefPermission ? { org: ORG } : {};
  const document = await makeDocument(keeper, name, { kind, visibility, ...owner });
  await cast.share(document, callers);
  await collaborate(keeper, document, partner, 'read');
  const inviteId = await invite(keeper, document, visitor, 'read');
  return { kind, name, document, callers, situation, inviteId };
}

/** Does what the action says, without changing what any caller may do. */
const DO: Record<Action, (client: Client, scene: Scene) => Promise<Answer>> = {
  get: (client, { document }) => client.get(document),
  listCollaborators: (client, { document }) => client.get(`${document}/collaborators`),
  getPermission: (client, { document }) =>
    client.get(`${document}/collaborators/visitor/permission`),
  patchContent: (client, { document, kind }) =>
    client.patch(document, { [kind.contentField]: CONTENT }),
  patchName: (client, { document, name }) => client.patch(document, { name }),
  patchVisibility: (client, { document, situation }) =>
    client.patch(document, { visibility: situation.visibility }),
  inviteCollaborator: (client, { document }) =>
    client.put(`${document}/collaborators/novice`, { permission: 'read' }),
  changeCollaborator: (client, { document }) =>
    client.put(`${document}/collaborators/partner`, { permission: 'write' }),
  deleteCollaborator: (client, { document }) => client.delete(`${document}/collaborators/partner`),
  listInvitations: (client, { document }) => client.get(`${document}/invitations`),
  patchInvitation: (client, { document, inviteId }) =>
    client.patch(`${document}/invitations/${inviteId}`, { permission: 'read' }),
  deleteInvitation: (client, { document, inviteId }) =>
    client.delete(`${document}/invitations/${inviteId}`),
  delete: (client, { document }) => client.delete(document),
};

/** Puts back what a successful action took or made. */
const UNDO: Partial<Record<Action, (scene: Scene, done: Answer) => Promise<unknown>>> = {
  inviteCollaborator: ({ document }, done) =>
    expectStatus(keeper.delete(`${document}/invitations/${done.data.id}`), 204),
  deleteCollaborator: ({ document }) => collaborate(keeper, document, partner, 'read'),
  deleteInvitation: async (scene) => {
    scene.inviteId = await invite(keeper, scene.document, visitor, 'read');
  },
};

/** Every caller tries every action; each status is what the model says. */
async function tryEverything(scene: Scene): Promise<void> {
  const { callers, situation, document } = scene;
  for (const [username, caller] of Object.entries(callers)) {
    const client = caller.owns ? keeper : await cast.clientOf(username);
    const rank = rankOf(caller, situation);
    const about = `${username} on ${JSON.stringify(situation)}`;
    for (const action of Object.keys(ACTIONS) as Action[]) {
      const expected = statusOf(action, rank);
      // Who may delete does so on a document of its own, below.
      if (action === 'delete' && expected === 204) continue;
      const answer = await DO[action](client, scene);
      assert.equal(answer.status, expected, `${about}: ${action}: ${answer.text}`);
      if (CODES[expected]) assert.equal(answer.json.error.code, CODES[expected], about);
      else await UNDO[action]?.(scene, answer);
    }
    if (rank > 0) {
      const { permissions } = (await client.get(document)).data;
      const rights = { admin: rank === 3, write: rank >= 2, read: true };
      assert.deepEqual(permissions, rights, about);
    }
    const path = `${document}/collaborators/${client.username}/permission`;
    assert.equal((await keeper.get(path)).data.permission, RANK_NAMES[rank], about);
  }
}

/** Each caller whom the model lets delete gets a document of its own to do so. */
async function tryDeleting({ kind, callers, situation }: Scene): Promise<void> {
  for (const [username, caller] of Object.entries(callers)) {
    if (rankOf(caller, situation) < 3) continue;
    const scene = await setScene(kind, `for-${username}`, { [username]: caller }, situation);
    const client = caller.owns ? keeper : await cast.clientOf(username);
    assert.equal((await DO.delete(client, scene)).status, 204, username);
    assert.equal((await keeper.get(scene.document)).status, 404, username);
  }
}

before(async () => {
  service = await startService();
  keeper = await service.user('keeper');
  cast = makeCast(service, keeper);
  partner = await service.user('partner');
  visitor = await service.user('visitor');
  await service.user('novice');
});
after(() => service.stop());

for (const kind of ALL_KINDS) {
  describe(`who may do what with a ${kind.kind} of a user`, () => {
    for (const visibility of ['public', 'private'] as const) {
      it(`${visibility}: every caller × every action`, async () => {
        const scene = await setScene(kind, visibility, CALLERS_OF_A_USER, { visibility });
        await tryEverything(scene);
        await tryDeleting(scene);
      });
    }
  });
}

describe('who may do what with a document of an organization', () => {
  before(async () => {
    await makeOrganization(keeper, ORG);
    await cast.enrol(ORG, CALLERS_OF_AN_ORGANIZATION);
  });

  for (const kind of ALL_KINDS) {
    for (const defaultBriefPermission of ['none', 'read', 'write'] as const) {
      for (const visibility of ['public', 'internal', 'private'] as const) {
        const about = `${kind.kind}, ${visibility}, defaultBriefPermission ${defaultBriefPermission}`;
        it(`${about}: every caller × every action`, async () => {
          await expectStatus(keeper.patch(`/orgs/${ORG}`, { defaultBriefPermission }), 200);
          const name = `${visibility}-${defaultBriefPermission}`;
          const situation = { visibility, defaultBriefPermission };
          const scene = await setScene(kind, name, CALLERS_OF_AN_ORGANIZATION, situation);
          await tryEverything(scene);
          await tryDeleting(scene);
        });
      }
    }
  }
});
