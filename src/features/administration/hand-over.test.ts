import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import { assertError, type Service, startService } from '../../../test/harness.ts';
import { openPostOffice, type PostOffice, verify } from '../../../test/mail/post-office.ts';
import { startBriefs, succeed } from '../../../test/process.ts';
import {
  collaborate,
  expectStatus,
  join as joinOrganization,
  makeDocument,
  makeOrganization,
  onTheWeb,
  pluck,
  setPolicies,
} from '../../../test/rest/scenario.ts';
import { stackSettings } from '../../../test/stack.ts';
import { until } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { openEditor } from '../live/editor.testing.ts';
import { handOver } from '../moves/hand-over-service.ts';
import { recountAll, setExceptions } from '../quotas/quota-admin-service.ts';

const MANY = 1_000;

describe('Handing over', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-hand-over-'));
  const people: Record<string, Person> = {};
  let settings: Record<string, string>;
  let office: PostOffice;
  let service: Service;

  const person = (name: string) => people[name] as Person;
  const client = (name: string) => person(name).client;
  const make = (
    name: string,
    document: string,
    options: Omit<Parameters<typeof makeDocument>[2], 'org'> = {},
  ) => makeDocument({ ...client(name), username: name }, document, options);

  before(async () => {
    settings = { DATA_DIR: dataDir, ...(await stackSettings(dataDir)) };
    office = await openPostOffice();
    service = await startService({ ...office.settings, ...settings });
    for (const name of ['chief', 'grace', 'kay', 'lin', 'boss']) await joinIn(name);
    const { context } = service.app;
    await setAdmin(context, undefined, { username: 'chief', isAdmin: true });
    const lifetimeMs = undefined;
    const input = { username: 'chief', name: 'agent', lifetimeMs, scopes: ALL_SCOPES };
    person('chief').client = service.client((await createToken(context, input)).token);
  });
  after(async () => {
    await service.stop();
    await office.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function joinIn(name: string): Promise<Person> {
    people[name] = await makePerson(service, name);
    await verify(service, name);
    return person(name);
  }

  const root = () => onTheWeb(service, client('chief'));
  const give = async (from: string, to: string, documents?: string[]) =>
    handOver(service.app.context, await root(), from, documents ? { to, documents } : { to });

  const entriesOf = (action: string) =>
    service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('action', '=', action)
      .selectAll()
      .execute();

  it('keeps everything but the owner, also from a disabled account', async () => {
    await joinIn('bob');
    await makeOrganization(client('boss'), 'watching');
    const plan = await make('bob', 'plan', { content: 'One two.\n', visibility: 'public' });
    await make('grace', 'plan');
    await make('bob', 'dice', { kind: KINDS.page, visibility: 'private' });
    await expectStatus(client('bob').patch(plan, { content: 'One two three.\n' }), 200);
    await collaborate(client('bob'), plan, { ...client('kay'), username: 'kay' }, 'write');
    const thread = { body: 'Hm.', on: { quote: 'two' } };
    await expectStatus(client('kay').post(`${plan}/threads`, thread), 201);
    await expectStatus(client('bob').put(`${plan}/reviewers/kay`), 204);
    const links = `${plan.replace('plan', 'dice').replace('briefs', 'pages')}/links`;
    const { url } = (await expectStatus(client('bob').post(links, { access: 'read' }), 201)).data;
    const hook = { url: 'https://hooks.example.net/x', types: ['document.changed'] };
    await expectStatus(client('grace').post('/user/webhooks', hook), 201);
    const before = (await client('kay').get(`${plan}/revisions`)).data;
    await setAccountDisabled(service.app.context, 'bob', true);
    assert.equal((await fetch(url)).status, 404);

    assert.equal(await give('bob', 'Grace'), 2);

    const there = '/briefs/grace/plan-2';
    const now = (await expectStatus(client('grace').get(there), 200)).data;
    assert.equal(now.visibility, 'public');
    const revisions = (await client('kay').get(`${there}/revisions`)).data;
    assert.deepEqual(revisions.slice(1), before);
    assert.deepEqual([revisions[0].changed, revisions[0].author], [['owner', 'name'], 'chief']);
    assert.equal((await client('grace').get(`${there}/threads`)).data.length, 1);
    assert.deepEqual(pluck(await client('grace').get(`${there}/collaborators`), 'username'), [
      'kay',
    ]);
    assert.equal((await client('grace').get(`${there}/reviews`)).data.requests.length, 1);
    assert.equal((await fetch(url)).status, 200, 'the link works again');
    assert.equal((await client('lin').get(plan)).status, 308);
    assert.equal((await client('bob').get(plan)).status, 401);
    await setAccountDisabled(service.app.context, 'bob', false);
    assertError(await client('bob').get('/pages/grace/dice'), 404, 'NOT_FOUND');
    assert.deepEqual((await recountAll(service.app.context)).wrong, []);
    const told = () =>
      office.mails
        .filter(({ subject }) => /documents (have|were)/.test(subject ?? ''))
        .map(({ subject, to }) => [subject, [to].flat()[0]?.text])
        .sort();
    await until('two mails', async () => told().length === 2);
    assert.deepEqual(told(), [
      ['Your documents have another owner', '"bob" <bob@example.com>'],
      ['bob’s documents were handed over to grace', '"grace" <grace@example.com>'],
    ]);
    const [entry] = await entriesOf('account.handed_over');
    assert.deepEqual([entry?.actorName, entry?.subject], ['chief', 'bob']);
    assert.equal((await entriesOf('document.received')).length, 2);
    const queuedHooks = async () =>
      (await service.app.context.sql.read.selectFrom('webhook_delivery').selectAll().execute())
        .length;
    await until('the webhook of the new owner', async () => (await queuedHooks()) === 2);
  });

  it('to an organization: its rules hold, and one of its admins answers for the links', async () => {
    await joinIn('carl');
    await makeOrganization(client('boss'), 'firm');
    await joinOrganization(client('boss'), 'firm', { ...client('carl'), username: 'carl' });
    const open = await make('carl', 'open', { visibility: 'public' });
    const own = await make('carl', 'own', { visibility: 'private' });
    const { url } = (await client('carl').post(`${own}/links`, { access: 'read' })).data;
    await collaborate(client('carl'), own, { ...client('lin'), username: 'lin' }, 'write');
    await setPolicies(service, client('boss'), 'firm', {
      publicDocuments: false,
      outsideInviters: 'nobody',
    });
    assert.equal(await give('carl', 'firm', ['own', 'open', 'own']), 2);
    const there = await expectStatus(client('boss').get('/briefs/firm/open'), 200);
    assert.equal(there.data.visibility, 'private');
    assert.equal((await client('lin').get(open)).status, 404);
    assert.equal((await client('lin').get('/briefs/firm/own')).status, 404, 'an outsider');
    assertError(await client('carl').get('/briefs/firm/own'), 404, 'NOT_FOUND');
    assert.equal((await fetch(url)).status, 200);
    const [link] = (await client('boss').get('/briefs/firm/own/links')).data;
    assert.equal(link.createdBy, (await client('boss').get('/user')).data.id);

    await expectStatus(client('boss').patch('/orgs/firm/protection', { protected: true }), 200);
    await setPolicies(service, client('boss'), 'firm', { publicDocuments: true });
    await make('carl', 'late', { visibility: 'public' });
    assert.equal(await give('carl', 'firm'), 1);
    assert.equal((await client('boss').get('/briefs/firm/late')).data.visibility, 'private');
  });

  it('a program can’t let anybody read what they couldn’t', async () => {
    await joinIn('dora');
    await make('dora', 'secret', { visibility: 'private' });
    await makeOrganization(client('boss'), 'works');
    await makeOrganization(client('chief'), 'rooted');
    await makeOrganization(client('grace'), 'foreign');
    for (const [admin, org] of [
      ['boss', 'works'],
      ['chief', 'rooted'],
    ] as const) {
      await joinOrganization(client(admin), org, { ...client('dora'), username: 'dora' });
    }
    const path = '/admin/users/dora/hand-over';
    for (const to of ['chief', 'grace', 'rooted', 'foreign']) {
      assertError(await client('chief').post(path, { to }), 403, 'FORBIDDEN', /Only people/);
    }
    assertError(await client('grace').post(path, { to: 'works' }), 403, 'FORBIDDEN');
    for (const [body, field] of [
      [{ to: 'nobody' }, /to:/],
      [{ to: 'dora' }, /to:/],
      [{ to: 'works', documents: ['absent'] }, /documents:/],
    ] as const) {
      assertError(await client('chief').post(path, body), 422, 'UNPROCESSABLE', field);
    }
    const { data } = await expectStatus(client('chief').post(path, { to: 'works' }), 200);
    assert.deepEqual(data, { documents: 1 });
    await expectStatus(client('boss').get('/briefs/works/secret'), 200);
    assertError(await client('chief').get('/briefs/works/secret'), 404, 'NOT_FOUND');
  });

  it('in both directions at once, while somebody types', async () => {
    const MANY_EACH = 45;
    const [ida, joe] = [await joinIn('ida'), await joinIn('joe')];
    const brief = await make('ida', 'typed', { content: 'One.\n', visibility: 'private' });
    await collaborate(client('ida'), brief, { ...client('kay'), username: 'kay' }, 'write');
    const { id } = (await client('ida').get(brief)).data;
    const each = Array.from({ length: MANY_EACH }, (_, at) => at);
    for (const at of each) {
      for (const { client: owner, username } of [ida, joe]) {
        await expectStatus(
          owner.post('/user/briefs', { name: `${username}-${at}`, content: 'x' }),
          201,
        );
      }
    }
    const accountId = (await client('kay').get('/user')).data.id;
    const cookie = Array.from(person('kay').visitor.cookies, ([name, value]) => `${name}=${value}`);
    const headers = { origin: service.webUrl, cookie: cookie.join('; ') };
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${id}`;
    const editor = await openEditor({ url, headers, accountId }, { version: 1, text: 'One.\n' });
    const type = (word: string) => editor.type(editor.text().length - 1, ` ${word}.`);
    type('Two');
    const named = (name: string) => each.map((at) => `${name}-${at}`);
    const moving = Promise.all([
      give('ida', 'joe', ['typed', ...named('ida')]),
      give('joe', 'ida', named('joe')),
    ]);
    type('Three');
    assert.deepEqual(await moving, [MANY_EACH + 1, MANY_EACH]);
    type('Four');
    await until('all words are sent', () => editor.isSent());
    const there = '/briefs/joe/typed';
    await until(
      'all words are stored',
      async () => (await client('joe').get(there)).data.content === 'One. Two. Three. Four.\n',
    );
    editor.cut();
    await editor.closed;
    for (const [owner, former] of [
      [joe, 'ida'],
      [ida, 'joe'],
    ] as const) {
      const names = pluck(await owner.client.get('/user/briefs?per_page=100'), 'name');
      assert.equal(names.filter((name) => `${name}`.startsWith(`${former}-`)).length, MANY_EACH);
    }
    assert.deepEqual((await recountAll(service.app.context)).wrong, []);
  });

  it('without room at the new owner, nothing moves', async () => {
    await joinIn('fred');
    const { context } = service.app;
    for (const name of ['one', 'two', 'three']) await make('fred', name);
    await setExceptions(context, undefined, 'kay', { documents: 2 });
    await assert.rejects(give('fred', 'kay'), { code: 'QUOTA_EXCEEDED' });
    assert.equal((await client('fred').get('/user/briefs')).data.length, 3);
    assert.equal(await give('fred', 'kay', ['one', 'two']), 2);
    await setExceptions(context, undefined, 'kay', {});
  });

  it('is asked when an account is disabled or deleted, in the web app', async () => {
    await joinIn('hal');
    const { visitor } = person('chief');
    const at = '/admin/people/hal';
    for (const name of ['first', 'second', 'third']) await make('hal', name);
    const page = await visitor.get(at);
    assert.match(page.text, /Hand over documents/);
    const wrong = await visitor.post(`${at}/hand-over`, { to: 'grace', which: 'first\nabsent' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /no document “absent”/);
    await visitor.post(`${at}/hand-over`, { to: 'grace', which: 'first\r\n' });
    await expectStatus(client('grace').get('/briefs/grace/first'), 200);

    const nowhere = await visitor.post(`${at}/disable`, { documents: 'hand-over', to: '' });
    assert.equal(nowhere.status, 422);
    assert.match((await visitor.get(at)).text, /Disable account/);
    // What would be refused afterwards moves nothing.
    await make('chief', 'own');
    for (const [act, confirmation] of [
      ['disable', ''],
      ['delete', 'chief'],
    ] as const) {
      const form = { documents: 'hand-over', to: 'grace', confirmation };
      const { status, text } = await visitor.post(`/admin/people/chief/${act}`, form);
      assert.equal(status, 422);
      assert.match(text, /last administrator|only admin of/);
      await expectStatus(client('chief').get('/briefs/chief/own'), 200);
    }
    await visitor.post(`${at}/disable`, { documents: 'keep', to: '' });
    assert.match((await visitor.get(at)).text, /Enable account/);
    await visitor.post(`${at}/enable`);

    const { data } = await client('hal').request('/user/files', {
      method: 'POST',
      ...uploadForm({ bytes: new Uint8Array(PNG), name: 'a.png', type: '' }),
    });
    assert.ok(data.url);
    // What isn't handed over is named before it is deleted.
    for (const name of ['thrown', 'hidden']) await make('hal', name);
    await expectStatus(client('hal').delete('/briefs/hal/thrown'), 204);
    await succeed(['documents', 'take-down', 'hal/hidden', '--reason', 'rules'], settings);
    const asked = await visitor.get(`${at}/delete`);
    for (const each of [/1 document in the trash/, /1 document that is taken down/]) {
      assert.match(asked.text, each);
    }
    const going = await client('chief').get('/admin/users/hal/deletion');
    const { briefs, trashed, takenDown } = going.data;
    assert.deepEqual([briefs, trashed, takenDown], [2, 1, 1]);
    const shown = await succeed(['users', 'delete', 'hal'], settings);
    assert.match(shown, /in the trash +1\ntaken down +1\n/);
    const confirmation = 'hal';
    const unsaid = await visitor.post(`${at}/delete`, { confirmation });
    assert.equal(unsaid.status, 422);
    assert.match(unsaid.text, /Hand them over first/);
    const { status } = await visitor.post(`${at}/delete`, {
      confirmation,
      documents: 'hand-over',
      to: 'grace',
    });
    assert.equal(status, 303);
    for (const name of ['second', 'third']) {
      await expectStatus(client('grace').get(`/briefs/grace/${name}`), 200);
    }
    assert.equal((await fetch(data.url)).status, 200, 'the picture stays');
    assert.equal((await visitor.get(at)).status, 404);
    assert.deepEqual((await recountAll(service.app.context)).wrong, []);
  });

  it(`${MANY} documents: killed in the middle, and by two at once; none is lost or twice`, async () => {
    await joinIn('zoe');
    const body = (from: number) => ({
      documents: Array.from({ length: 100 }, (_, index) => ({
        type: 'brief',
        name: `z-${from + index}`,
        content: `Text ${from + index}`,
        visibility: 'private',
      })),
    });
    for (let from = 0; from < MANY; from += 100) {
      await expectStatus(client('zoe').post('/documents', body(from)), 200);
    }
    const count = async (name: string) => {
      const { documents } = await service.app.context.sql.read
        .selectFrom('owner_usage')
        .innerJoin('owner', 'owner.id', 'owner_usage.ownerId')
        .where('namespace', '=', name)
        .select('documents')
        .executeTakeFirstOrThrow();
      return Number(documents);
    };
    const before = await count('lin');
    const killed = startBriefs(['users', 'hand-over', 'zoe', '--to', 'lin'], settings);
    // Looks at once again, so that it isn’t done by then.
    while ((await count('zoe')) === MANY);
    await killed.kill('SIGKILL');
    const left = await count('zoe');
    assert.ok(left > 0 && left < MANY, String(left));
    assert.equal((await count('lin')) - before + left, MANY);
    await Promise.all([
      succeed(['users', 'hand-over', 'zoe', '--to', 'lin'], settings),
      give('zoe', 'lin').then(() => undefined),
    ]);
    assert.deepEqual([await count('zoe'), (await count('lin')) - before], [0, MANY]);
    assert.deepEqual((await recountAll(service.app.context)).wrong, []);
    const { data } = await client('lin').get('/briefs/lin/z-0/revisions');
    assert.equal(data.length, 2);
  });
});
