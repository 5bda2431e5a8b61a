import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { packAll } from '../document/pack-all.ts';
import { type Answer, assertError, type Client, type Service } from '../harness.ts';
import { eventsPlaced } from '../mail/post-office.ts';
import { type Agent, connect, EARLIER } from '../mcp/agent.ts';
import { collaborate, invite, join, makeDocument, setPolicies } from '../rest/scenario.ts';
import { newVisitor, startWithVisitors } from '../sign-in/visitor.ts';
import { databaseState } from '../state.ts';
import { makePerson, type Person } from '../web-app/world.ts';
import { routesThatTell } from './every-get.ts';

/** Stands in everything of the organizations that isn't public, and nowhere else. */
const WORD = 'zanzibar';

const DAY_MS = 24 * 60 * 60_000;

async function done(sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent;
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

/** What the routes' parameters can be; the walk tries all combinations. */
type Values = Record<string, string[]>;

describe('Programs that organizations shut out', () => {
  let service: Service;
  let ada: Person;
  let mia: Person;
  /** Tokens of Mia, who is an admin of `acme` and collaborates in `guild`. */
  let control: Client;
  let closed: Client;
  let values: Values;
  let trashId: string;
  const agents: Agent[] = [];

  before(async () => {
    service = await startWithVisitors();
    [ada, mia] = [await named('ada'), await named('mia')];
    const carol = await named(`${WORD}-carol`);
    control = await tokenOf('mia', 10);
    closed = await tokenOf('mia', undefined);
    const ids = await fill(carol);
    values = { org: ['acme', 'guild'], ...ids };
    for (const org of ['acme', 'guild']) {
      await done(ada.client.patch(`/orgs/${org}/policies`, { programDays: 30 }));
    }
    await everythingIndexed(service.app.context);
    await eventsPlaced(service);
  });
  after(async () => {
    for (const agent of agents) await agent.close();
    await service?.stop();
  });

  async function named(username: string): Promise<Person> {
    const person = await makePerson(service, username);
    const token = await tokenOf(username, 10);
    return { ...person, client: token };
  }

  async function tokenOf(username: string, days: number | undefined): Promise<Client> {
    const lifetimeMs = days === undefined ? undefined : days * DAY_MS;
    const { token } = await createToken(service.app.context, {
      username,
      name: 'test',
      lifetimeMs,
    });
    return { ...service.client(token), username };
  }

  /** Writes the word wherever an organization can have a text. @returns ids for the walk */
  async function fill(carol: Person): Promise<Values> {
    for (const namespace of ['acme', 'guild']) {
      await done(ada.client.post('/user/orgs', { namespace, name: namespace }));
    }
    const own = await makeDocument(control, 'own', { content: '# Own notes' });
    await join(ada.client, 'acme', mia.client, 'admin');
    await join(ada.client, 'acme', carol.client);
    const secret = { org: 'acme', visibility: 'private' } as const;
    const notes = await makeDocument(ada.client, `${WORD}-notes`, secret);
    const content = `# ${WORD} plan\n\nSee [[${WORD}-notes]] and [[mia/own]]. A line of ${WORD}.\n`;
    const plan = await makeDocument(ada.client, `${WORD}-plan`, { ...secret, content });
    const page = await makeDocument(ada.client, `${WORD}-page`, {
      ...secret,
      visibility: 'internal',
      kind: KINDS.page,
      content: `<title>${WORD}</title>`,
    });
    await done(ada.client.patch(plan, { content: `${content}\nMore ${WORD}.\n`, message: WORD }));
    for (const path of [plan, notes, page]) {
      await done(ada.client.put(`${path}/labels`, { labels: [WORD] }));
    }
    await done(ada.client.put(`${plan}/pin`));
    await done(control.put(`${plan}/subscription`, { level: 'all' }));
    const thread = await done(
      ada.client.post(`${plan}/threads`, { body: `@mia, is ${WORD} right?` }),
    );
    await done(ada.client.put(`${plan}/reviewers/mia`, { note: `About ${WORD}` }));
    await done(control.post(`${plan}/links`, { access: 'read', note: WORD }));
    await invite(ada.client, plan, await service.user(`${WORD}-dora`), 'read');
    await collaborate(ada.client, plan, carol.client, 'read');
    for (const path of ['/orgs/acme', plan]) {
      const body = path === plan ? { permission: 'read' } : { role: 'member' };
      const email = `${WORD}@example.com`;
      await done(ada.client.post(`${path}/email_invitations`, { email, ...body }));
    }
    const gone = await makeDocument(ada.client, `${WORD}-gone`, secret);
    const { data: deleted } = await ada.client.get(gone);
    trashId = deleted.id;
    await done(ada.client.delete(gone));
    const hook = await done(
      ada.client.post('/orgs/acme/webhooks', {
        url: `https://example.com/${WORD}`,
        types: ['revision.created'],
      }),
    );
    const open = await makeDocument(ada.client, 'open', { ...secret, content: `# ${WORD} draft` });
    await done(ada.client.patch(open, { content: '# Open to all', visibility: 'public' }));
    const shared = await makeDocument(ada.client, `${WORD}-shared`, { ...secret, org: 'guild' });
    await collaborate(ada.client, shared, mia.client, 'admin');
    const lost = await makeDocument(ada.client, `${WORD}-lost`, { ...secret, org: 'guild' });
    await collaborate(ada.client, lost, mia.client, 'admin');
    await done(ada.client.delete(lost));
    const offered = await makeDocument(ada.client, `${WORD}-offered`, { ...secret, org: 'guild' });
    const inviteId = await invite(ada.client, offered, mia.client, 'read');
    const refOf = (path: string) => path.split('/').slice(2).join('/');
    return {
      document: [open, own, plan, notes, page, shared, offered].map(refOf),
      username: ['mia', 'ada'],
      number: ['1', '2'],
      thread: [thread.data.id],
      id: [hook.data.id, trashId],
      inviteId: [inviteId],
    };
  }

  const QUERIES: Record<string, string[]> = {
    '/search': [`?q=${WORD}`, `?label=${WORD}`, '?owner=acme', '?q=mia/own', ''],
    '/user/events': ['?after=0', ''],
    '/user/inbox': ['', '?show=all', '?unread=false'],
  };

  const walk = (client: Client) =>
    routesThatTell(service, client, { values, queries: QUERIES, word: WORD });

  it('find nothing in any answer to a GET, where the same person’s other token finds it', async () => {
    const seen = await walk(control);
    assert.ok(seen.length >= 34, seen.join('\n'));
    assert.deepEqual(await walk(closed), []);
    for (const list of ['/user/orgs', '/user/memberships/orgs']) {
      assert.equal((await control.get(list)).data.length, 1);
      assert.deepEqual((await closed.get(list)).data, []);
    }
  });

  it('read what is public, and no list of it', async () => {
    assert.match((await closed.get('/briefs/acme/open')).text, /Open to all/);
    const found = await closed.get('/search?q=open');
    assert.equal(found.status, 200);
  });

  it('learn why, if their person could', async () => {
    const lifetime = /This token doesn’t reach the organization acme: it never expires/;
    for (const path of [
      `/briefs/acme/${WORD}-plan`,
      `/briefs/acme/${WORD}-plan/threads`,
      '/briefs/acme/open/events',
      '/orgs/acme',
      '/orgs/acme/members',
      '/orgs/acme/briefs',
    ]) {
      const answer = await closed.get(path);
      assertError(answer, 403, 'FORBIDDEN');
      assert.match(answer.text, lifetime, path);
    }
    assertError(await closed.get(`/briefs/guild/${WORD}-shared`), 403, 'FORBIDDEN');
    // Carol can only read it.
    const ofReader = await tokenOf(`${WORD}-carol`, undefined);
    const written = await ofReader.patch(`/briefs/acme/${WORD}-plan`, { content: 'x' });
    assertError(written, 403, 'FORBIDDEN');
    assert.match(written.text, lifetime);
    assertError(await closed.get('/briefs/acme/nothing'), 404, 'NOT_FOUND');
    assertError(await closed.get(`/briefs/guild/${WORD}-offered`), 404, 'NOT_FOUND');
    const { data } = await closed.get('/user/token');
    assert.deepEqual(
      data.closedOrganizations.map(({ namespace, reason }: Record<string, string>) => [
        namespace,
        reason,
      ]),
      [
        ['acme', 'never_expires'],
        ['guild', 'never_expires'],
      ],
    );
    assert.deepEqual((await control.get('/user/token')).data.closedOrganizations, []);
    await done(ada.client.patch('/orgs/guild/policies', { tokenHolders: 'members' }));
    const outside = await control.get(`/briefs/guild/${WORD}-shared`);
    assertError(outside, 403, 'FORBIDDEN');
    assert.match(outside.text, /organization guild: only tokens of its members do/);
    await setPolicies(service, ada.client, 'guild', { tokenHolders: 'anyone' });
  });

  it('write nothing', async () => {
    const plan = `/briefs/acme/${WORD}-plan`;
    const secret = await makeDocument(closed, 'mine', { visibility: 'private' });
    const { id: thread } = (await control.get(`${plan}/threads`)).data[0];
    const [inviteId] = values.inviteId as string[];
    // Otherwise old texts could be packed meanwhile.
    await packAll(service.app.context);
    const before = await databaseState(service.app.context);
    const writes: Record<string, () => Promise<Answer>> = {
      'create there': () => closed.post('/orgs/acme/briefs', { name: 'x', content: 'x' }),
      'move into it': () => closed.post(`${secret}/move`, { owner: 'acme' }),
      'move out of it': () => closed.post(`${plan}/move`, { owner: 'mia' }),
      'move out of it, as a collaborator': () =>
        closed.post(`/briefs/guild/${WORD}-shared/move`, { owner: 'mia' }),
      edit: () => closed.patch(plan, { content: 'x' }),
      'edit what is public': () => closed.patch('/briefs/acme/open', { content: 'x' }),
      'edit a part': () => closed.post(`${plan}/edits`, { edits: [{ old: WORD, new: 'x' }] }),
      delete: () => closed.delete(plan),
      share: () => closed.put(`${plan}/collaborators/mia`, { permission: 'admin' }),
      link: () => closed.post(`${plan}/links`, { access: 'read' }),
      label: () => closed.put('/briefs/acme/open/labels', { labels: ['x'] }),
      pin: () => closed.put('/briefs/acme/open/pin'),
      comment: () => closed.post(`${plan}/threads`, { body: 'x' }),
      'comment on what is public': () => closed.post('/briefs/acme/open/threads', { body: 'x' }),
      answer: () => closed.post(`${plan}/threads/${thread}/comments`, { body: 'x' }),
      review: () => closed.post(`${plan}/reviews`, { verdict: 'approved', revision: 2 }),
      watch: () => closed.put(`${plan}/subscription`, { level: 'all' }),
      restore: () => closed.post(`/trash/${trashId}/restore`, {}),
      'delete for good': () => closed.delete(`/trash/${trashId}`),
      'invite a member': () => closed.put('/orgs/acme/members/ada', { role: 'member' }),
      leave: () => closed.delete('/user/memberships/orgs/acme'),
      'change settings': () => closed.patch('/orgs/acme', { membersCanCreate: false }),
      'change policies': () => closed.patch('/orgs/acme/policies', { programDays: null }),
      'change the profile': () => closed.patch('/orgs/acme/profile', { summary: 'x' }),
      'make a webhook': () =>
        closed.post('/orgs/acme/webhooks', { url: 'https://example.com', types: [] }),
      'delete it all': () => closed.delete('/orgs/acme'),
      'accept an invitation': () => closed.patch(`/user/brief_invitations/${inviteId}`),
      'decline an invitation': () => closed.delete(`/user/brief_invitations/${inviteId}`),
    };
    for (const [what, write] of Object.entries(writes)) {
      const { status, text } = await write();
      assert.ok(status === 403 || status === 404, `${what}: ${status} ${text}`);
      assert.doesNotMatch(text, new RegExp(WORD, 'i'), what);
    }
    assert.deepEqual(await databaseState(service.app.context), before);
  });

  it('leave what they don’t see in the inbox unread, and where it is', async () => {
    const unread = async (client: Client): Promise<number[]> =>
      (await client.get('/user/inbox?unread=true&per_page=100')).data.map(
        ({ position }: { position: number }) => position,
      );
    await done(ada.client.put('/briefs/acme/open/collaborators/mia', { permission: 'read' }));
    await done(control.put('/briefs/acme/open/subscription', { level: 'all' }));
    await done(ada.client.patch('/briefs/acme/open', { content: '# Open to all, again' }));
    await eventsPlaced(service);
    const seen = await unread(closed);
    assert.ok(seen.length > 0, 'of what is public');
    const hidden = (await unread(control)).filter((position) => !seen.includes(position));
    assert.ok(hidden.length > 0);
    for (const position of hidden) {
      const later = { laterUntil: '2099-01-01T00:00:00.000Z' };
      assertError(await closed.patch(`/user/inbox/${position}`, later), 404, 'NOT_FOUND');
    }
    await done(closed.patch('/user/inbox', { readTo: 2 ** 31 - 1 }));
    assert.deepEqual(await unread(control), hidden);
    assert.deepEqual(await unread(closed), []);
    const agent = await connect(service, closed.token);
    agents.push(agent);
    await agent.call('inbox', { read_to: 2 ** 31 - 1 });
    assert.deepEqual(await unread(control), hidden);
    await done(control.patch('/user/inbox', { readTo: Math.max(...hidden) }));
    assert.deepEqual(await unread(control), []);
  });

  it('find nothing with tools, resources and completions', async () => {
    const look = async (client: Client) => {
      const agent = await connect(service, client.token);
      agents.push(agent);
      const calls: [tool: string, args: Record<string, unknown>][] = [
        ['whoami', {}],
        ['search_documents', { query: WORD }],
        ['search_documents', { which: 'all' }],
        ['search_documents', { which: 'shared' }],
        ['search_documents', { owner: 'acme' }],
        ['read_document', { owner: 'acme', name: `${WORD}-plan` }],
        ['read_document', { owner: 'acme', name: `${WORD}-plan`, view: 'comments' }],
        ['read_document', { owner: 'acme', name: `${WORD}-page`, kind: 'page', view: 'link' }],
        ['read_document', { owner: 'mia', name: 'own', view: 'backlinks' }],
        ['inbox', {}],
        ['list_access', { owner: 'acme', name: `${WORD}-plan` }],
        ['list_access', { owner: 'guild', name: `${WORD}-shared` }],
        ['get_organization', { organization: 'acme' }],
        ['get_organization', {}],
      ];
      const texts: Record<string, boolean> = {};
      for (const [tool, args] of calls) {
        const { text, data } = await agent
          .call(tool, args)
          .catch((error) => ({ text: String(error), data: undefined }));
        const answer = `${text} ${JSON.stringify(data)}`.replaceAll(JSON.stringify(args), '');
        texts[`${tool} ${JSON.stringify(args)}`] = answer.toLowerCase().includes(WORD);
      }
      const listed = await agent.client.listResources(undefined, { cacheMode: 'bypass' });
      texts.resources = JSON.stringify(listed).includes(WORD);
      const read = await agent.client
        .readResource({ uri: `brief://acme/${WORD}-plan` })
        .catch(() => '');
      texts['a resource'] = JSON.stringify(read).includes(WORD);
      const completed = await agent.client.complete({
        ref: { type: 'ref/resource', uri: 'brief://{owner}/{name}' },
        argument: { name: 'name', value: WORD.slice(0, 2) },
      });
      texts.completion = JSON.stringify(completed).includes(WORD);
      return Object.entries(texts)
        .filter(([, has]) => has)
        .map(([what]) => what);
    };
    assert.ok((await look(control)).length >= 10, (await look(control)).join('\n'));
    assert.deepEqual(await look(closed), []);
    assert.match(
      (await (agents.at(-1) as Agent).call('whoami')).text,
      /doesn’t reach the organization acme/,
    );
    const earlier = await connect(service, closed.token, EARLIER[0]);
    agents.push(earlier);
    const uri = `brief://acme/${WORD}-plan`;
    await assert.rejects(earlier.client.subscribeResource({ uri }));
  });

  it('get nothing with what they asked for before', async () => {
    await setPolicies(service, ada.client, 'acme', { programDays: null });
    const plan = `/briefs/acme/${WORD}-plan`;
    const agent = await connect(service, closed.token);
    agents.push(agent);
    const ticketFor = async (args: object) => {
      const { data, text } = await agent.call('publish_document', { upload: true, ...args });
      assert.ok(data?.upload, text);
      return data.upload.url as string;
    };
    const tickets = [
      await ticketFor({ owner: 'acme', name: 'new' }),
      await ticketFor({ owner: 'acme', name: `${WORD}-plan`, base_revision: 2 }),
    ];
    const signed = (await closed.get(`/pages/acme/${WORD}-page/render-url`)).data.url;
    assert.match(await (await fetch(signed)).text(), /zanzibar/);
    const key = { 'idempotency-key': 'once' };
    const edit = { edits: [{ op: 'append', content: `\n${WORD} again\n` }] };
    await done(closed.post(`${plan}/edits`, edit, key));
    await done(ada.client.patch('/orgs/acme/policies', { programDays: 30 }));
    for (const url of tickets) {
      const answer = await fetch(url, { method: 'PUT', body: 'x' });
      const text = await answer.text();
      assert.equal(answer.status, 403, text);
      assert.match(text, /doesn’t reach the organization acme/);
    }
    assert.equal((await fetch(signed)).status, 404);
    const again = await closed.post(`${plan}/edits`, edit, key);
    assert.ok(again.status >= 400, again.text);
    assert.doesNotMatch(again.text, /zanzibar/i);
  });

  it('open what a secret link opens, as anybody does', async () => {
    const plan = `/briefs/acme/${WORD}-plan`;
    const { data } = await control.post(`${plan}/links`, { access: 'read' });
    assert.match(
      (await newVisitor(service).get(new URL(data.url).pathname)).text,
      /zanzibar plan/i,
    );
  });

  it('work again once the policy is looser, and sessions are never concerned', async () => {
    assert.match((await mia.visitor.get(`/read/acme/${WORD}-plan`)).text, /zanzibar plan/i);
    await setPolicies(service, ada.client, 'acme', { programDays: null });
    assert.match((await closed.get(`/briefs/acme/${WORD}-plan`)).text, /zanzibar plan/i);
    await done(ada.client.patch('/orgs/acme/policies', { programDays: 30 }));
    assertError(await closed.get(`/briefs/acme/${WORD}-plan`), 403, 'FORBIDDEN');
  });
});
