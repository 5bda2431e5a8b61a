import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { newChance } from '../../../test/chance.ts';
import { packAll } from '../../../test/document/pack-all.ts';
import { formFor } from '../../../test/files/samples.ts';
import {
  type Answer,
  assertError,
  type Client,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { expectStatus, join, makeOrganization } from '../../../test/rest/scenario.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import type { Quotas } from '../../core/quota/quota.ts';
import { packWaiting } from '../revisions/packer.ts';
import { sweepTrash } from '../trash/trash-service.ts';
import { recountAll, setExceptions } from './quota-admin-service.ts';
import type { Usage } from './usage-service.ts';

const KB = 1024;

async function usageOf(client: Client, path = '/user/usage'): Promise<Usage> {
  const answer = await client.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.data;
}

async function assertCounted(service: Service): Promise<void> {
  const { wrong } = await recountAll(service.app.context);
  assert.deepEqual(wrong, []);
}

function assertFull(answer: Answer, limit: string, used: number, allowed: number): void {
  assert.deepEqual([answer.status, answer.json.error?.code], [422, 'QUOTA_EXCEEDED']);
  assert.deepEqual(answer.json.data, { limit, used, allowed });
}

function brief(name: string, bytes = 100): object {
  return { name, visibility: 'private', content: 'x'.repeat(bytes) };
}

describe('Limits of an owner', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;

  before(async () => {
    service = await startService({ QUOTA_BYTES: '10KB' });
    [ada, grace] = [await service.user('ada'), await service.user('grace')];
  });
  after(() => service.stop());

  const limit = (owner: string, exceptions: object) =>
    setExceptions(service.app.context, undefined, owner, exceptions);

  const limitAll = (quotas: Partial<Quotas>) => {
    const { context } = service.app;
    context.quotas = { ...context.quotas, ...quotas };
  };

  it('of documents: refuses another one, until one is in the trash', async () => {
    await limit('ada', { documents: 2 });
    for (const name of ['one', 'two'])
      await expectStatus(ada.post('/user/briefs', brief(name)), 201);
    const full = await ada.post('/user/briefs', brief('three'));
    assertFull(full, 'documents', 2, 2);
    const words = /The limit of “ada” for documents is 2, with 2 in use\./;
    assert.match(full.json.error.message, words);
    const agent = await connect(service, ada.token);
    const ticket = () => agent.call('publish_document', { name: 'later', upload: true });
    assert.match((await ticket()).text, words);
    await expectStatus(ada.patch('/briefs/ada/one', { content: 'Changed.' }), 200);
    const { id } = (await ada.get('/briefs/ada/two')).data;
    await expectStatus(ada.delete('/briefs/ada/two'), 204);
    assert.ok((await ticket()).data);
    await agent.close();
    await expectStatus(ada.post('/user/briefs', brief('three')), 201);
    assertFull(await ada.post(`/trash/${id}/restore`), 'documents', 2, 2);
    await expectStatus(ada.delete('/briefs/ada/three'), 204);
    await expectStatus(ada.post(`/trash/${id}/restore`), 200);
    assert.deepEqual((await usageOf(ada)).documents, { used: 2, allowed: 2 });
    await assertCounted(service);
  });

  it('of bytes: history and trash count, and emptying the trash frees them', async () => {
    await limit('ada', {});
    const path = '/briefs/ada/one';
    // Texts that take as much when they are packed, give or take a quarter.
    const chance = newChance('bytes');
    const text = () => chance.bytes(3 * KB).toString('base64');
    await expectStatus(ada.patch(path, { content: text() }), 200);
    const kept = text();
    await expectStatus(ada.patch(path, { content: kept }), 200);
    await packAll(service.app.context);
    const { bytes } = await usageOf(ada);
    assert.ok(bytes.used > 7 * KB, `${bytes.used}`);
    assertFull(await ada.patch(path, { content: text() }), 'bytes', bytes.used, 10 * KB);
    assert.equal((await ada.get(path)).data.content, kept);
    await expectStatus(ada.get('/user/briefs'), 200);
    const { id } = (await ada.get(path)).data;
    await expectStatus(ada.delete(path), 204);
    assert.equal((await usageOf(ada)).bytes.used, bytes.used);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    assert.ok((await usageOf(ada)).bytes.used < KB);
    await expectStatus(ada.post('/user/briefs', brief('one', 4 * KB)), 201);
    await assertCounted(service);
  });

  it('of bytes: packing frees some, files need some', async () => {
    await packAll(service.app.context);
    const before = (await usageOf(ada)).bytes.used;
    const text = 'A sentence that repeats itself. '.repeat(60);
    for (const end of ['one', 'two']) {
      await expectStatus(ada.patch('/briefs/ada/two', { content: `${text}${end}` }), 200);
    }
    await packAll(service.app.context);
    const added = (await usageOf(ada)).bytes.used - before;
    assert.ok(Math.abs(added - text.length) < text.length / 2, `${added}`);
    await assertCounted(service);
    const upload = () => grace.request('/user/files', { method: 'POST', body: formFor('file') });
    const file = await upload();
    assert.equal(file.status, 201, file.text);
    const usage = await usageOf(grace);
    assert.equal(usage.fileBytes, usage.bytes.used);
    assert.equal(usage.fileBytes, file.data.size ?? usage.fileBytes);
    await limit('grace', { bytes: usage.bytes.used });
    assertFull(await upload(), 'bytes', usage.bytes.used, usage.bytes.used);
    await expectStatus(grace.delete(`/user/files/${file.data.id}`), 204);
    assert.deepEqual((await usageOf(grace)).bytes.used, 0);
    await expectStatus(upload(), 201);
    await assertCounted(service);
    await limit('grace', {});
  });

  it('of an organization: for everyone who writes there; moves move what is used', async () => {
    await makeOrganization(ada, 'engines');
    await join(ada, 'engines', grace);
    await limit('engines', { documents: 1 });
    await expectStatus(ada.post('/user/briefs', brief('moving', 500)), 201);
    await expectStatus(ada.patch('/briefs/ada/moving', { content: 'y'.repeat(300) }), 200);
    await packAll(service.app.context);
    const before = await usageOf(ada);
    await expectStatus(ada.post('/briefs/ada/moving/move', { owner: 'engines' }), 200);
    const [left, there] = [await usageOf(ada), await usageOf(grace, '/orgs/engines/usage')];
    assert.ok(there.bytes.used > 300, 'its history, too');
    assert.equal(left.bytes.used, before.bytes.used - there.bytes.used);
    assert.equal(left.documents.used, before.documents.used - 1);
    assertFull(await grace.post('/orgs/engines/briefs', brief('more')), 'documents', 1, 1);
    await expectStatus(ada.post('/user/briefs', brief('second')), 201);
    assertFull(await ada.post('/briefs/ada/second/move', { owner: 'engines' }), 'documents', 1, 1);
    await expectStatus(ada.get('/briefs/ada/second'), 200);
    const stranger = await service.user('stranger');
    assertError(await stranger.get('/orgs/engines/usage'), 403, 'FORBIDDEN');
    await assertCounted(service);
  });

  it('of a day: begins with the first document', async () => {
    limitAll({ documentsPerDay: 2 });
    service.advance(DAY_MS);
    for (const name of ['a', 'b']) await expectStatus(grace.post('/user/briefs', brief(name)), 201);
    assertFull(await grace.post('/user/briefs', brief('c')), 'documentsPerDay', 2, 2);
    await expectStatus(grace.delete('/briefs/grace/a'), 204);
    assertFull(await grace.post('/user/briefs', brief('c')), 'documentsPerDay', 2, 2);
    service.advance(DAY_MS);
    assert.equal((await usageOf(grace)).documentsPerDay.used, 0);
    await expectStatus(grace.post('/user/briefs', brief('c')), 201);
    assert.equal((await usageOf(grace)).documentsPerDay.used, 1);
    limitAll({ documentsPerDay: null });
  });

  it('of organizations: whoever creates more gets no room that way', async () => {
    const founder = await makePerson(service, 'founder');
    limitAll({ organizations: 2 });
    const found = (namespace: string) =>
      founder.client.post('/user/orgs', { namespace, name: namespace });
    const at = await Promise.all(['first-org', 'second-org', 'third-org'].map(found));
    assert.deepEqual(at.map(({ status }) => status).sort(), [201, 201, 422]);
    assertFull(await found('fourth-org'), 'organizations', 2, 2);
    const form = { namespace: 'fourth-org', name: 'Fourth' };
    const page = await founder.visitor.post('/organizations/new', form);
    assert.equal(page.status, 422);
    assert.match(page.text, /The limit of “founder” for organizations that they created is 2/);
    assert.deepEqual((await usageOf(founder.client)).organizations, { used: 2, allowed: 2 });
    const [made] = at.filter(({ status }) => status === 201);
    await expectStatus(founder.client.delete(`/orgs/${made?.data.namespace}`), 204);
    await expectStatus(found('fourth-org'), 201);
    limitAll({ organizations: null });
  });

  it('of webhooks', async () => {
    limitAll({ webhooks: 1 });
    const hook = { url: 'https://example.net/', types: ['document.deleted'] };
    await expectStatus(grace.post('/user/webhooks', hook), 201);
    assertFull(await grace.post('/user/webhooks', hook), 'webhooks', 1, 1);
    limitAll({ webhooks: null });
  });

  it('none is passed by several writers at once', async () => {
    const many = await service.user('many');
    await limit('many', { documents: 5, bytes: 3_000 });
    const creations = Array.from({ length: 20 }, (_, index) =>
      many.post('/user/briefs', brief(`at-once-${index}`, 200)),
    );
    const statuses = (await Promise.all(creations)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 5, statuses.join());
    assert.equal(statuses.filter((status) => status === 422).length, 15, statuses.join());
    const names = (await many.get('/user/briefs')).data.map(({ name }: { name: string }) => name);
    const uploads = Array.from({ length: 6 }, () =>
      many.request('/user/files', { method: 'POST', body: formFor('file') }),
    );
    const writes = names.flatMap((name: string) =>
      [1, 2, 3].map((digit) =>
        many.patch(`/briefs/many/${name}`, { content: String(digit).repeat(200) }),
      ),
    );
    const answers = await Promise.all([...writes, ...uploads]);
    assert.ok(answers.some(({ status }) => status === 422));
    const { bytes, documents } = await usageOf(many);
    assert.ok(bytes.used <= 3_000, String(bytes.used));
    assert.equal(documents.used, 5);
    await assertCounted(service);
  });
});

describe('What owners use', () => {
  it('is what is there, after any writes', async () => {
    const service = await startService({ TRASH_DAYS: '1' });
    try {
      const chance = newChance('usage');
      const pick = chance.pick;
      const people = [await service.user('ada'), await service.user('grace')] as const;
      await makeOrganization(people[0], 'engines');
      await join(people[0], 'engines', people[1]);
      const { context } = service.app;
      const text = () => 'word '.repeat(1 + chance.below(300));
      const briefs = async (who: Client) =>
        [
          ...(await who.get('/user/briefs')).data,
          ...(await who.get('/orgs/engines/briefs')).data,
        ].map(({ name, ownerNamespace, owner }) => `/briefs/${ownerNamespace ?? owner}/${name}`);
      const one = async (who: Client) => pick([...(await briefs(who)), '/briefs/nobody/nothing']);
      const acts: ((who: Client) => Promise<unknown>)[] = [
        (who) => who.post(pick(['/user/briefs', '/orgs/engines/briefs']), { content: text() }),
        (who) => who.post('/user/pages', { html: text() }),
        async (who) => who.patch(await one(who), { content: text() }),
        async (who) => who.patch(await one(who), { content: text() }),
        async (who) => who.delete(await one(who)),
        async (who) =>
          who.post(`${await one(who)}/move`, { owner: pick(['engines', who.username]) }),
        async (who) => {
          const [found] = (await who.get('/user/trash')).data;
          const act = chance.below(2) === 0 ? who.post : who.delete;
          return found && act(`/trash/${found.id}${act === who.post ? '/restore' : ''}`);
        },
        async (who) => {
          const path = await one(who);
          return who.delete(`${path}/revisions/1`);
        },
        (who) => who.request('/user/files', { method: 'POST', body: formFor('file') }),
        async (who) => {
          const [file] = (await who.get('/user/files')).data;
          return file && who.delete(`/user/files/${file.id}`);
        },
        () => packWaiting(context, { isStopping: () => false, onFailure: assert.fail }),
      ];
      for (let round = 0; round < 12; round += 1) {
        // Some at once, which the databases order as they like.
        await Promise.all(Array.from({ length: 6 }, () => pick(acts)(pick(people))));
        if (round % 4 === 3) await assertCounted(service);
      }
      service.advance(2 * DAY_MS);
      await sweepTrash(context);
      await assertCounted(service);
      const total = await usageOf(people[0], '/orgs/engines/usage');
      assert.ok(total.documents.used >= 0 && total.bytes.used >= 0);
    } finally {
      await service.stop();
    }
  });
});

describe('Limits in the web app', () => {
  let service: Service;
  let ada: Person;
  let ruth: Person;

  before(async () => {
    service = await startService({ QUOTA_DOCUMENTS: '10' });
    [ada, ruth] = [await makePerson(service, 'ada'), await makePerson(service, 'ruth')];
    const { context } = service.app;
    context.quotas = { ...context.quotas, tokens: 2 };
    await setAdmin(context, undefined, { username: 'ruth', isAdmin: true });
    // Tokens have the scope `admin` only if they name it.
    const input = { username: 'ruth', name: 'admin', lifetimeMs: undefined, scopes: ALL_SCOPES };
    ruth = { ...ruth, client: service.client((await createToken(context, input)).token) };
  });
  after(() => service.stop());

  it('are shown, with a warning from 90 %', async () => {
    const shown = async () => (await ada.visitor.get('/settings/storage')).text;
    for (let made = 0; made < 8; made += 1) {
      await expectStatus(ada.client.post('/user/briefs', { content: `# ${made}` }), 201);
    }
    assert.match(await shown(), /8 of 10/);
    assert.doesNotMatch(await shown(), /Nearly full/);
    await expectStatus(ada.client.post('/user/briefs', { content: '# More' }), 201);
    assert.match(await shown(), /Nearly full: documents\./);
    await expectStatus(ada.client.post('/user/orgs', { namespace: 'mills', name: 'Mills' }), 201);
    assert.match((await ada.visitor.get('/organizations/mills/settings')).text, /0 of 10/);
  });

  it('refuse in the form', async () => {
    await expectStatus(ada.client.post('/user/briefs', { content: '# Last' }), 201);
    const form: [string, string][] = [
      ['name', 'laptop'],
      ['lifetime', '30'],
      ['scopes', 'documents:read'],
    ];
    assert.equal((await ada.visitor.post('/settings/tokens', form)).status, 201);
    const full = await ada.visitor.post('/settings/tokens', form);
    assert.equal(full.status, 422);
    assert.match(full.text, /The limit of “ada” for active tokens is 2, with 2 in use/);
    const fields = { owner: 'ada', content: '# Too many', name: '', visibility: 'private' };
    const sent = new FormData();
    for (const [name, value] of Object.entries(fields)) sent.append(name, value);
    const editor = await ada.visitor.post('/new', sent);
    assert.equal(editor.status, 422);
    assert.match(editor.text, /for documents is 10, with 10 in use/);
    assert.match(editor.text, /# Too many/);
  });

  it('are set by administrators of the instance', async () => {
    const path = '/admin/quotas/ada';
    const post = (form: Record<string, string>) => ruth.visitor.post(path, form);
    assert.equal((await ada.visitor.get(path)).status, 404);
    assert.equal((await ada.visitor.post(path, { documents: 'none' })).status, 404);
    const wrong = await post({ documents: '-1', bytes: '5 GB' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="documents-fault"/);
    assert.match(wrong.text, /id="bytes-fault"/);
    assert.equal((await ruth.visitor.post('/admin/quotas/nobody', {})).status, 404);
    assert.equal((await ruth.visitor.get('/admin/quotas/nobody')).status, 404);
    assert.equal((await post({ documents: '11', bytes: '5GB' })).status, 303);
    const filled = (await ruth.visitor.get('/admin/quotas/ADA')).text;
    for (const [name, value] of Object.entries({ documents: '11', bytes: '5GB' })) {
      assert.match(filled, new RegExp(`name="${name}" value="${value}"`));
    }
    assert.match((await ruth.visitor.get('/admin/people/ada')).text, new RegExp(`href="${path}"`));
    await expectStatus(ada.client.post('/user/briefs', { content: '# One more' }), 201);
    assert.equal((await post({ documents: '', bytes: '' })).status, 303);
    const { documents } = await usageOf(ada.client);
    assert.deepEqual(documents, { used: 11, allowed: 10 });
  });

  it('are set by the API, and recorded', async () => {
    const path = '/admin/quotas/ada';
    assertError(await ada.client.put(path, { documents: 1 }), 403, 'FORBIDDEN');
    assertError(await ruth.client.put('/admin/quotas/nobody', {}), 404, 'NOT_FOUND');
    for (const body of [{ documents: -1 }, { documents: 1.5 }, { tokens: 1 }]) {
      assertError(await ruth.client.put(path, body), 400, 'BAD_REQUEST');
    }
    const set = await ruth.client.put(path, { documents: null, bytes: 3000 });
    assert.deepEqual(set.data.limits, { documents: null, bytes: 3000 });
    assert.deepEqual(set.data.usage.documents.allowed, null);
    await expectStatus(ruth.client.put(path, {}), 200);
    assert.deepEqual((await ruth.client.get(path)).data.limits, {});
    const { data } = await ruth.client.get('/admin/audit?organization=ada&per_page=2');
    assert.deepEqual(
      data.items.map(({ action, actor, subject }: Record<string, string>) => [
        action,
        actor,
        subject,
      ]),
      [
        ['quota.removed', 'ruth', 'ada'],
        ['quota.set', 'ruth', 'ada'],
      ],
    );
  });
});
