import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { type Client, startService } from '../../../test/harness.ts';
import {
  type Delivered,
  eventsPlaced,
  openPostOffice,
  type PostOffice,
  queued,
  sendAll,
  storeAddress,
  verify,
} from '../../../test/mail/post-office.ts';
import {
  collaborate,
  expectStatus,
  invite,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { until } from '../../../test/until.ts';
import { MINUTE_MS } from '../../base/time/clock.ts';
import { createAccount, setAccountDisabled } from '../../core/identity/account-service.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';

let office: PostOffice;
let counter = 0;

/** New users for each test, so that inboxes stay separate. */
async function people<Name extends string>(...names: Name[]): Promise<Record<Name, Client>> {
  counter += 1;
  const all = names.map(async (name) => {
    const client = await service.user(`${name}${counter}`);
    await verify(service, `${name}${counter}`);
    return [name, client];
  });
  return Object.fromEntries(await Promise.all(all));
}

const comment = async (client: Client, path: string, body: string, more: object = {}) =>
  (await expectStatus(client.post(`${path}/threads`, { body, ...more }), 201)).data;

const reply = (client: Client, path: string, thread: string, body: string) =>
  expectStatus(client.post(`${path}/threads/${thread}/comments`, { body }), 201);

const headerOf = ({ raw }: Delivered, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'mi').exec(raw)?.[1]?.replaceAll(/\r\n[ \t]/g, ' ');

const unsubscribeUrl = (mail: Delivered) =>
  /^<(.*)>$/.exec(headerOf(mail, 'List-Unsubscribe')?.trim() ?? '')?.[1] ?? '';

office = await openPostOffice();
const service = await startService(office.settings);
after(async () => {
  await service.stop();
  await office.close();
});
beforeEach(() => {
  office.mails.length = 0;
  office.answer = 250;
  office.refused = 0;
});

describe('Mails of comments', () => {
  it('a mention: the comment, its passage and a link, and no other text of the document', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const content = '# Launch plans\n\nThe hidden launch is in May. Only you know.\n';
    const path = await makeDocument(ada, 'plans', { visibility: 'private', content });
    await collaborate(ada, path, grace, 'write');
    await sendAll(service);
    office.mails.length = 0;
    const body = `@${grace.username} is *May* right? <b>&</b>`;
    const { id } = await comment(ada, path, body, { on: { quote: 'launch is in May' } });
    await sendAll(service);
    const mail = await office.waitFor(1);
    assert.deepEqual(mail.recipients, [`${grace.username}@example.com`]);
    assert.equal(mail.subject, `Re: Launch plans (${ada.username}/plans)`);
    assert.equal(headerOf(mail, 'List-Id'), `<plans.${ada.username}.mail.example>`);
    assert.equal(mail.from?.text, '"Briefs" <briefs@mail.example>');
    const { text = '', html } = mail;
    for (const part of [body, '> launch is in May', `“Launch plans” (${ada.username}/plans)`]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    const link = `${service.webUrl}/read/${ada.username}/plans#thread-${id}`;
    assert.ok(text.includes(link), text);
    assert.ok(typeof html === 'string');
    assert.ok(html.includes(`href="${link}"`), html);
    assert.ok(html.includes('is *May* right? &lt;b>&amp;&lt;/b>'), html);
    for (const shown of [text, html]) assert.doesNotMatch(shown, /hidden|Only you know/);
    assert.match(headerOf(mail, 'Content-Type') ?? '', /^multipart\/alternative/);
    assert.equal(headerOf(mail, 'Auto-Submitted'), 'auto-generated');
    assert.equal(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    assert.match(text, /\/settings\/notifications/);
    assert.doesNotMatch(html, /<(img|script|link|iframe)/, 'nothing to load');
  });

  it('a long comment is cut at 1,000 characters', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'long', { visibility: 'public' });
    await collaborate(ada, path, grace, 'read');
    await comment(ada, path, `@${grace.username} ${'a'.repeat(2_000)} end`);
    await sendAll(service);
    const { text = '' } = office.mails.find(({ subject }) => subject?.startsWith('Re: ')) ?? {};
    const quoted = /^> (.*…)$/m.exec(text.replaceAll(/\n(?=a)/g, ''))?.[1] ?? '';
    assert.equal(quoted.length, 1_000);
  });

  it('several within a few minutes become one mail, in the document’s and thread’s conversation', async () => {
    const { ada, grace, alan } = await people('ada', 'grace', 'alan');
    const path = await makeDocument(ada, 'talk', { content: 'One two three.\n' });
    for (const one of [grace, alan]) await collaborate(ada, path, one, 'write');
    const { id } = await comment(grace, path, 'First.');
    await reply(ada, path, id, 'Alone.');
    await sendAll(service);
    const subject = `Re: ${ada.username}/talk`;
    assert.ok(office.mails.some((mail) => mail.subject === subject));
    office.mails.length = 0;
    await reply(ada, path, id, 'Second.');
    await reply(alan, path, id, `Third, @${grace.username}.`);
    await sendAll(service);
    const toGrace = office.mails.filter(({ recipients }) =>
      recipients.includes(`${grace.username}@example.com`),
    );
    assert.equal(toGrace.length, 1);
    const mail = toGrace[0] as Delivered;
    assert.equal(mail.subject, subject, 'as before, so that mail programs put them together');
    assert.match(mail.text ?? '', /Second\.[\s\S]*Third/);
    const { id: documentId } = (await ada.get(path)).data;
    const ids = [`<document-${documentId}@mail.example>`, `<thread-${id}@mail.example>`];
    assert.equal(headerOf(mail, 'References'), ids.join(' '));
    assert.equal(headerOf(mail, 'In-Reply-To'), ids[1]);
    assert.match(mail.messageId ?? '', /^<[0-9a-f-]{36}@mail\.example>$/);
  });

  it('replies go to participants of the thread, not to others who watch the document', async () => {
    const { ada, grace, alan } = await people('ada', 'grace', 'alan');
    const path = await makeDocument(ada, 'watched');
    for (const one of [grace, alan]) await collaborate(ada, path, one, 'write');
    await expectStatus(ada.put(`${path}/subscription`, { level: 'all' }), 204);
    const { id } = await comment(grace, path, 'A question.');
    await reply(alan, path, id, 'An answer.');
    await eventsPlaced(service);
    office.mails.length = 0;
    await sendAll(service);
    const replies = office.mails.filter(({ subject }) => subject?.includes('watched'));
    const to = replies.filter(({ text }) => /replied/.test(text ?? ''));
    assert.deepEqual(
      to.map(({ recipients }) => recipients),
      [[`${grace.username}@example.com`]],
    );
  });

  it('your own agents’ actions aren’t mailed', async () => {
    const { ada } = await people('ada');
    const path = await makeDocument(ada, 'own');
    const { id } = await comment(ada, path, 'A question to my agent.');
    const { username } = ada;
    const lifetimeMs = undefined;
    const { token } = await createToken(service.app.context, { username, name: 'bot', lifetimeMs });
    // The mail about the new token.
    await office.waitFor(1);
    await until('an empty queue', async () => (await queued(service)) === 0);
    await reply(service.client(token), path, id, `Done, @${username}.`);
    await eventsPlaced(service);
    assert.equal(await queued(service), 0);
  });

  it('a review request with its note, unless it is withdrawn', async () => {
    const { ada, grace, alan } = await people('ada', 'grace', 'alan');
    const path = await makeDocument(ada, 'draft');
    for (const one of [grace, alan]) await collaborate(ada, path, one, 'read');
    await sendAll(service);
    office.mails.length = 0;
    const note = 'By Friday, please.';
    for (const { username } of [grace, alan]) {
      await expectStatus(ada.put(`${path}/reviewers/${username}`, { note }), 204);
    }
    await expectStatus(ada.delete(`${path}/reviewers/${alan.username}`), 204);
    await sendAll(service);
    const mail = await office.waitFor(1);
    assert.equal(mail.subject, `${ada.username} asked you to review “draft”`);
    assert.deepEqual(mail.recipients, [`${grace.username}@example.com`]);
    assert.match(mail.text ?? '', /> By Friday, please\./);
  });
});

describe('No mail is sent', () => {
  /** Ada mentions Grace, and something happens before the mail is due. */
  async function mentionThen(
    change: (who: { ada: Client; grace: Client; path: string; thread: string }) => Promise<unknown>,
  ) {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    await sendAll(service);
    office.mails.length = 0;
    const { id: thread } = await comment(ada, path, `For you, @${grace.username}`);
    await eventsPlaced(service);
    assert.equal(await queued(service), 1);
    await change({ ada, grace, path, thread });
    await sendAll(service);
    const subjects = office.mails.map(({ subject }) => subject);
    assert.deepEqual(
      subjects.filter((subject) => subject !== 'Your account was deleted'),
      [],
    );
  }

  it('to people who can no longer read the document', () =>
    mentionThen(({ ada, grace, path }) =>
      expectStatus(ada.delete(`${path}/collaborators/${grace.username}`), 204),
    ));

  it('about a document in the trash', () =>
    mentionThen(({ ada, path }) => expectStatus(ada.delete(path), 204)));

  it('about a deleted comment', () =>
    mentionThen(async ({ ada, path, thread }) => {
      const { comments } = (await ada.get(`${path}/threads/${thread}`)).data;
      await expectStatus(ada.delete(`${path}/threads/${thread}/comments/${comments[0].id}`), 204);
    }));

  it('about entries that were already read', () =>
    mentionThen(async ({ grace }) => {
      const [{ position }] = (await grace.get('/user/inbox')).data;
      await expectStatus(grace.patch('/user/inbox', { readTo: position }), 204);
    }));

  it('to a disabled account', () =>
    mentionThen(({ grace }) => setAccountDisabled(service.app.context, grace.username, true)));

  it('to an address that only an earlier version accepted', () =>
    mentionThen(({ grace }) =>
      storeAddress(service, grace.username, `<${grace.username}@x.example>`),
    ));

  it('to a deleted account', () =>
    mentionThen(({ grace }) => deleteUser(service.app.context, grace.username)));
});

describe('Mails of invitations', () => {
  it('lead to the screen where they can be answered', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans', { visibility: 'private' });
    await invite(ada, path, grace, 'write');
    const mail = await office.waitFor(1);
    assert.equal(mail.subject, `${ada.username} invited you to edit “plans”`);
    assert.ok(mail.text?.includes(`${service.webUrl}/invitations`));
    await makeOrganization(ada, `engines${counter}`);
    await expectStatus(
      ada.put(`/orgs/engines${counter}/members/${grace.username}`, { role: 'member' }),
      201,
    );
    const other = await office.waitFor(2);
    assert.match(other.subject ?? '', new RegExp(`^${ada.username} invited you to join `));
    assert.ok(other.text?.includes(`${service.webUrl}/invitations`));
  });

  it('names can’t add headers or recipients', async () => {
    const { ada } = await people('ada');
    const { context } = service.app;
    // Valid, and looks like an encoded address in a header.
    const address = '=?utf-8?q?eve=40evil.example?=@example.com';
    const username = `odd${counter}`;
    await createAccount(context, { username, email: address, isEmailVerified: true });
    await expectStatus(
      ada.post('/user/orgs', { namespace: `bad${counter}`, name: 'Bcc: eve@evil.example' }),
      201,
    );
    await expectStatus(
      ada.put(`/orgs/bad${counter}/members/odd${counter}`, { role: 'member' }),
      201,
    );
    const mail = await office.waitFor(1);
    assert.deepEqual(mail.recipients, [address]);
    assert.equal(headerOf(mail, 'Bcc'), undefined);
    assert.match(mail.subject ?? '', /Bcc: eve@evil\.example$/);
  });
});

describe('Unsubscribing', () => {
  async function mentioned() {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans');
    await collaborate(ada, path, grace, 'write');
    await sendAll(service);
    office.mails.length = 0;
    const say = async () => {
      const { id } = await comment(ada, path, `For you, @${grace.username}`);
      await sendAll(service);
      return id;
    };
    await say();
    return { ada, grace, say, url: unsubscribeUrl(await office.waitFor(1)) };
  }

  const oneClick = (url: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });

  it('a mail program’s POST, without cookies, stops only this kind of mail', async () => {
    const { ada, grace, say, url } = await mentioned();
    assert.ok(url.startsWith(`${service.webUrl}/unsubscribe/`), url);
    const response = await oneClick(url);
    assert.equal(response.status, 200);
    assert.match(await response.text(), /Mentions/);
    await say();
    assert.equal(office.mails.length, 1);
    const other = await makeDocument(ada, 'other');
    await invite(ada, other, grace, 'read');
    assert.match((await office.waitFor(2)).subject ?? '', /invited/);
  });

  it('opening the link only asks for confirmation', async () => {
    const { say, url } = await mentioned();
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.match(await response.text(), /<button type="submit" class="primary">Unsubscribe/);
    await say();
    assert.equal(office.mails.length, 2);
  });

  it('stops mails that are already queued', async () => {
    const { ada, grace, url } = await mentioned();
    const path = await makeDocument(ada, 'second');
    await collaborate(ada, path, grace, 'read');
    await comment(ada, path, `@${grace.username}`);
    await eventsPlaced(service);
    assert.ok((await queued(service)) > 0);
    await oneClick(url);
    await sendAll(service);
    assert.deepEqual(
      office.mails.filter(({ text }) => /in a comment on \S+\/second/.test(text ?? '')),
      [],
    );
  });

  it('a changed token, or one of a deleted account, has no effect', async () => {
    const { grace, url } = await mentioned();
    const other = await service.user(`other${counter}`);
    await verify(service, `other${counter}`);
    const { id } = (await other.get('/user')).data;
    for (const wrong of [
      url.replace('mention', 'review'),
      url.replace(/[0-9a-f-]{36}/, id),
      url.slice(0, -1),
      `${service.webUrl}/unsubscribe/x`,
    ]) {
      for (const method of ['GET', 'POST']) {
        assert.equal((await fetch(wrong, { method })).status, 404, wrong);
      }
    }
    await deleteUser(service.app.context, grace.username);
    assert.equal((await oneClick(url)).status, 404);
    await until('its mail is sent', async () => (await queued(service)) === 0);
  });
});

describe('When the mail server fails', () => {
  it('retries after 451, with growing delays', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans');
    office.answer = 451;
    await invite(ada, path, grace, 'read');
    await until('the first attempt', () => office.refused === 1);
    await until('a note of it', async () => (await attemptsOf()) === 1);
    service.advance(2 * MINUTE_MS);
    await until('the second attempt', async () => (await attemptsOf()) === 2);
    assert.equal(office.refused, 2);
    office.answer = 250;
    service.advance(6 * MINUTE_MS);
    await office.waitFor(1);
    await until('an empty queue', async () => (await queued(service)) === 0);
  });

  it('drops a mail that is permanently refused, and sends the next one', async () => {
    const { ada, grace, alan } = await people('ada', 'grace', 'alan');
    const path = await makeDocument(ada, 'plans');
    office.answer = 550;
    await invite(ada, path, grace, 'read');
    await until('it is dropped', async () => office.refused > 0 && (await queued(service)) === 0);
    office.answer = 250;
    await invite(ada, path, alan, 'read');
    assert.deepEqual((await office.waitFor(1)).recipients, [`${alan.username}@example.com`]);
  });

  it('gives up after three days', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans');
    office.answer = 451;
    await invite(ada, path, grace, 'read');
    await until('the first attempt', async () => (await attemptsOf()) === 1);
    service.advance(73 * 60 * MINUTE_MS);
    await until('it is dropped', async () => (await queued(service)) === 0);
    assert.equal(office.mails.length, 0);
  });

  it('sends when the server works again', async () => {
    const { ada, grace } = await people('ada', 'grace');
    const path = await makeDocument(ada, 'plans');
    await office.close();
    await invite(ada, path, grace, 'read');
    await until('a failed attempt', async () => (await attemptsOf()) === 1);
    office = await openPostOffice(office.port);
    service.advance(2 * MINUTE_MS);
    assert.match((await office.waitFor(1)).subject ?? '', /invited you/);
  });

  async function attemptsOf(): Promise<number> {
    const { read } = service.app.context.sql;
    const row = await read
      .selectFrom('mail')
      .where('kind', '<>', 'digest')
      .select('attempts')
      .executeTakeFirst();
    return row?.attempts ?? 0;
  }
});

describe('Without a mail server', () => {
  it('nothing is queued', async () => {
    const silent = await startService();
    try {
      const ada = await silent.user('ada');
      const grace = await silent.user('grace');
      const path = await makeDocument(ada, 'plans');
      await collaborate(ada, path, grace, 'read');
      await comment(ada, path, '@grace');
      await eventsPlaced(silent);
      assert.equal(await queued(silent), 0);
      assert.equal((await grace.get('/user/inbox')).data.length, 1);
      assert.equal((await fetch(`${silent.webUrl}/unsubscribe/x`)).status, 404);
    } finally {
      await silent.stop();
    }
  });
});
