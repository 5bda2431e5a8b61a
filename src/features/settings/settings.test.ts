import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';

/** The sections, by the tab that leads to them. */
const TABS = [
  [''],
  ['/security', '/password', '/sessions', '/activity'],
  ['/tokens'],
  ['/applications'],
  ['/appearance'],
  ['/storage', '/uploads'],
  ['/account'],
];
const PARTS = TABS.flat();

describe('Settings', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await signUp(service, 'ada');

  it('each section has an address, one heading, and links to the others', async () => {
    for (const [tab, part] of TABS.flatMap((tab) => tab.map((part) => [tab, part] as const))) {
      const { status, headers, text } = await ada.get(`/settings${part}`);
      assert.equal(status, 200, part);
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.equal(text.match(/<h1/g)?.length, 1, part);
      for (const other of [...tab, ...TABS.map(([first]) => first)]) {
        assert.ok(text.includes(`href="/settings${other}"`), `${part}: ${other}`);
      }
      assert.match(text, new RegExp(`<a href="/settings${part}" aria-current="page">`));
    }
  });

  it('an error keeps the app’s navigation, and unknown addresses look the same', async () => {
    for (const path of ['/read/ada/nothing', '/organizations/nothing', '/edit/ada/nothing']) {
      const { status, headers, text } = await ada.get(path);
      assert.equal(status, 404, path);
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.match(text, /<nav class="rail"/);
      assert.match(text, /<h1>Not found<\/h1>/);
    }
  });

  it('need a sign-in, which returns to the requested section', async () => {
    for (const part of PARTS) {
      const { status, headers } = await newVisitor(service).get(`/settings${part}`);
      const next = encodeURIComponent(`/settings${part}`);
      assert.deepEqual([status, headers.get('location')], [303, `/sign-in?next=${next}`]);
    }
  });

  describe('the email address', () => {
    const change = (visitor: Visitor, email: string, current = PASSWORD) =>
      visitor.post('/settings/email', { email, current });

    it('changes with the password, is confirmed, and signs in', async () => {
      const eve = await signUp(service, 'eve');
      const { status, headers } = await change(eve, ' Eve@New.example ');
      assert.deepEqual([status, headers.get('location')], [303, '/settings']);
      const { text } = await eve.get('/settings');
      assert.match(text, /Email address changed to Eve@new\.example\./);
      assert.match(text, /<dd>Eve@new\.example<\/dd>/);
      assert.doesNotMatch((await eve.get('/settings')).text, /Your email address is/, 'said once');
      assert.equal((await signIn(newVisitor(service), 'eve@new.example')).status, 303);
      assert.equal((await signIn(newVisitor(service), 'eve@example.com')).status, 422);
    });

    it('doesn’t change with a wrong form, and shows the error beside the field', async () => {
      await signUp(service, 'grace');
      for (const [email, current, field] of [
        ['nonsense', PASSWORD, 'email'],
        ['grace@EXAMPLE.com', PASSWORD, 'email'],
        ['ada@new.example', 'not the password', 'current'],
        ['ada@new.example', '', 'current'],
      ] as const) {
        const { status, text } = await change(ada, email, current);
        assert.equal(status, 422, email);
        assert.match(text, new RegExp(`id="${field}-fault"`), email);
        assert.match(text, new RegExp(`name="email"[^>]*value="${email}"`), 'to be corrected');
        assert.doesNotMatch(text, new RegExp(PASSWORD));
      }
      assert.match((await ada.get('/settings')).text, /<dd>ada@example\.com<\/dd>/);
    });
  });

  it('ending one session says so; ending all leads to the front page, which says so once', async () => {
    const here = await signUp(service, 'several');
    const there = newVisitor(service);
    await signIn(there, 'several');
    const { text } = await here.get('/settings/sessions');
    const session = /name="session" value="([^"]+)"/.exec(text)?.[1] ?? '';
    await here.post('/settings/sessions/end', { session });
    const ended = await here.get('/settings/sessions');
    assert.match(ended.text, /Browser signed out/);
    assert.doesNotMatch(ended.text, /name="session"/, 'only this one is left');
    assert.equal(await whoIs(there), undefined);
    const { headers } = await here.post('/settings/sessions/end-all');
    assert.equal(headers.get('location'), '/');
    assert.match((await here.get('/')).text, /You’re signed out everywhere/);
    assert.doesNotMatch((await here.get('/')).text, /You’re signed out everywhere/);
  });

  it('an unknown application is 404', async () => {
    const answer = await ada.post('/settings/applications/disconnect', { application: 'x' });
    assert.equal(answer.status, 404);
  });

  it('a theme needs scripts, and without them a sentence explains the current one', async () => {
    const { text } = await ada.get('/settings/appearance');
    assert.match(text, /<fieldset class="choices needs-script"/);
    assert.equal(text.match(/type="radio" name="theme"/g)?.length, 3);
    assert.match(text, /<noscript><p>Without JavaScript/);
  });
});
