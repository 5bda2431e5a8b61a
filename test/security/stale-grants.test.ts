import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import Fastify from 'fastify';
import { hashSecret } from '../../src/base/crypto/hash-secret.ts';
import type { RateLimiter } from '../../src/base/limits/rate-limit.ts';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import { callOf } from '../../src/core/context.ts';
import { setAccountDisabled } from '../../src/core/identity/account-service.ts';
import { endAllSessions } from '../../src/core/identity/session-service.ts';
import {
  createToken,
  listAccountTokens,
  revokeToken,
} from '../../src/core/identity/token-service.ts';
import { deleteUser } from '../../src/features/accounts/account-deletion-service.ts';
import {
  disconnectApplication,
  listConnectedApplications,
  narrowApplication,
} from '../../src/features/applications/application-service.ts';
import { insertInvitation } from '../../src/features/invitations/invitation-store.ts';
import { takeDown } from '../../src/features/moderation/takedown-service.ts';
import { requireAuthentication } from '../../src/surfaces/http/authentication.ts';
import { createUnread } from '../../src/surfaces/http/unread.ts';
import { newChance } from '../chance.ts';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { eventsPlaced } from '../mail/post-office.ts';
import { type Agent, connect } from '../mcp/agent.ts';
import { obtainTokens, register, UNLIMITED } from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
} from '../rest/scenario.ts';
import { newVisitor, signIn, type Visitor } from '../sign-in/visitor.ts';
import { until } from '../until.ts';
import { clientMissing } from '../web/built-client.ts';
import { makePerson, type Person } from '../web-app/world.ts';
import { countWaiting, openWaits, sendSlowly } from './open-requests.ts';

/** Whether any document content is still available there. */
type Look = () => Promise<boolean>;

/** Results by credential, then by place. */
type Surfaces = Record<'token' | 'application' | 'session' | 'address', Record<string, Look>>;

type Credential = keyof Surfaces;

const EVERYTHING: Credential[] = ['token', 'application', 'session', 'address'];

/** Two documents of someone else, and a reader with every kind of access. */
interface Scene {
  keeper: Client;
  reader: Person;
  surfaces: Surfaces;
  /** The API's paths of the brief and the page. */
  paths: string[];
  org: string;
}

/**
 * How the reader got access: by invitation, as a member, as the member who created it, or as
 * anyone.
 */
type Standing = 'collaborator' | 'member' | 'creator' | 'anybody';

const VISIBILITIES = {
  collaborator: 'private',
  member: 'internal',
  creator: 'private',
  anybody: 'public',
} as const satisfies Record<Standing, string>;

/** Whether the documents belong to an organization of which the reader is a member. */
const isOfMember = (standing: Standing) => standing === 'member' || standing === 'creator';

interface Ending {
  standing: Standing;
  /** What is revoked; everything by default. */
  ends?: Credential[];
  end(scene: Scene, service: Service): Promise<unknown>;
}

const ENDINGS: Record<string, Ending> = {
  'a collaborator removed': {
    standing: 'collaborator',
    end: ({ keeper, reader, paths }) =>
      each(paths, (path) => keeper.delete(`${path}/collaborators/${reader.username}`)),
  },
  'a member removed': {
    standing: 'member',
    end: ({ keeper, reader, org }) => keeper.delete(`/orgs/${org}/members/${reader.username}`),
  },
  'a member who left': {
    standing: 'member',
    end: ({ reader, org }) => reader.client.delete(`/user/memberships/orgs/${org}`),
  },
  'a member removed who created the documents': {
    standing: 'creator',
    end: ({ keeper, reader, org }) => keeper.delete(`/orgs/${org}/members/${reader.username}`),
  },
  'a member who left and created the documents': {
    standing: 'creator',
    end: ({ reader, org }) => reader.client.delete(`/user/memberships/orgs/${org}`),
  },
  'an internal document made private': {
    standing: 'member',
    end: ({ keeper, paths }) =>
      each(paths, (path) => keeper.patch(path, { visibility: 'private' })),
  },
  'an organization deleted': {
    standing: 'member',
    end: ({ keeper, org }) => keeper.delete(`/orgs/${org}`),
  },
  'a public document made private': {
    standing: 'anybody',
    end: ({ keeper, paths }) =>
      each(paths, (path) => keeper.patch(path, { visibility: 'private' })),
  },
  'a document deleted': {
    standing: 'anybody',
    end: ({ keeper, paths }) => each(paths, (path) => keeper.delete(path)),
  },
  'a private document taken down, for a collaborator': {
    standing: 'collaborator',
    end: takeDownAll,
  },
  'an internal document taken down': { standing: 'member', end: takeDownAll },
  'a document taken down, for its creator in an organization': {
    standing: 'creator',
    end: takeDownAll,
  },
  'a public document taken down': { standing: 'anybody', end: takeDownAll },
  'the owner’s account deleted': {
    standing: 'collaborator',
    end: ({ keeper }, { app }) => deleteUser(app.context, keeper.username),
  },
  'the reader’s account disabled': {
    standing: 'collaborator',
    end: ({ reader }, { app }) => setAccountDisabled(app.context, reader.username, true),
  },
  'the reader’s account deleted': {
    standing: 'member',
    end: ({ reader }, { app }) => deleteUser(app.context, reader.username),
  },
  'a token revoked': {
    standing: 'collaborator',
    ends: ['token'],
    async end({ reader }, { app }) {
      const tokens = await listAccountTokens(app.context, reader.username);
      await each(tokens, ({ id }) => revokeToken(app.context, id));
    },
  },
  'an application disconnected': {
    standing: 'collaborator',
    ends: ['application'],
    async end({ reader }, { app }) {
      const { id } = (await reader.client.get('/user')).data;
      const actor = { id, username: reader.username, scopes: [], via: VIA_WEB };
      const connected = await listConnectedApplications(callOf(app.context, actor));
      assert.equal(connected.length, 1);
      await each(connected, (one) => disconnectApplication(callOf(app.context, actor), one.id));
    },
  },
  'an organization whose policies shut programs out': {
    standing: 'member',
    ends: ['token', 'application', 'address'],
    end: ({ keeper, org }) =>
      keeper.patch(`/orgs/${org}/policies`, { tokenHolders: 'admins', appUsers: 'nobody' }),
  },
  'an organization whose policies let programs live for a day': {
    standing: 'creator',
    ends: ['token', 'address'],
    end: ({ keeper, org }) => keeper.patch(`/orgs/${org}/policies`, { programDays: 1 }),
  },
  'all sessions ended': {
    standing: 'collaborator',
    ends: ['session'],
    async end({ reader }, { app }) {
      const { id } = (await reader.client.get('/user')).data;
      await endAllSessions(
        callOf(app.context, { id, username: reader.username, scopes: [], via: VIA_WEB } as never),
      );
    },
  },
};

/** An administrator of the instance takes the documents down. */
async function takeDownAll({ paths }: Scene, { app }: Service): Promise<void> {
  for (const path of paths) {
    const [, segment, owner = '', name = ''] = path.split('/');
    const ref = { kind: segment === 'briefs' ? 'brief' : 'page', owner, name } as const;
    await takeDown(app.context, undefined, ref, { reason: 'Spam.' });
  }
}

async function each<T>(all: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  for (const one of all) {
    const answer = await act(one);
    const { status = 200 } = (answer ?? {}) as { status?: number };
    assert.ok(status < 300, `${status}`);
  }
}

describe('Stale grants on other surfaces', { skip: clientMissing }, () => {
  let service: Service;
  let application: Awaited<ReturnType<typeof register>>;
  const agents: Agent[] = [];
  let count = 0;

  before(async () => {
    service = await startService(UNLIMITED);
    application = await register(service);
  });
  after(async () => {
    for (const agent of agents) await agent.close();
    await service?.stop();
  });

  async function setScene(standing: Standing): Promise<Scene> {
    const number = count++;
    const word = `zebrafish${number}`;
    const keeper = await service.user(`keeper-${number}`);
    const reader = await makePerson(service, `reader-${number}`);
    const org = `guild-${number}`;
    const ofMember = isOfMember(standing);
    const owner = ofMember ? org : keeper.username;
    if (ofMember) {
      await keeper.post('/user/orgs', { namespace: org, name: 'Guild' });
      await keeper.put(`/orgs/${org}/members/${reader.username}`, { role: 'member' });
      await reader.client.patch(`/user/memberships/orgs/${org}`, { state: 'active' });
    }
    const visibility = VISIBILITIES[standing];
    const below = ofMember ? `/orgs/${org}` : '/user';
    const creator = standing === 'creator' ? reader.client : keeper;
    const make = async (segment: string, body: object) => {
      const named = { name: `${word}-${segment}`, visibility, ...body };
      const answer = await creator.post(`${below}/${segment}`, named);
      assert.equal(answer.status, 201, answer.text);
      return `/${segment}/${owner}/${named.name}`;
    };
    const brief = await make('briefs', { content: `# ${word}` });
    const page = await make('pages', { html: `<title>${word}</title>` });
    const paths = [brief, page];
    if (standing === 'collaborator') {
      for (const path of paths)
        await collaborate(keeper, path, { ...reader.client, username: reader.username }, 'read');
    }
    await everythingIndexed(service.app.context);

    const { id } = (await reader.client.get('/user')).data;
    const browser = await signedIn(service, id);
    const held = await obtainTokens(service, browser, application);
    const names = { owner, brief: brief.split('/')[3] ?? '', page: page.split('/')[3] ?? '' };
    const token = await byToken(reader.client, paths, word, names, standing);
    const delegate = service.client(held.access_token);
    const signed = (await reader.client.get(`${page}/render-url`)).data.url;
    return {
      keeper,
      reader,
      paths,
      org,
      surfaces: {
        token,
        application: await byToken(delegate, paths, word, names, standing),
        session: bySession(reader.visitor, word, names, standing),
        address: byAddress(signed, word, names, standing),
      },
    };
  }

  type Names = Record<'owner' | 'brief' | 'page', string>;

  /** The API and the tools. */
  async function byToken(
    client: Client,
    paths: string[],
    word: string,
    names: Names,
    standing: Standing,
  ): Promise<Record<string, Look>> {
    const [brief = '', page = ''] = paths;
    const { owner } = names;
    const agent = await connect(service, client.token);
    agents.push(agent);
    const rest = (path: string) => async () => (await client.get(path)).text.includes(word);
    const tool = (name: string, args: object) => async () => {
      const called = agent.call(name, { owner, ...args });
      const { data } = await called.catch(() => ({ data: undefined }));
      return data !== undefined && JSON.stringify(data).includes(word);
    };
    const lists = (which: string) => async () => {
      const called = agent.call('search_documents', { which });
      const { data } = await called.catch(() => ({ data: undefined }));
      return data !== undefined && JSON.stringify(data).includes(word);
    };
    const listed = isOfMember(standing) ? `/orgs/${owner}` : `/users/${owner}`;
    return {
      'GET brief': rest(brief),
      'GET page': rest(page),
      'GET render-url': async () => (await client.get(`${page}/render-url`)).status === 200,
      'tool read_document': tool('read_document', { name: names.brief }),
      'tool read_document, a page': tool('read_document', { name: names.page, kind: 'page' }),
      'tool read_document, a link': async () => {
        const call = agent.call('read_document', { owner, name: names.page, view: 'link' });
        return (await call.catch(() => ({ data: undefined }))).data !== undefined;
      },
      resource: () =>
        agent.client.readResource({ uri: `brief://${owner}/${names.brief}` }).then(
          () => true,
          () => false,
        ),
      ...(standing !== 'collaborator' && {
        'list of briefs': rest(`${listed}/briefs`),
        'list of pages': rest(`${listed}/pages`),
        'tool search_documents': tool('search_documents', {}),
      }),
      ...(standing === 'collaborator' && { 'tool search_documents, shared': lists('shared') }),
      ...(standing !== 'anybody' && {
        'tool search_documents, all': lists('all'),
        'list of resources': () =>
          agent.client.listResources(undefined, { cacheMode: 'bypass' }).then(
            ({ resources }) => JSON.stringify(resources).includes(word),
            () => false,
          ),
      }),
    };
  }

  /** The web app. */
  function bySession(
    visitor: Visitor,
    word: string,
    { owner, brief, page }: Names,
    standing: Standing,
  ): Record<string, Look> {
    const shows = (path: string) => async () => {
      const { status, text } = await visitor.get(path);
      return status === 200 && text.includes(`/${word}`);
    };
    const found = async () => {
      const accept = { accept: 'application/json' };
      return (await visitor.get(`/search?q=${word}`, accept)).text.includes(`${word}-`);
    };
    return {
      'read a brief': shows(`/read/${owner}/${brief}`),
      'read a page': shows(`/read/${owner}/pages/${page}`),
      'history of a brief': shows(`/history/${owner}/${brief}`),
      'history of a page': shows(`/history/${owner}/pages/${page}`),
      search: shows(`/search?q=${word}`),
      'search of the palette': found,
      ...(standing === 'collaborator' && { home: shows('/'), shared: shows('/shared') }),
      ...(isOfMember(standing) && {
        home: shows('/'),
        organization: shows(`/organizations/${owner}`),
      }),
    };
  }

  /** Addresses that anyone who has them can open. */
  function byAddress(
    signed: string,
    word: string,
    { owner, brief, page }: Names,
    standing: Standing,
  ): Record<string, Look> {
    const shows =
      (url: string, headers = {}) =>
      async () => {
        const response = await fetch(url, { headers });
        return (await response.text()).includes(word) && response.status === 200;
      };
    const html = { accept: 'text/html' };
    return {
      'signed address': shows(signed),
      ...(standing === 'anybody' && {
        'public Markdown': shows(`${service.webUrl}/${owner}/${brief}.md`),
        'public page': shows(`${service.webUrl}/${owner}/${brief}`, html),
        'public frame': shows(`${service.webUrl}/${owner}/pages/${page}`, html),
        'render host': shows(`${service.renderUrl}/${owner}/${page}`),
        profile: shows(`${service.webUrl}/${owner}`, html),
      }),
    };
  }

  async function look(surfaces: Surfaces): Promise<Record<Credential, Record<string, boolean>>> {
    const seen = {} as Record<Credential, Record<string, boolean>>;
    for (const credential of EVERYTHING) {
      const all = Object.entries(surfaces[credential]).map(async ([name, see]) => [
        name,
        await see(),
      ]);
      seen[credential] = Object.fromEntries(await Promise.all(all));
    }
    return seen;
  }

  const expected = (surfaces: Surfaces, open: (credential: Credential) => boolean) =>
    Object.fromEntries(
      EVERYTHING.map((credential) => [
        credential,
        Object.fromEntries(
          Object.keys(surfaces[credential]).map((name) => [name, open(credential)]),
        ),
      ]),
    );

  for (const [what, { standing, ends = EVERYTHING, end }] of Object.entries(ENDINGS)) {
    it(what, async () => {
      const scene = await setScene(standing);
      const { surfaces } = scene;
      assert.deepEqual(
        await look(surfaces),
        expected(surfaces, () => true),
      );
      await end(scene, service);
      assert.deepEqual(
        await look(surfaces),
        expected(surfaces, (credential) => !ends.includes(credential)),
      );
    });
  }

  it('a session copied before signing out stops working', async () => {
    const person = await makePerson(service, 'leaver');
    const copy = newVisitor(service, { cookies: new Map(person.visitor.cookies) });
    assert.equal((await copy.get('/settings')).status, 200);
    await person.visitor.post('/sign-out');
    assert.equal((await copy.get('/settings')).status, 303);
  });
});

/** An organization and a document, where an inviter may invite; everything private. */
interface Offering {
  /** Owns the document, or is the organization's other admin. */
  keeper: Client;
  inviter: Client;
  org: string;
  /** The API's path of the document. */
  path: string;
}

/** How the inviter may share the document: as an admin, as its creator, or as a collaborator. */
type Right = 'admin' | 'creator' | 'collaborator';

interface Loss {
  right: Right;
  lose(offering: Offering, service: Service): Promise<unknown>;
  /** Whether invitations to the organization stay. */
  keepsOrganization?: boolean;
}

const LOSSES: Record<string, Loss> = {
  'an admin removed': {
    right: 'admin',
    lose: ({ keeper, inviter, org }) => keeper.delete(`/orgs/${org}/members/${inviter.username}`),
  },
  'an admin made a member': {
    right: 'admin',
    lose: ({ keeper, inviter, org }) =>
      keeper.put(`/orgs/${org}/members/${inviter.username}`, { role: 'member' }),
  },
  'an admin who left': {
    right: 'admin',
    lose: ({ inviter, org }) => inviter.delete(`/user/memberships/orgs/${org}`),
  },
  'a document moved away from the admin’s organization': {
    right: 'admin',
    keepsOrganization: true,
    lose: ({ keeper, path }) => keeper.post(`${path}/move`, { owner: keeper.username }),
  },
  'an admin’s account deleted': {
    right: 'admin',
    lose: ({ inviter }, { app }) => deleteUser(app.context, inviter.username),
  },
  'an admin’s account disabled': {
    right: 'admin',
    lose: ({ inviter }, { app }) => setAccountDisabled(app.context, inviter.username, true),
  },
  'a member removed who created the document': {
    right: 'creator',
    lose: ({ keeper, inviter, org }) => keeper.delete(`/orgs/${org}/members/${inviter.username}`),
  },
  'a member who created the document and can now only edit it': {
    right: 'creator',
    lose: ({ keeper, inviter, path }) =>
      keeper.put(`${path}/collaborators/${inviter.username}`, { permission: 'write' }),
  },
  'a collaborator removed': {
    right: 'collaborator',
    lose: ({ keeper, inviter, path }) => keeper.delete(`${path}/collaborators/${inviter.username}`),
  },
  'a collaborator who can now only edit': {
    right: 'collaborator',
    lose: ({ keeper, inviter, path }) =>
      keeper.put(`${path}/collaborators/${inviter.username}`, { permission: 'write' }),
  },
  'a collaborator who left': {
    right: 'collaborator',
    lose: ({ inviter, path }) => inviter.delete(`${path}/collaborators/${inviter.username}`),
  },
  'a collaborator who left in the app': {
    right: 'collaborator',
    async lose({ inviter, path }, service) {
      const browser = await signedIn(service, (await inviter.get('/user')).data.id);
      const address = service.webUrl + path.replace('/briefs/', '/share/');
      const { id } = (await inviter.get(path)).data;
      assert.equal((await browser.submit(`${address}/leave`, [['document', id]])).status, 303);
    },
  },
  'a collaborator’s account deleted': {
    right: 'collaborator',
    lose: ({ inviter }, { app }) => deleteUser(app.context, inviter.username),
  },
  'a collaborator’s account disabled': {
    right: 'collaborator',
    lose: ({ inviter }, { app }) => setAccountDisabled(app.context, inviter.username, true),
  },
  'a document deleted and restored': {
    right: 'collaborator',
    async lose({ keeper, path }) {
      const { id } = (await keeper.get(path)).data;
      await expectStatus(keeper.delete(path), 204);
      return keeper.post(`/trash/${id}/restore`, {});
    },
  },
};

describe('Invitations and secret links', () => {
  let service: Service;
  let count = 0;

  before(async () => {
    service = await startService(UNLIMITED);
  });
  after(() => service?.stop());

  const newPerson = (name: string) => service.user(`${name}-${++count}`);

  async function setScene(right: Right): Promise<Offering> {
    const [keeper, inviter] = [await newPerson('keeper'), await newPerson('inviter')];
    const org = `guild-${++count}`;
    await makeOrganization(keeper, org);
    const visibility = 'private';
    if (right === 'collaborator') {
      const path = await makeDocument(keeper, 'plans', { visibility });
      await collaborate(keeper, path, inviter, 'admin');
      return { keeper, inviter, org, path };
    }
    await join(keeper, org, inviter, right === 'admin' ? 'admin' : 'member');
    const creator = right === 'creator' ? inviter : keeper;
    const path = await makeDocument(creator, 'plans', { org, visibility });
    return { keeper, inviter, org, path };
  }

  /** The token of a mailed invitation with the highest level, as if the inviter had sent it. */
  async function mailed(by: Client, to: { documentId: string } | { organizationId: string }) {
    const { context } = service.app;
    const token = randomBytes(24).toString('base64url');
    const { id: invitedBy } = (await by.get('/user')).data;
    const email = `stranger${++count}@example.net`;
    await context.sql.transaction((tx) =>
      insertInvitation(tx, {
        id: context.newId(),
        to,
        level: 'admin',
        recipient: { email, emailKey: email, tokenHash: hashSecret(token), sealedToken: null },
        isByPerson: true,
        invitedBy,
        createdAt: context.now(),
        expiresAt: new Date(Date.parse(context.now()) + 3_600_000).toISOString(),
      }),
    );
    return token;
  }

  /**
   * Offers a document, and an organization if the person may, in every way. Returns what to do with
   * each offer, which tells whether it let someone in.
   */
  async function offer(by: Client, { org, path }: Offering, toOrganization: boolean) {
    const outsider = await newPerson('outsider');
    const documentId = (await by.get(path)).data.id;
    const { data: invitation } = await expectStatus(
      by.put(`${path}/collaborators/${outsider.username}`, { permission: 'admin' }),
      201,
    );
    const { data: link } = await expectStatus(by.post(`${path}/links`, { access: 'read' }), 201);
    const documentToken = await mailed(by, { documentId });
    const accept = async (token: string) => {
      const stranger = await newPerson('stranger');
      const browser = await signedIn(service, (await stranger.get('/user')).data.id);
      const { status } = await browser.submit(`${service.webUrl}/invited/${token}/accept`, []);
      assert.ok(status === 303 || status === 404, `${status}`);
      return status === 303;
    };
    const ofDocument = {
      'invitation to the document': async () => {
        const address = `/user/brief_invitations/${invitation.id}`;
        const { status } = await outsider.patch(address);
        assert.ok(status === 204 || status === 404, `${status}`);
        return status === 204;
      },
      'mailed invitation to the document': () => accept(documentToken),
      'secret link': async () => (await fetch(link.url)).status === 200,
    };
    if (!toOrganization) return { ofDocument, ofOrganization: {} };
    const { id: organizationId } = (await by.get(`/orgs/${org}`)).data;
    await expectStatus(by.put(`/orgs/${org}/members/${outsider.username}`, { role: 'admin' }), 201);
    const organizationToken = await mailed(by, { organizationId });
    const ofOrganization = {
      'invitation to the organization': async () => {
        const address = `/user/memberships/orgs/${org}`;
        const { status } = await outsider.patch(address, { state: 'active' });
        assert.ok(status === 200 || status === 404, `${status}`);
        return status === 200;
      },
      'mailed invitation to the organization': () => accept(organizationToken),
    };
    return { ofDocument, ofOrganization };
  }

  /** How many offers are stored of someone, or of an account that is gone. */
  async function stored(makerId: string): Promise<number> {
    const { read } = service.app.context.sql;
    const makers = [
      ...(await read.selectFrom('invitation').select('invitedBy as by').execute()),
      ...(await read.selectFrom('document_link').select('createdBy as by').execute()),
    ];
    return makers.filter(({ by }) => by === makerId || by === null).length;
  }

  async function use(offers: Record<string, Look>): Promise<Record<string, boolean>> {
    const used: Record<string, boolean> = {};
    for (const [name, look] of Object.entries(offers)) used[name] = await look();
    return used;
  }

  const allOf = (offers: Record<string, Look>, works: boolean) =>
    Object.fromEntries(Object.keys(offers).map((name) => [name, works]));

  for (const [what, { right, lose, keepsOrganization = false }] of Object.entries(LOSSES)) {
    it(`end: ${what}`, async () => {
      const scene = await setScene(right);
      const offers = await offer(scene.inviter, scene, right === 'admin');
      const others = await offer(scene.keeper, scene, true);
      const { id } = (await scene.inviter.get('/user')).data;
      const answer = (await lose(scene, service)) as { status?: number } | undefined;
      assert.ok((answer?.status ?? 200) < 300, `${answer?.status}`);
      // Those of a disabled account stay, and work again when it is enabled.
      if (!what.endsWith('disabled')) {
        assert.equal(await stored(id), keepsOrganization ? 2 : 0);
      }
      assert.deepEqual(await use(offers.ofDocument), allOf(offers.ofDocument, false));
      assert.deepEqual(
        await use(offers.ofOrganization),
        allOf(offers.ofOrganization, keepsOrganization),
      );
      const isDeleted = what === 'a document deleted and restored';
      assert.deepEqual(await use(others.ofDocument), allOf(others.ofDocument, !isDeleted));
      assert.deepEqual(await use(others.ofOrganization), allOf(others.ofOrganization, true));
    });
  }

  it('work again when a disabled account is enabled', async () => {
    const scene = await setScene('admin');
    const { ofDocument, ofOrganization } = await offer(scene.inviter, scene, true);
    const { context } = service.app;
    await setAccountDisabled(context, scene.inviter.username, true);
    assert.deepEqual(await use(ofDocument), allOf(ofDocument, false));
    await setAccountDisabled(context, scene.inviter.username, false);
    assert.deepEqual(await use(ofDocument), allOf(ofDocument, true));
    assert.deepEqual(await use(ofOrganization), allOf(ofOrganization, true));
  });

  it('don’t work if the right ended in a way that didn’t end them', async () => {
    const scene = await setScene('admin');
    const { ofDocument, ofOrganization } = await offer(scene.inviter, scene, true);
    const { id } = (await scene.inviter.get('/user')).data;
    await service.app.context.sql.transaction((tx) =>
      tx.deleteFrom('stored_membership').where('accountId', '=', id).execute(),
    );
    assert.deepEqual(await use(ofDocument), allOf(ofDocument, false));
    assert.deepEqual(await use(ofOrganization), allOf(ofOrganization, false));
  });

  it('that are made while the right ends don’t stay', async () => {
    for (let round = 0; round < 10; round++) {
      const { keeper, inviter, path } = await setScene('collaborator');
      const outsider = await newPerson('outsider');
      const [removed, linked, invited] = await Promise.all([
        keeper.delete(`${path}/collaborators/${inviter.username}`),
        inviter.post(`${path}/links`, { access: 'read' }),
        inviter.put(`${path}/collaborators/${outsider.username}`, { permission: 'admin' }),
      ]);
      assert.equal(removed.status, 204);
      if (linked.status === 201) assert.equal((await fetch(linked.data.url)).status, 404);
      if (invited.status === 201) {
        const address = `/user/brief_invitations/${invited.data.id}`;
        assert.equal((await outsider.patch(address)).status, 404);
      }
    }
  });
});

/** Who waits, with what, for the events of whose document. */
interface Watch {
  keeper: Client;
  reader: Person;
  /** The organization that owns the brief. */
  org: string;
  /** The API’s path of the brief. */
  path: string;
  personal: { token: string; id: string };
  applicationToken: string;
}

interface EndingMeanwhile {
  /** Whose waits end without telling anything. */
  ends: readonly ('token' | 'application')[];
  /** Whether only the document's events end, so those that concern the reader aren't waited for. */
  ofDocument?: true;
  end(watch: Watch): Promise<unknown>;
}

describe('Grants that end while a request is open', { skip: clientMissing }, () => {
  let service: Service;
  let application: Awaited<ReturnType<typeof register>>;
  let count = 0;

  before(async () => {
    service = await startService(UNLIMITED);
    application = await register(service);
  });
  after(() => service?.stop());

  const LIFETIME_MS = 60_000;
  const HOUR_MS = 60 * 60_000;

  async function setWatch(): Promise<Watch> {
    const number = count++;
    const keeper = await service.user(`watched-${number}`);
    const reader = await makePerson(service, `watcher-${number}`);
    const { username } = reader;
    const brief = { name: 'plans', visibility: 'private', content: 'one' };
    const org = `watched-org-${number}`;
    await makeOrganization(keeper, org);
    assert.equal((await keeper.post(`/orgs/${org}/briefs`, brief)).status, 201);
    const path = `/briefs/${org}/plans`;
    await collaborate(keeper, path, { ...reader.client, username }, 'read');
    await reader.client.put(`${path}/subscription`, { level: 'all' });
    const input = { username, name: 'waits', lifetimeMs: LIFETIME_MS };
    const personal = await createToken(service.app.context, input);
    const browser = await signedIn(service, (await reader.client.get('/user')).data.id);
    const { access_token: applicationToken } = await obtainTokens(service, browser, application);
    return { keeper, reader, org, path, personal, applicationToken };
  }

  const actorOf = async ({ username, client }: Person) => {
    const { id } = (await client.get('/user')).data;
    return { id, username, scopes: [], via: VIA_WEB };
  };

  const MEANWHILE: Record<string, EndingMeanwhile> = {
    nothing: { ends: [], end: async () => {} },
    'a token revoked': {
      ends: ['token'],
      end: ({ personal }) => revokeToken(service.app.context, personal.id),
    },
    'a token expired': {
      ends: ['token'],
      end: async () => service.advance(LIFETIME_MS),
    },
    'an application’s token revoked': {
      ends: ['application'],
      async end({ applicationToken: token }) {
        const body = new URLSearchParams({ client_id: application.client_id, token });
        const answer = await fetch(`${service.baseUrl}/oauth/revoke`, { method: 'POST', body });
        assert.equal(answer.status, 200, await answer.text());
      },
    },
    'an application disconnected': {
      ends: ['application'],
      async end({ reader }) {
        const actor = await actorOf(reader);
        const [connected] = await listConnectedApplications(callOf(service.app.context, actor));
        assert.ok(connected);
        await disconnectApplication(callOf(service.app.context, actor), connected.id);
      },
    },
    'scopes taken away from an application': {
      ends: ['application'],
      async end({ reader }) {
        const actor = await actorOf(reader);
        const [connected] = await listConnectedApplications(callOf(service.app.context, actor));
        assert.ok(connected);
        await narrowApplication(callOf(service.app.context, actor), connected.id, ['profile']);
      },
    },
    'both tokens expired': {
      ends: ['token', 'application'],
      end: async () => service.advance(HOUR_MS),
    },
    'the account disabled': {
      ends: ['token', 'application'],
      ofDocument: true,
      end: ({ reader }) => setAccountDisabled(service.app.context, reader.username, true),
    },
    'the account deleted': {
      ends: ['token', 'application'],
      ofDocument: true,
      end: ({ reader }) => deleteUser(service.app.context, reader.username),
    },
    'the organization shuts programs of outsiders out': {
      ends: ['token', 'application'],
      end: ({ keeper, org }) =>
        keeper.patch(`/orgs/${org}/policies`, { tokenHolders: 'members', appUsers: 'admins' }),
    },
    'the collaborator removed': {
      ends: ['token', 'application'],
      ofDocument: true,
      end: ({ keeper, path, reader }) => keeper.delete(`${path}/collaborators/${reader.username}`),
    },
  };

  for (const [what, { ends, ofDocument = false, end }] of Object.entries(MEANWHILE)) {
    it(`no wait tells of what happened after the end: ${what}`, async () => {
      const watch = await setWatch();
      const { keeper, path, personal, applicationToken } = watch;
      const document = path.replace('/briefs/', '');
      await eventsPlaced(service);
      const waiting = countWaiting(service);
      const tokens = { token: personal.token, application: applicationToken };
      const opened = await Promise.all(
        Object.values(tokens).map((token) =>
          openWaits(service, token, { document, own: !ofDocument }),
        ),
      );
      try {
        await waiting.reach(2 * (ofDocument ? 4 : 7));
        await end(watch);
        assert.equal((await keeper.patch(path, { content: 'two' })).status, 200);
        for (const [index, credential] of (['token', 'application'] as const).entries()) {
          const waits = Object.entries(opened[index]?.heard ?? {});
          const heard = await Promise.all(waits.map(async ([name, told]) => [name, await told]));
          const expected = waits.map(([name]) => [name, !ends.includes(credential)]);
          assert.deepEqual(heard, expected, credential);
        }
      } finally {
        waiting.stop();
        for (const { close } of opened) await close();
      }
    });
  }

  it('a body that arrives after its token was revoked changes nothing', async () => {
    const { reader } = await setWatch();
    const { username, client } = reader;
    assert.equal((await client.post('/user/briefs', { name: 'own', content: 'one' })).status, 201);
    const publish = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'publish_document', arguments: { name: 'late', content: 'two' } },
    };
    const json = (body: object) => new Blob([JSON.stringify(body)], { type: 'application/json' });
    const form = new FormData();
    form.append('file', new Blob(['late'], { type: 'text/plain' }), 'late.txt');
    for (const [method, path, body] of [
      ['PATCH', `/briefs/${username}/own`, json({ content: 'two' })],
      ['POST', '/user/briefs', json({ name: 'late', content: 'two' })],
      ['POST', '/user/files', await new Response(form).blob()],
      ['POST', '/mcp', json(publish)],
    ] as const) {
      const input = { username, name: 'late', lifetimeMs: undefined };
      const { token, id } = await createToken(service.app.context, input);
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': body.type,
        accept: 'application/json, text/event-stream',
      };
      const answer = await sendSlowly(
        ...([service, service.baseUrl + path, { method, headers, body }] as const),
        () => revokeToken(service.app.context, id),
      );
      assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
    }
    assert.equal((await client.get(`/briefs/${username}/own`)).data.content, 'one');
    assert.equal((await client.get('/user/briefs')).data.length, 1);
    assert.deepEqual((await client.get('/user/files')).data, []);
  });

  it('a token that ends while the body arrives during its look-up is looked up again', async () => {
    const app = Fastify();
    const actor = { id: 'a', username: 'ada', scopes: [], via: VIA_WEB };
    let incoming: IncomingMessage | undefined;
    app.addHook('onRequest', async ({ raw }) => {
      incoming = raw;
    });
    const found = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    let times = 0;
    requireAuthentication(app, {
      authenticate: async () => {
        if (++times > 1) return undefined;
        looked.resolve();
        await found.promise;
        return actor;
      },
      limiter: { consume: async () => undefined } as unknown as RateLimiter,
      unread: createUnread(),
    });
    let isDone = false;
    app.post('/', async () => {
      isDone = true;
      return {};
    });
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    try {
      const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': 2 } });
      const answered = once(sent, 'response');
      sent.flushHeaders();
      await looked.promise;
      sent.end('{}');
      await until('the body arrives', () => incoming?.complete === true);
      found.resolve();
      const [answer] = (await answered) as [IncomingMessage];
      answer.resume();
      assert.deepEqual([answer.statusCode, isDone, times], [401, false, 2]);
    } finally {
      await app.close();
    }
  });

  it('a form that arrives after its session has ended changes nothing', async () => {
    const { reader } = await setWatch();
    const { visitor, client } = reader;
    const forms: [string, Record<string, string>, file: string | undefined][] = [
      ['/settings/uploads', {}, 'late.txt'],
      ['/import', { visibility: 'private', owner: '', ifTaken: 'skip' }, 'late.md'],
      ['/new', { content: 'late', name: 'late', visibility: 'private' }, undefined],
    ];
    for (const [path, fields, file] of forms) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      if (file) form.append('files', new Blob(['late'.repeat(100)], { type: 'text/plain' }), file);
      const body = await new Response(form).blob();
      const headers = {
        cookie: Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; '),
        origin: service.webUrl,
        'sec-fetch-site': 'same-origin',
        'content-type': body.type,
        accept: 'text/html',
      };
      const sent = { method: 'POST', headers, body };
      const answer = await sendSlowly(service, service.webUrl + path, sent, async () =>
        endAllSessions(callOf(service.app.context, await actorOf(reader))),
      );
      assert.match(answer.location ?? '', /^\/sign-in/, `${path}: ${answer.status}`);
      assert.equal((await signIn(visitor, reader.username)).status, 303);
    }
    assert.deepEqual((await client.get('/user/briefs')).data, []);
    assert.deepEqual((await client.get('/user/files')).data, []);
  });

  it('an export ends with its session', async () => {
    const { reader } = await setWatch();
    const { visitor, client } = reader;
    for (let index = 0; index < 12; index++) {
      const html = newChance('a slow body').bytes(1_500_000).toString('hex');
      const named = { name: `large-${index}`, visibility: 'private', html };
      assert.equal((await client.post('/user/pages', named)).status, 201);
    }
    const cookie = Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${service.webUrl}/export`, { headers: { cookie } });
    assert.equal(response.headers.get('content-type'), 'application/zip');
    const bytes = response.body?.getReader();
    assert.ok((await bytes?.read())?.value);
    await endAllSessions(callOf(service.app.context, await actorOf(reader)));
    await assert.rejects(async () => {
      for (;;) if ((await bytes?.read())?.done !== false) return;
    }, /terminated/);
  });
});
