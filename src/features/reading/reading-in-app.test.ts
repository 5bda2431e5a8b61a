import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Service, startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { makePerson, makeWorld, type Person, type World } from '../../../test/web-app/world.ts';

describe('Reading in the app', () => {
  let service: Service;
  let world: World;
  let stranger: Person;

  before(async () => {
    service = await startService();
    world = await makeWorld(service);
    stranger = await makePerson(service, 'stranger');
  });
  after(() => service.stop());

  it('a private brief is shown to its readers and hidden from others', async () => {
    for (const path of ['/read/ada/plan', '/raw/ada/plan', '/history/ada/plan']) {
      for (const { visitor } of [world.ada, world.grace]) {
        const { status, headers } = await visitor.get(path);
        assert.equal(status, 200, path);
        assert.equal(headers.get('cache-control'), 'private, no-store');
      }
      assert.equal((await stranger.visitor.get(path)).status, 404, path);
      const { status, headers } = await newVisitor(service).get(path);
      const signIn = `/sign-in?next=${encodeURIComponent(path)}`;
      assert.deepEqual([status, headers.get('location')], [303, signIn]);
    }
  });

  it('signed out, the app’s address redirects to the public one, if there is one', async () => {
    const { client } = world.ada;
    await client.post('/user/briefs', { name: 'known', content: '# Known' });
    await client.post('/user/pages', { name: 'known', html: '<title>Known</title>' });
    const to = async (path: string) => {
      const { status, headers } = await newVisitor(service).get(path);
      return [status, headers.get('location')];
    };
    assert.deepEqual(await to('/read/ada/known'), [303, `${service.webUrl}/ada/known`]);
    assert.deepEqual(await to('/read/Ada/KNOWN'), [303, `${service.webUrl}/ada/known`]);
    assert.deepEqual(await to('/read/ada/pages/known'), [303, `${service.webUrl}/ada/pages/known`]);
    for (const path of ['/read/ada/plan', '/read/ada/missing', '/read/ada/pages/missing']) {
      assert.deepEqual(await to(path), [303, `/sign-in?next=${encodeURIComponent(path)}`]);
    }
  });

  it('who may edit a brief ticks its tasks where they read; nobody else does', async () => {
    const { ada } = world;
    const content = '# Tasks\n\n- [ ] Buy\n- [ ] Sell\n';
    const made = await ada.client.post('/user/briefs', {
      name: 'tasks',
      content,
      visibility: 'public',
    });
    const path = '/read/ada/tasks';
    const mayTick = async ({ visitor }: Person) =>
      /data-tasks=/.test((await visitor.get(path)).text);
    assert.deepEqual([await mayTick(ada), await mayTick(stranger)], [true, false]);
    const task = (line: number, revision = 1, done = 'on') => ({
      act: 'tick',
      document: made.data.id,
      revision: String(revision),
      line: String(line),
      done,
    });
    const textNow = async () => (await ada.client.get('/briefs/ada/tasks')).data.content;
    const json = { accept: 'application/json' };
    assert.equal((await ada.visitor.post(path, task(3), json)).status, 204);
    // What others wrote since stays, also above it.
    await ada.client.patch('/briefs/ada/tasks', { content: `New.\n\n${await textNow()}` });
    assert.equal((await ada.visitor.post(path, task(4), json)).status, 204);
    assert.equal(await textNow(), 'New.\n\n# Tasks\n\n- [x] Buy\n- [x] Sell\n');
    const { data: revisions } = await ada.client.get('/briefs/ada/tasks/revisions');
    assert.deepEqual([revisions[0].author, revisions[0].via], ['ada', 'web']);
    for (const refused of [task(1, 4), task(99, 4), task(Number.NaN, 4)]) {
      const { status, text } = await ada.visitor.post(path, refused, json);
      assert.equal(status, 422, text);
      assert.match(text, /no task in this line/);
    }
    const other = { ...task(3), document: '00000000-0000-4000-8000-000000000000' };
    assert.equal((await ada.visitor.post(path, other, json)).status, 409);
    assert.equal((await ada.visitor.post(path, task(3, 99), json)).status, 404);
    assert.equal((await stranger.visitor.post(path, task(3, 1, ''), json)).status, 404);
    // A protected text changes by suggestions only.
    const protect = { document: made.data.id, protected: 'on' };
    assert.equal((await ada.visitor.post('/review/ada/tasks/protection', protect)).status, 303);
    assert.equal(await mayTick(ada), false);
    const refused = await ada.visitor.post(path, task(5, 4, ''), json);
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [422, 'UNPROCESSABLE']);
    assert.match(refused.text, /protected/);
  });

  it('every screen about a document shows its title, and its address as a tooltip', async () => {
    const { client, visitor } = world.ada;
    await client.post('/user/briefs', { name: 'titled', content: '# Plan for spring' });
    const trail = '<span class="here" title="ada/titled" dir="auto">Plan for spring</span>';
    for (const act of ['read', 'share', 'labels', 'notifications', 'review']) {
      assert.ok((await visitor.get(`/${act}/ada/titled`)).text.includes(trail), act);
    }
    assert.ok((await newVisitor(service).get('/ada/titled')).text.includes(trail), 'public');
    for (const act of ['Share', 'Delete', 'Move', 'Labels of', 'Notifications about']) {
      const { text } = await visitor.get(`/${act.split(' ')[0]?.toLowerCase()}/ada/titled`);
      assert.match(text, new RegExp(`<h1>${act} Plan for spring`), act);
    }
  });

  it('the public address of a private brief redirects its readers to the app', async () => {
    for (const path of ['/ada/plan', '/Ada/PLAN', '/ada/plan?format=html']) {
      for (const { visitor } of [world.ada, world.grace]) {
        const { status, headers } = await visitor.get(path);
        assert.deepEqual(
          [status, headers.get('location')],
          [303, `/read${path.replace(/\?.*/, '')}`],
        );
        assert.equal(headers.get('cache-control'), 'private, no-store');
      }
    }
    const invited = await makePerson(service, 'invitee');
    const path = '/briefs/ada/plan/collaborators/invitee';
    await world.ada.client.put(path, { permission: 'read' });
    assert.equal(
      (await invited.visitor.get('/ada/plan')).headers.get('location'),
      '/read/ada/plan',
    );
    const missing = await newVisitor(service).get('/ada/missing');
    assert.equal(missing.status, 404);
    const lasting = ({ status, headers, text }: typeof missing) => {
      const volatile = ['date', 'x-request-id'];
      return { status, text, headers: [...headers].filter(([name]) => !volatile.includes(name)) };
    };
    for (const visitor of [newVisitor(service), stranger.visitor]) {
      for (const path of ['/ada/plan', '/ada/missing', '/nobody/plan']) {
        assert.deepEqual(lasting(await visitor.get(path)), lasting(missing), path);
      }
    }
    // Programs, and clients that accept only Markdown, get only public documents.
    for (const [path, accept] of [
      ['/ada/plan', '*/*'],
      ['/ada/plan.md', 'text/html'],
      ['/ada/plan?format=md', 'text/html'],
    ] as const) {
      assert.equal((await world.ada.visitor.get(path, { accept })).status, 404, path);
    }
  });

  it('public addresses lead everyone who is signed in to the app, and only them', async () => {
    const { ada } = world;
    await ada.client.post('/user/briefs', { name: 'for-all', content: '# For all' });
    await ada.client.post('/user/pages', { name: 'for-all', html: '<title>For all</title>' });
    for (const path of ['/ada/for-all', '/ada/pages/for-all']) {
      const out = await newVisitor(service).get(path);
      assert.equal(out.status, 200, path);
      const signIn = `/sign-in?next=${encodeURIComponent(`/read${path}`)}`;
      assert.ok(out.text.includes(`href="${signIn}"`), path);
      assert.doesNotMatch(out.text, /Account/);
      for (const { visitor } of [ada, stranger]) {
        const { status, headers } = await visitor.get(path);
        assert.deepEqual([status, headers.get('location')], [303, `/read${path}`]);
        assert.equal(headers.get('cache-control'), 'private, no-store');
      }
    }
    const out = await newVisitor(service).get('/ada/for-all');
    assert.equal(out.headers.get('cache-control'), 'public, no-cache');
    assert.equal(out.headers.get('vary'), 'Accept, Cookie, Accept-Encoding');
    // A browser that knows the public page still gets the app once someone has signed in.
    const known = { 'if-none-match': out.headers.get('etag') ?? '' };
    assert.equal((await newVisitor(service).get('/ada/for-all', known)).status, 304);
    assert.equal((await ada.visitor.get('/ada/for-all', known)).status, 303);
    const program = await ada.visitor.get('/ada/for-all', { accept: '*/*' });
    assert.deepEqual([program.status, program.headers.get('vary')], [200, 'Accept']);
  });

  it('profiles and the API reference are inside the app for everyone who is signed in', async () => {
    for (const path of ['/ada', '/reference']) {
      const inApp = await world.grace.visitor.get(path);
      assert.match(inApp.text, /<nav class="rail"/, path);
      assert.equal(inApp.headers.get('cache-control'), 'private, no-store');
      const out = await newVisitor(service).get(path);
      assert.doesNotMatch(out.text, /<nav class="rail"/, path);
      assert.match(out.text, /Sign in/);
      assert.match(out.headers.get('vary') ?? '', /Cookie/);
    }
    assert.match((await world.ada.visitor.get('/ada')).text, /Edit profile/);
    assert.doesNotMatch((await world.grace.visitor.get('/ada')).text, /Edit profile/);
  });

  it('Markdown is served unchanged, not as a web page', async () => {
    const { text, headers } = await world.grace.visitor.get('/raw/ada/plan');
    assert.match(text, /^# Plan for the autumn\n/);
    assert.match(headers.get('content-type') ?? '', /^text\/markdown/);
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/);
    const page = await world.ada.visitor.get('/raw/ada/pages/dice');
    assert.deepEqual([page.status, page.headers.get('location')], [303, '/read/ada/pages/dice']);
  });

  it('a Markdown download is never replaced by the sign-in screen', async () => {
    const { text: page } = await world.grace.visitor.get('/read/ada/plan');
    assert.match(page, /href="\/raw\/ada\/plan\?download"/);
    const { text: account } = await world.ada.visitor.get('/settings/account');
    assert.match(account, /href="\/export"/);
    for (const text of [page, account]) assert.doesNotMatch(text, /<a [^>]*\sdownload/);
    const shown = await world.ada.visitor.get('/raw/ada/plan');
    assert.equal(shown.headers.get('content-disposition'), null);
    await world.ada.client.post('/user/briefs', { name: 'pläne', content: '# Pläne' });
    for (const name of ['plan', 'pl%C3%A4ne']) {
      const { headers } = await world.ada.visitor.get(`/raw/ada/${name}?download`);
      const disposition = headers.get('content-disposition');
      assert.equal(disposition, `attachment; filename*=UTF-8''${name}.md`);
    }
    const { headers } = await newVisitor(service).get('/raw/ada/plan?download');
    const signIn = `/sign-in?next=${encodeURIComponent('/raw/ada/plan?download')}`;
    assert.equal(headers.get('location'), signIn);
    assert.equal(headers.get('content-disposition'), null);
  });

  it('an unreadable public address links to the same brief in the app', async () => {
    const cases = [
      ['/ada/plan', '/read/ada/plan'],
      ['/ada/plan.md', '/read/ada/plan'],
      ['/sign-in', '/'],
      ['/ada/pages/dice', '/'],
    ];
    for (const [from = '', to = ''] of cases) {
      const headers = { referer: service.webUrl + from };
      const known = await world.ada.visitor.get('/read', headers);
      assert.deepEqual([known.status, known.headers.get('location')], [303, to], from);
      const unknown = await newVisitor(service).get('/read', headers);
      const signIn = to === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(to)}`;
      assert.equal(unknown.headers.get('location'), signIn, from);
    }
    const elsewhere = await world.ada.visitor.get('/read', { referer: 'https://evil.example/a/b' });
    assert.equal(elsewhere.headers.get('location'), '/');
  });

  it('an impossible namespace is 404, not an error', async () => {
    for (const path of ['/raw/%E6%97%A5/pages/x', '/read/a%0d%0ab/c']) {
      const { status, headers } = await world.ada.visitor.get(path);
      assert.ok(status === 404 || (status === 303 && headers.get('location')), `${path} ${status}`);
    }
  });
});

describe('The list of documents', () => {
  let service: Service;
  let ada: Person;

  before(async () => {
    service = await startService();
    ada = await makePerson(service, 'ada');
    for (const name of ['budget-1', 'budget-2']) {
      await ada.client.post('/user/briefs', { name, content: '# x' });
    }
    const rest = Array.from({ length: 45 }, (_, index) => `note-${index}`);
    for (const name of [...rest, 'budget-3', 'old-budget']) {
      await ada.client.post('/user/briefs', { name, content: '# x' });
    }
  });
  after(() => service.stop());

  const listed = ({ text }: { text: string }) =>
    Array.from(text.matchAll(/href="\/read\/ada\/([^"]+)"/g), ([, name]) => name);

  it('is filtered completely, not only the visible part', async () => {
    const page = await ada.visitor.get('/?q=budget');
    assert.deepEqual(listed(page), ['old-budget', 'budget-3', 'budget-2', 'budget-1']);
    assert.match(page.text, /name="q" value="budget"/);
    // The form works without scripts.
    assert.match(page.text, /<form class="search-form" action="\/"/);
    assert.deepEqual(listed(await ada.visitor.get('/?in=own&kind=page&q=budget')), []);
  });

  it('keeps the filter for older documents and other kinds', async () => {
    const first = await ada.visitor.get('/?q=note');
    assert.equal(listed(first).length, 40);
    const [, older = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? [];
    const next = await ada.visitor.get(older.replaceAll('&amp;', '&'));
    assert.equal(listed(next).length, 5);
    assert.match(first.text, /href="\/\?kind=brief&amp;q=note"/);
  });

  it('says if nothing matches, and offers a full search', async () => {
    const { text } = await ada.visitor.get('/?q=%22none%22%3E');
    assert.match(text, /No matches in this list\./);
    assert.match(text, /href="\/search\?q=%22none%22%3E"/);
    assert.doesNotMatch(text, /Your first document/);
    assert.equal((await ada.visitor.get('/?q=%00')).status, 200);
  });
});
