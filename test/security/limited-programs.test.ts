import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import { callOf } from '../../src/core/context.ts';
import { resolveReach } from '../../src/core/document/reach-service.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { packAll } from '../document/pack-all.ts';
import { type Answer, assertError, type Client, type Service, startService } from '../harness.ts';
import { eventsPlaced } from '../mail/post-office.ts';
import { type Agent, assertFailed, connect } from '../mcp/agent.ts';
import { collaborate, invite, join, makeDocument } from '../rest/scenario.ts';
import { databaseState } from '../state.ts';
import { routesThatTell } from './every-get.ts';

/** Stands in everything that isn't chosen. */
const WORD = 'zanzibar';

async function done(sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent;
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

describe('Tokens that are limited to some documents', () => {
  let service: Service;
  let mia: Client;
  let ada: Client;
  /** Limited to `mia/chosen` and `ada/lent`, and to all of the organization `crew`. */
  let limited: Client;
  let plan: string;
  let thread: string;
  let values: Record<string, string[]>;
  const agents: Agent[] = [];

  const agentOf = async (client: Client) => {
    const agent = await connect(service, client.token);
    agents.push(agent);
    return agent;
  };

  async function tokenFor(text: string): Promise<Client> {
    const { context } = service.app;
    const { id } = (await mia.get('/user')).data;
    const person = { id, username: 'mia', scopes: [], via: VIA_WEB };
    const reach = await resolveReach(callOf(context, person), text);
    const input = { username: 'mia', name: text, lifetimeMs: undefined, reach };
    return { ...service.client((await createToken(context, input)).token), username: 'mia' };
  }

  before(async () => {
    service = await startService();
    [mia, ada] = [await service.user('mia'), await service.user('ada')];
    for (const namespace of ['acme', 'crew']) {
      await done(ada.post('/user/orgs', { namespace, name: namespace }));
      await join(ada, namespace, mia, 'admin');
    }
    const secret = {
      visibility: 'private',
      content: `# ${WORD}\n\nSee [[mia/chosen]].\n`,
    } as const;
    const chosen = await makeDocument(mia, 'chosen', { ...secret, content: '# Chosen\n\nText.\n' });
    await makeDocument(mia, 'chosen-page', {
      ...secret,
      kind: KINDS.page,
      content: '<title>Chosen</title><p>Text</p>',
    });
    plan = await makeDocument(mia, `${WORD}-plan`, secret);
    const open = await makeDocument(mia, `${WORD}-open`, { ...secret, visibility: 'public' });
    const page = await makeDocument(mia, `${WORD}-page`, {
      kind: KINDS.page,
      visibility: 'private',
      content: `<title>${WORD}</title>`,
    });
    const ofOrganization = await makeDocument(ada, `${WORD}-acme`, { ...secret, org: 'acme' });
    const shared = await makeDocument(ada, `${WORD}-shared`, secret);
    await collaborate(ada, shared, mia, 'admin');
    const lent = await makeDocument(ada, 'lent', { ...secret, content: '# Lent' });
    await collaborate(ada, lent, mia, 'write');
    const ofCrew = await makeDocument(ada, 'crew-plan', {
      ...secret,
      org: 'crew',
      content: '# Crew',
    });
    for (const path of [plan, open, page]) {
      await done(mia.put(`${path}/labels`, { labels: [WORD] }));
    }
    await done(mia.put(`${plan}/pin`));
    await done(mia.post(`${plan}/links`, { access: 'read', note: WORD }));
    thread = (await done(mia.post(`${plan}/threads`, { body: WORD }))).data.id;
    for (const path of [shared, ofOrganization]) {
      await done(ada.post(`${path}/threads`, { body: `@mia ${WORD}` }));
    }
    const gone = await makeDocument(mia, `${WORD}-gone`, secret);
    const trashId = (await mia.get(gone)).data.id;
    await done(mia.delete(gone));
    const offered = await makeDocument(ada, `${WORD}-offered`, secret);
    const inviteId = await invite(ada, offered, mia, 'read');
    const hook = { url: `https://example.com/${WORD}`, types: ['revision.created'] };
    const { id } = (await done(mia.post('/user/webhooks', hook))).data;
    const form = new FormData();
    form.append('file', new Blob([WORD]), `${WORD}.txt`);
    await done(mia.request('/user/files', { method: 'POST', body: form }));
    limited = await tokenFor('mia/chosen, ada/lent crew');
    const refOf = (path: string) => path.split('/').slice(2).join('/');
    const all = [chosen, plan, open, page, ofOrganization, shared, lent, ofCrew, offered];
    values = {
      document: all.map(refOf),
      org: ['acme', 'crew'],
      username: ['mia', 'ada'],
      number: ['1'],
      thread: [thread],
      id: [id, trashId],
      inviteId: [inviteId],
    };
    await everythingIndexed(service.app.context);
    await eventsPlaced(service);
  });
  after(async () => {
    for (const agent of agents) await agent.close();
    await service.stop();
  });

  const QUERIES: Record<string, string[]> = {
    '/search': [`?q=${WORD}`, '?q=see', `?label=${WORD}`, '?q=chosen'],
    '/user/events': ['?after=0', ''],
    '/user/inbox': ['', '?show=all', '?unread=false'],
  };

  const walk = (client: Client) => {
    const without = /"(?:instance|path|message)":"[^"]*"/g;
    return routesThatTell(service, client, { values, queries: QUERIES, word: WORD, without });
  };

  it('find nothing else in any answer to a GET, where the person’s other token finds it', async () => {
    const seen = await walk(mia);
    assert.ok(seen.length >= 30, seen.join('\n'));
    assert.deepEqual(await walk(limited), []);
  });

  it('do what their person can with what is chosen', async () => {
    await done(limited.patch('/briefs/mia/chosen', { content: '# Chosen\n\nMore.\n' }));
    await done(limited.patch('/briefs/ada/lent', { content: '# Lent, changed' }));
    await done(limited.post('/orgs/crew/briefs', { name: 'new', content: '# New in crew' }));
    await done(limited.post('/briefs/mia/chosen/threads', { body: 'Hm.' }));
    await everythingIndexed(service.app.context);
    const names = async (path: string) =>
      (await done(limited.get(path))).data.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(await names('/user/briefs'), ['chosen']);
    assert.deepEqual(await names('/orgs/crew/briefs'), ['crew-plan', 'new']);
    assert.deepEqual(await names('/search?q=chosen'), ['chosen']);
    assert.deepEqual((await limited.get('/user/pages')).data, []);
    assertError(await limited.get('/pages/mia/chosen-page'), 404, 'NOT_FOUND');
    assert.equal((await limited.get('/user')).data.username, 'mia');
  });

  it('read nothing else with several in one request', async () => {
    const owner = 'mia';
    const names = ['chosen', `${WORD}-plan`, `${WORD}-open`, 'none'];
    const documents = names.map((name) => ({ type: 'brief', owner, name }));
    const { data, text } = await done(limited.post('/documents/read', { documents }));
    assert.deepEqual(
      data.map(({ status }: { status: number }) => status),
      [200, 404, 404, 404],
    );
    assert.ok(!text.includes(WORD), text);
  });

  it('write nothing else', async () => {
    await packAll(service.app.context);
    const before = await databaseState(service.app.context);
    const [, trashId] = values.id as string[];
    const [inviteId] = values.inviteId as string[];
    const writes: Record<string, () => Promise<Answer>> = {
      create: () => limited.post('/user/briefs', { name: 'x', content: 'x' }),
      'create in another organization': () =>
        limited.post('/orgs/acme/briefs', { name: 'x', content: 'x' }),
      replace: () => limited.post('/user/briefs', { name: `${WORD}-plan`, content: 'x' }),
      'move out': () => limited.post('/briefs/mia/chosen/move', { owner: 'acme' }),
      edit: () => limited.patch(plan, { content: 'x' }),
      'edit what is public': () => limited.patch(`/briefs/mia/${WORD}-open`, { content: 'x' }),
      delete: () => limited.delete(plan),
      share: () => limited.put(`${plan}/collaborators/ada`, { permission: 'admin' }),
      link: () => limited.post(`${plan}/links`, { access: 'read' }),
      pin: () => limited.put(`${plan}/pin`),
      comment: () => limited.post(`${plan}/threads`, { body: 'x' }),
      answer: () => limited.post(`${plan}/threads/${thread}/comments`, { body: 'x' }),
      watch: () => limited.put(`${plan}/subscription`, { level: 'all' }),
      restore: () => limited.post(`/trash/${trashId}/restore`, {}),
      'delete for good': () => limited.delete(`/trash/${trashId}`),
      'make a webhook': () =>
        limited.post('/user/webhooks', { url: 'https://example.com', types: ['revision.created'] }),
      'leave an organization': () => limited.delete('/user/memberships/orgs/crew'),
      'delete an organization': () => limited.delete('/orgs/crew'),
      'change the profile': () => limited.patch('/user/profile', { summary: 'x' }),
      'accept an invitation': () => limited.patch(`/user/brief_invitations/${inviteId}`),
    };
    for (const [what, write] of Object.entries(writes)) {
      const { status, text } = await write();
      assert.ok(status === 403 || status === 404, `${what}: ${status} ${text}`);
    }
    const type = 'brief';
    const several = [
      { type, name: 'x', content: 'x' },
      { type, owner: 'acme', name: 'x', content: 'x' },
    ];
    const { data } = await done(limited.post('/documents', { documents: several }));
    assert.deepEqual(
      data.map(({ status }: { status: number }) => status),
      [403, 403],
    );
    const taken = await limited.patch('/briefs/mia/chosen', { name: `${WORD}-plan` });
    assertError(taken, 422, 'UNPROCESSABLE');
    assert.deepEqual(await databaseState(service.app.context), before);
  });

  it('leave what they don’t see in the inbox unread', async () => {
    const unread = async () => (await mia.get('/user/inbox?unread=true')).data.length as number;
    const count = await unread();
    assert.ok(count >= 2);
    await done(limited.patch('/user/inbox', { readTo: 2 ** 31 - 1 }));
    assert.equal(await unread(), count);
  });

  it('find nothing else with tools, resources and completions', async () => {
    const { data } = await mia.post(`${plan}/links`, { access: 'comment' });
    const [all, part] = [await agentOf(mia), await agentOf(limited)];
    const look = async (agent: Agent) => {
      const has: string[] = [];
      const calls: [string, Record<string, unknown>][] = [
        ['search_documents', { query: WORD }],
        ['search_documents', {}],
        ['search_documents', { which: 'shared' }],
        ['read_document', { name: `${WORD}-plan` }],
        ['read_document', { name: data.url }],
        ['read_document', { name: `${WORD}-open` }],
        ['read_document', { name: 'chosen', view: 'backlinks' }],
        ['list_access', { name: `${WORD}-plan` }],
        ['inbox', { all: true }],
        ['files', { action: 'list' }],
        ['manage_document', { action: 'list_deleted' }],
        ['whoami', {}],
      ];
      for (const [tool, args] of calls) {
        const { text } = await agent.call(tool, args).catch((error) => ({ text: `${error}` }));
        if (text.toLowerCase().includes(WORD)) has.push(`${tool} ${JSON.stringify(args)}`);
      }
      const listed = await agent.client.listResources(undefined, { cacheMode: 'bypass' });
      if (JSON.stringify(listed).includes(WORD)) has.push('resources');
      const completed = await agent.client.complete({
        ref: { type: 'ref/resource', uri: 'brief://{owner}/{name}' },
        argument: { name: 'name', value: WORD.slice(0, 2) },
      });
      if (JSON.stringify(completed).includes(WORD)) has.push('completion');
      return has;
    };
    assert.ok((await look(all)).length >= 11, (await look(all)).join('\n'));
    assert.deepEqual(await look(part), []);
    const names = (await part.client.listTools()).tools.map(({ name }) => name);
    assert.equal(names.includes('set_organization'), false);
    const upload = { name: `${WORD}-new`, upload: true };
    assertFailed(await part.call('publish_document', upload), 'FORBIDDEN', /chosen for it/);
    assert.match((await part.call('read_document', { name: 'chosen' })).text, /More\./);
    const wait = { documents: [`mia/${WORD}-plan`], wait_seconds: 1 };
    assertFailed(await part.call('wait_for_feedback', wait), 'NOT_FOUND');
  });

  it('find what is chosen among more matches than a search reads', async () => {
    const { words } = service.app.context.sql;
    const newer = Array.from({ length: 1_100 }, (_, number) => ({
      id: service.app.context.newId(),
      updatedAt: Date.now() + 60_000 + number,
      words: 'p nlent tlent',
      pageText: null,
    }));
    await words.change(newer, []);
    const { data } = await done(limited.get('/search?q=lent'));
    await words.change(
      [],
      newer.map(({ id }) => id),
    );
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['lent'],
    );
  });

  it('get what they were promised for what is chosen', async () => {
    const agent = await agentOf(limited);
    const ticket = await agent.call('publish_document', { name: 'crew/by-upload', upload: true });
    const sent = await fetch(ticket.data.upload.url, { method: 'PUT', body: '# Uploaded' });
    assert.equal(sent.status, 201, await sent.text());
    const page = await tokenFor('mia/chosen-page');
    const { url } = (await done(page.get('/pages/mia/chosen-page/render-url'))).data;
    assert.match(await (await fetch(url)).text(), /Chosen/);
  });

  it('can be limited only to what there is for their person', async () => {
    for (const [text, problem] of [
      ['nobody', /reach: “nobody” is neither you nor an organization that you belong to/],
      ['ada', /reach: “ada” is neither/],
      ['ada/lent, ada/none', /reach: there is no document “ada\/none”/],
      [`ada/${WORD}-offered`, /reach: there is no document/],
      [Array.from({ length: 101 }, (_, at) => `n${at}`).join(), /reach: choose at most 100/],
    ] as const) {
      await assert.rejects(tokenFor(text), problem);
    }
  });
});
