import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Answer, readAnswer, type Service } from '../harness.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../sign-in/visitor.ts';
import { databaseState } from '../state.ts';
import { formsOf } from '../web-app/forms.ts';
import { SCREENS } from '../web-app/screens.ts';
import { makePerson, makeWorld } from '../web-app/world.ts';

describe('CSRF, cookie tossing, click-jacking', () => {
  let service: Service;

  before(async () => {
    service = await startWithVisitors();
    await signUp(service, 'ada');
  });
  after(() => service.stop());

  /** Sends a form with only these headers about its origin. */
  async function post(
    path: string,
    headers: Record<string, string>,
    form: Record<string, string> = {},
  ): Promise<Answer> {
    const body = new URLSearchParams(form);
    const init = { method: 'POST', body, headers: { accept: 'text/html', ...headers } };
    return readAnswer(await fetch(service.webUrl + path, { ...init, redirect: 'manual' }));
  }

  const PATHS = [
    '/sign-in',
    '/sign-up',
    '/sign-out',
    '/settings/password',
    '/settings/sessions/end',
    '/settings/sessions/end-all',
    '/settings/applications/disconnect',
  ];

  it('forms of other origins are refused, including signing in', async () => {
    const ours = service.webUrl;
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: service.renderUrl },
      { origin: `${ours}.evil.example` },
      { origin: ours.replace('http:', 'https:') },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { origin: ours, 'sec-fetch-site': 'cross-site' },
      { origin: ours, 'sec-fetch-site': 'same-site' },
      { origin: ours, 'sec-fetch-site': 'SAME-ORIGIN, cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { referer: `${ours}/sign-in` },
    ];
    for (const path of PATHS) {
      for (const headers of foreign) {
        const form = { name: 'ada', password: PASSWORD };
        const answer = await post(path, headers, form);
        assert.equal(answer.status, 403, `${path} ${JSON.stringify(headers)}`);
        assert.match(answer.text, /not sent from/);
        assert.equal(answer.headers.get('set-cookie'), null);
      }
    }
  });

  it('forms of this host are accepted with either header', async () => {
    const own: Record<string, string>[] = [
      { origin: service.webUrl },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: service.webUrl, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of own) {
      const answer = await post('/sign-in', headers, { name: 'ada', password: PASSWORD });
      assert.equal(answer.status, 303, JSON.stringify(headers));
    }
  });

  it('a form on another site changes nothing for a signed-in user', async () => {
    const ada = newVisitor(service);
    await signIn(ada, 'ada');
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const form = { current: PASSWORD, password: 'taken over now' };
    assert.equal((await ada.post('/settings/password', form, evil)).status, 403);
    assert.equal((await ada.post('/sign-out', {}, evil)).status, 403);
    assert.equal(await whoIs(ada), 'ada');
    assert.equal((await signIn(newVisitor(service), 'ada')).status, 303);
  });

  it('GET changes nothing', async () => {
    const ada = newVisitor(service);
    await signIn(ada, 'ada');
    for (const path of [...PATHS, '/sign-in?name=ada&password=x']) await ada.get(path);
    assert.equal(await whoIs(ada), 'ada');
  });

  it('signing in redirects only to this host', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/%2e//evil.example',
      '/./\\evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'evil.example',
      '',
      '?x',
      '#x',
      ' /x',
      '/x\u0000',
      '/x\r\nset-cookie: a=b',
      '/\u2028',
      '/é',
      `/${'x'.repeat(3_000)}`,
      'http:/evil.example',
      'http:evil.example',
      '@evil.example',
      '/\u00a0/evil.example',
    ];
    for (const next of elsewhere) {
      const answer = await signIn(newVisitor(service), 'ada', PASSWORD, { next });
      assert.equal(answer.status, 303, next);
      assert.equal(answer.headers.get('location'), '/', JSON.stringify(next));
      const page = await newVisitor(service).get(`/sign-in?next=${encodeURIComponent(next)}`);
      assert.match(page.text, /name="next" value="\/"/, JSON.stringify(next));
    }
    const here = {
      '/ada/pages/x': '/ada/pages/x',
      '/ada?page=2&x=%2F%2Fevil': '/ada?page=2&x=%2F%2Fevil',
      '/a/../b': '/b',
      '/%2F%2Fevil.example': '/%2F%2Fevil.example',
      '/x?y=https://evil.example': '/x?y=https://evil.example',
      '/@evil.example': '/@evil.example',
    };
    for (const [next, location] of Object.entries(here)) {
      const answer = await signIn(newVisitor(service), 'ada', PASSWORD, { next });
      assert.equal(answer.headers.get('location'), location, next);
    }
  });

  it('CSP stops the consent form before it reaches other hosts', async () => {
    const next = '/authorize/abc?x=1&y=2';
    const answer = await signIn(newVisitor(service), 'ada', PASSWORD, { next });
    assert.equal(answer.status, 200);
    assert.match(
      answer.text,
      /<meta http-equiv="refresh" content="0; url=\/authorize\/abc\?x=1&amp;y=2"/,
    );
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  });

  it('no page with a form can be framed', async () => {
    const ada = newVisitor(service);
    await signIn(ada, 'ada');
    for (const path of ['/', '/sign-in', '/sign-up', '/settings', '/nobody/none']) {
      const { headers } = await ada.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.ok(policy.split('; ').includes("frame-ancestors 'none'"), path);
      assert.match(headers.get('cache-control') ?? '', /no-store/, path);
    }
  });

  it('a page’s images and frames can’t use up a reader’s rate limits', async () => {
    const reader = newVisitor(service);
    await signIn(reader, 'ada');
    const authorize = `${new URL(service.baseUrl).pathname}/sso/authorize?client_id=x`;
    const parts = [
      'image',
      'script',
      'style',
      'font',
      'audio',
      'video',
      'track',
      'object',
      'embed',
    ];
    for (const destination of [...parts, 'iframe', 'frame', 'worker', 'manifest', 'xslt', '']) {
      for (const path of ['/', '/export', '/search?q=x', '/settings', '/sign-in', authorize]) {
        for (const times of [1, 2]) {
          const answer = await reader.get(path, { 'sec-fetch-dest': destination });
          assert.equal(answer.status, 403, `${destination} ${path} ${times}`);
          assert.equal(answer.headers.get('set-cookie'), null);
        }
      }
    }
    for (const headers of [{ 'sec-fetch-dest': 'document' }, { 'sec-fetch-dest': 'empty' }, {}]) {
      for (const path of ['/export', '/search?q=x', '/settings']) {
        assert.equal((await reader.get(path, headers)).status, 200, path);
      }
      assert.equal((await reader.get(authorize, headers)).status, 400);
    }
  });

  it('public resources can be embedded', async () => {
    // Profiles and the reference are in the app for whoever is signed in.
    for (const path of ['/healthz', '/llms.txt']) {
      const answer = await newVisitor(service).get(path, { 'sec-fetch-dest': 'image' });
      assert.equal(answer.status, 200, path);
    }
  });

  it('a second cookie set by another host signs no one in', async () => {
    const [own, evil] = [await signUp(service, 'victim'), await signUp(service, 'evil')];
    const session = (visitor: Visitor) => visitor.cookies.get('briefs-session') ?? '';
    for (const values of [
      [session(evil), session(own)],
      [session(own), session(evil)],
      ['', session(evil)],
      [session(evil), ''],
    ]) {
      const cookie = values.map((value) => `briefs-session=${value}`).join('; ');
      const { status, text } = await newVisitor(service).get('/settings', { cookie });
      assert.equal(status, 303, text.slice(0, 200));
    }
    // An attacker's cookie is not used for the next session.
    const fixed = newVisitor(service, { cookies: new Map([['briefs-session', session(evil)]]) });
    await signIn(fixed, 'victim');
    assert.equal(await whoIs(fixed), 'victim');
    assert.notEqual(session(fixed), session(evil));
  });
});

describe('CSRF, cookie tossing, click-jacking: every form of every screen', () => {
  let service: Service;
  let ada: Visitor;

  before(async () => {
    service = await startWithVisitors();
    ada = (await makeWorld(service)).ada.visitor;
    await makePerson(service, 'newcomer');
  });
  after(() => service.stop());

  it('is refused to other sites, and changes nothing; its screen can’t be framed', async () => {
    const forms = new Map<string, Record<string, string>>();
    for (const { path } of SCREENS) {
      const page = await ada.get(path);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.ok(policy.split('; ').includes("frame-ancestors 'none'"), path);
      for (const { action, fields } of formsOf(page)) {
        if (action === '/search') continue;
        forms.set(new URL(action || path, service.webUrl).pathname, fields);
      }
    }
    assert.ok(forms.size > 30, [...forms.keys()].join(' '));
    const before = await databaseState(service.app.context);
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    for (const [action, fields] of forms) {
      const answer = await ada.post(action, fields, evil);
      assert.equal(answer.status, 403, `${action}: ${answer.status}`);
    }
    for (const action of ['/preview', '/uploads']) {
      assert.equal((await ada.post(action, {}, evil)).status, 403, action);
    }
    assert.deepEqual(await databaseState(service.app.context), before);
  });
});
