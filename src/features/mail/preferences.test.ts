import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Client } from '../../../test/harness.ts';
import {
  eventsPlaced,
  openPostOffice,
  queued,
  sendAll,
  verificationPath,
} from '../../../test/mail/post-office.ts';
import { collaborate, expectStatus, invite, makeDocument } from '../../../test/rest/scenario.ts';
import {
  newVisitor,
  PASSWORD,
  signUp,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';

const PATH = '/settings/notifications';

/** Someone with a browser and a token. */
async function person(username: string): Promise<{ browser: Visitor; client: Client }> {
  const browser = await signUp(service, username);
  const lifetimeMs = undefined;
  const { token } = await createToken(service.app.context, { username, name: 'test', lifetimeMs });
  const path = await verificationPath(office, `${username}@example.com`);
  assert.equal((await browser.post(path)).status, 200);
  return { browser, client: { ...service.client(token), username } };
}

const checkedIn = (html: string) =>
  Array.from(html.matchAll(/<input type="checkbox" name="topics" value="(\w+)"[^>]*>/g))
    .filter(([input]) => /\bchecked\b/.test(input))
    .map(([, topic]) => topic);

const choose = (browser: Visitor, ...topics: string[]) =>
  browser.post(
    PATH,
    topics.map((topic): [string, string] => ['topics', topic]),
  );

const office = await openPostOffice();
const service = await startWithVisitors(office.settings);
after(async () => {
  await service.stop();
  await office.close();
});

describe('Settings: notifications', () => {
  it('are all on by default except the digest, and stored per user', async () => {
    const { browser } = await person('ada');
    const { text } = await browser.get(PATH);
    assert.deepEqual(checkedIn(text), ['invitation', 'mention', 'review', 'answer']);
    assert.match(text, /Sent to ada@example\.com/);
    const { status, headers } = await choose(browser, 'mention', 'digest', 'nonsense');
    assert.deepEqual([status, headers.get('location')], [303, PATH]);
    const { text: after } = await browser.get(PATH);
    assert.match(after, /Notifications saved\./);
    assert.deepEqual(checkedIn(after), ['mention', 'digest']);
    const { browser: other } = await person('grace');
    assert.equal(checkedIn((await other.get(PATH)).text).length, 4);
  });

  it('need a sign-in and a form of this host', async () => {
    const { status } = await newVisitor(service).get(PATH);
    assert.equal(status, 303);
    const { browser } = await person('alan');
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    assert.equal((await browser.post(PATH, {}, elsewhere)).status, 403);
    assert.equal(checkedIn((await browser.get(PATH)).text).length, 4);
  });

  it('topics that are off aren’t queued', async () => {
    const { client } = await person('edsger');
    const { browser, client: other } = await person('barbara');
    await choose(browser, 'review');
    const path = await makeDocument(client, 'plans');
    await collaborate(client, path, other, 'write');
    await expectStatus(client.post(`${path}/threads`, { body: '@barbara' }), 201);
    await eventsPlaced(service);
    assert.equal(await queued(service), 0);
  });

  it('without a mail server, there is no such section and no mention of mail', async () => {
    const silent = await startWithVisitors();
    try {
      const browser = await signUp(silent, 'ada');
      assert.doesNotMatch((await browser.get('/settings')).text, /notifications/i);
      assert.equal((await browser.get(PATH)).status, 404);
    } finally {
      await silent.stop();
    }
  });
});

describe('An email address', () => {
  const NOTICE = /isn’t verified/;

  it('gets only the verification link until verified; the link works once', async () => {
    const browser = await signUp(service, 'radia');
    const lifetimeMs = undefined;
    const input = { username: 'radia', name: 'test', lifetimeMs };
    const { token } = await createToken(service.app.context, input);
    const radia = { ...service.client(token), username: 'radia' };
    const { client: leslie } = await person('leslie');
    const path = await verificationPath(office, 'radia@example.com');
    await invite(leslie, await makeDocument(leslie, 'clocks'), radia, 'read');
    await sendAll(service);
    assert.equal(office.mails.length, 0);

    assert.match((await browser.get(PATH)).text, NOTICE);
    const stranger = newVisitor(service);
    assert.match((await stranger.get(path)).text, /radia@example\.com/);
    assert.match((await browser.get(PATH)).text, NOTICE, 'opening the link changes nothing');
    // Not the last character, some bits of which have no meaning in Base64.
    const forged = path.replace(/.(?=.$)/, (character) => (character === 'A' ? 'B' : 'A'));
    assert.equal((await stranger.post(forged)).status, 404);
    assert.equal((await stranger.post(path)).status, 200);
    assert.doesNotMatch((await browser.get(PATH)).text, NOTICE);
    assert.equal((await stranger.post(path)).status, 404);
    await invite(leslie, await makeDocument(leslie, 'proofs'), radia, 'read');
    await sendAll(service);
    assert.equal((await office.waitFor(1)).recipients[0], 'radia@example.com');
    office.mails.length = 0;
  });

  it('is unverified again after a change, and a new link can be sent', async () => {
    const { browser } = await person('frances');
    const form = { email: 'frances@elsewhere.example', current: PASSWORD };
    assert.equal((await browser.post('/settings/email', form)).status, 303);
    const first = await verificationPath(office, 'frances@elsewhere.example');
    service.advance(25 * 60 * 60_000);
    assert.equal((await browser.get(first)).status, 404, 'a day later');
    assert.match((await browser.get(PATH)).text, NOTICE);
    assert.equal((await browser.post(`${PATH}/verify`)).status, 303);
    const second = await verificationPath(office, 'frances@elsewhere.example');
    const back = { email: 'frances@example.com', current: PASSWORD };
    assert.equal((await browser.post('/settings/email', back)).status, 303);
    assert.equal((await browser.post(second)).status, 404, 'for another address');
    await verificationPath(office, 'frances@example.com');
    for (let n = 0; n < 4; n++) assert.equal((await browser.post(`${PATH}/verify`)).status, 303);
    assert.equal((await browser.post(`${PATH}/verify`)).status, 429);
    await sendAll(service);
    office.mails.length = 0;
  });
});

describe('The daily digest', () => {
  it('lists unread entries once a day, if there are new ones', async () => {
    const { client: donald } = await person('donald');
    const { browser, client: hedy } = await person('hedy');
    await choose(browser, 'digest');
    const path = await makeDocument(hedy, 'plans', { content: 'Our secret text.\n' });
    await collaborate(hedy, path, donald, 'write');
    await expectStatus(donald.post(`${path}/threads`, { body: 'What about May?' }), 201);
    await expectStatus(donald.patch(path, { content: 'New text.\n' }), 200);
    await sendAll(service);
    const digests = () =>
      office.mails.filter(({ recipients }) => recipients.includes('hedy@example.com'));
    assert.equal(digests().length, 0, 'not before the day is over');
    const day = async () => {
      service.advance(DAY_MS);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
    };
    await day();
    assert.deepEqual(
      digests().map(({ subject }) => subject),
      ['Unread: “plans”'],
    );
    const { text = '', raw } = digests()[0] ?? {};
    assert.match(text, /hedy\/plans: donald commented on it, donald changed it\./);
    assert.doesNotMatch(raw ?? '', /secret|New text|What about May/);
    await day();
    assert.equal(digests().length, 1, 'nothing new');
    await expectStatus(donald.patch(path, { content: 'Newer text.\n' }), 200);
    await eventsPlaced(service);
    await day();
    assert.equal(digests().length, 2);
    assert.notEqual(digests()[0]?.messageId, digests()[1]?.messageId);
    await expectStatus(hedy.delete(`${path}/collaborators/donald`), 204);
    await choose(browser);
    await expectStatus(hedy.patch(path, { content: 'Own.\n' }), 200);
    await day();
    assert.equal(digests().length, 2);
  });

  it('names nothing that its reader can no longer see', async () => {
    const { client: olga } = await person('olga');
    const { browser, client: ruth } = await person('ruth');
    await choose(browser, 'digest');
    for (const name of ['left', 'kept']) {
      const path = await makeDocument(olga, name, { visibility: 'private' });
      await collaborate(olga, path, ruth, 'read');
      await expectStatus(olga.post(`${path}/threads`, { body: 'Look, @ruth' }), 201);
    }
    await eventsPlaced(service);
    await expectStatus(olga.delete('/briefs/olga/left/collaborators/ruth'), 204);
    service.advance(DAY_MS);
    const digest = () =>
      office.mails.find(({ recipients }) => recipients.includes('ruth@example.com'));
    await until('the digest', () => digest() !== undefined);
    assert.match(digest()?.text ?? '', /olga\/kept: olga/);
    assert.doesNotMatch(digest()?.raw ?? '', /left/);
  });

  it('is deleted with the account', async () => {
    const { browser, client: tim } = await person('tim');
    await choose(browser, 'digest', 'invitation');
    const { client: vint } = await person('vint');
    await invite(vint, await makeDocument(vint, 'net'), tim, 'read');
    const { id } = (await tim.get('/user')).data;
    await deleteUser(service.app.context, 'tim');
    const { read } = service.app.context.sql;
    for (const table of ['mail', 'mail_preference'] as const) {
      const left = await read
        .selectFrom(table)
        .where('accountId', '=', id)
        .select('accountId')
        .execute();
      assert.deepEqual(left, [], table);
    }
  });
});
