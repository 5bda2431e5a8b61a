import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { createToken } from '../../src/core/identity/token-service.ts';
import { assertError, type Client, startService } from '../harness.ts';
import { eventsPlaced, openPostOffice, sendAll, verify } from '../mail/post-office.ts';
import { connect } from '../mcp/agent.ts';
import { collaborate, expectStatus } from '../rest/scenario.ts';
import { formWith, submit, toastOf, undo } from '../web-app/forms.ts';
import { makePerson } from '../web-app/world.ts';

/** In everything that was written before the document was opened to readers. */
const SECRET = /secret[a-z]+/gi;

const replace = (old: string, by: string) => ({ op: 'replace', old, new: by });

let made = 0;

const office = await openPostOffice();
const service = await startService(office.settings);
const ada = await makePerson(service, 'ada');
const grace = await makePerson(service, 'grace');
const eve = await makePerson(service, 'eve');
await verify(service, 'eve');
const { context } = service.app;
const wanted = { username: 'ada', name: 'secrettoken', lifetimeMs: undefined };
const { token } = await createToken(context, wanted);
/** Ada, with a token that has a secret name. */
const early = { ...service.client(token), username: 'ada' };
const agent = await connect(service, eve.client.token);
after(async () => {
  await agent.close();
  await service.stop();
  await office.close();
});

const made201 = async (answer: Promise<{ status: number; text: string }>) =>
  expectStatus(answer as ReturnType<Client['post']>, 201);

/** A document with a private past, and its threads from that time. */
interface Past {
  path: string;
  name: string;
  threads: string[];
}

/** Writes a document with every kind of private text, and replaces its text. */
async function writePast(): Promise<Past> {
  const name = `report-${++made}`;
  const path = `/briefs/ada/${name}`;
  const content = '# Report\n\nThe client is Secretbank.\n\nSecretline.\n';
  await made201(early.post('/user/briefs', { name, content, visibility: 'private' }));
  const edit = (edits: object[], message: string) =>
    expectStatus(early.post(`${path}/edits`, { edits, message }), 200);
  await edit([replace('Secretline', 'Secretlines')], 'secretmessage');
  await collaborate(ada.client, path, { ...grace.client, username: 'grace' }, 'write');
  const open = async (body: object) => (await made201(early.post(`${path}/threads`, body))).data.id;
  const on = { quote: 'Secretbank' };
  const threads = [
    await open({ body: 'Is secretname right?' }),
    await open({ body: 'Here.', on }),
    await open({ on, replacement: 'Secretother' }),
  ];
  const edits = [replace('Secretlines', 'Secretproposal')];
  const proposed = await made201(
    early.post(`${path}/edits`, { edits, propose: true, message: 'secretreason' }),
  );
  threads.push(proposed.data.id);
  const resolved = await open({ body: 'secretclosed' });
  await expectStatus(ada.client.patch(`${path}/threads/${resolved}`, { state: 'resolved' }), 200);
  threads.push(resolved);
  await expectStatus(early.put(`${path}/reviewers/grace`, { note: 'secretnote' }), 204);
  const review = { verdict: 'changes_requested', revision: 2, body: 'secretreview' };
  await made201(early.post(`${path}/reviews`, review));
  await edit([replace('Secretbank', 'a bank'), replace('Secretlines', 'End')], 'secretremoved');
  service.advance(1_000);
  return { path, name, threads };
}

/** What insiders write about the past after the document was opened. */
async function writeLater({ path, threads }: Past): Promise<void> {
  service.advance(1_000);
  const [first] = threads;
  const reply = { body: '@eve secretreply' };
  await made201(grace.client.post(`${path}/threads/${first}/comments`, reply));
  const on = { quote: 'Secretbank', revision: 1 };
  threads.push(
    (await made201(grace.client.post(`${path}/threads`, { body: '@eve later', on }))).data.id,
  );
}

/** Everything that a reader gets about the document, by place. */
async function everythingFor(past: Past, link?: string): Promise<Record<string, string>> {
  const { path, name, threads } = past;
  const { client, visitor } = eve;
  const places: Record<string, string> = {};
  const rest = [
    '',
    '/threads?state=all',
    '/reviews',
    '/revisions',
    '/revisions/3',
    '/review-settings',
    ...threads.flatMap((id) => [`/threads/${id}`, `/threads/${id}/proposal`]),
  ];
  for (const below of rest) places[`GET ${below}`] = (await client.get(path + below)).text;
  await eventsPlaced(service);
  places['own events'] = (await client.get('/user/events?after=0')).text;
  places.inbox = (await client.get('/user/inbox')).text;
  places['inbox in the app'] = (await visitor.get('/inbox')).text;
  for (const at of ['read', 'history', 'review']) {
    places[`/${at}`] = (await visitor.get(`/${at}/ada/${name}`)).text;
  }
  for (const id of threads) {
    places[`/propose ${id}`] = (await visitor.get(`/propose/ada/${name}?thread=${id}`)).text;
  }
  if (link !== undefined) places.link = (await visitor.get(new URL(link).pathname)).text;
  const of = { kind: 'brief', owner: 'ada', name };
  const reading = { ...of, view: 'threads', state: 'all' };
  places['tool, threads'] = (await agent.call('read_document', reading)).text;
  places['tool, history'] = (await agent.call('read_document', { ...of, view: 'history' })).text;
  for (const thread of threads) {
    places[`tool, ${thread}`] = (await agent.call('read_document', { ...reading, thread })).text;
  }
  return places;
}

/** Finds secret words, by place. */
function secretsIn(places: Record<string, string>): Record<string, string[]> {
  const found = Object.entries(places).map(([place, text]) => [place, text.match(SECRET) ?? []]);
  return Object.fromEntries(found.filter(([, words]) => (words as string[]).length > 0));
}

/** Asserts that a reader can do nothing with old threads. */
async function assertOutOfReach({ path, threads }: Past): Promise<void> {
  for (const id of threads) {
    const acts = [
      eve.client.post(`${path}/threads/${id}/comments`, { body: 'x' }),
      eve.client.patch(`${path}/threads/${id}`, { state: 'resolved' }),
    ];
    for (const answer of await Promise.all(acts)) assertError(answer, 404, 'NOT_FOUND', /^thread/);
    const rejected = await eve.client.post(`${path}/suggestions/reject`, {
      threads: [id],
      revision: 1,
    });
    assertError(rejected, 422, 'UNPROCESSABLE', /there is no thread/);
  }
}

const OPENINGS: Record<string, (past: Past) => Promise<string | undefined>> = {
  'becomes public, for commenting readers': async ({ path }) => {
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    service.advance(1_000);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    return undefined;
  },
  'lets readers comment after it has become public': async ({ path }) => {
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    service.advance(1_000);
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    return undefined;
  },
  'gets a link that allows commenting': async ({ path }) =>
    (await made201(ada.client.post(`${path}/links`, { access: 'comment' }))).data.url,
};

describe('Text from before a document was opened', () => {
  for (const [opening, open] of Object.entries(OPENINGS)) {
    it(`isn’t shown anywhere when it ${opening}`, async () => {
      const past = await writePast();
      const { path } = past;
      const isPublic = (url: string | undefined) => url === undefined;
      const url = await open(past);
      if (isPublic(url)) {
        await expectStatus(eve.client.put(`${path}/subscription`, { level: 'all' }), 204);
      }
      await writeLater(past);
      const fresh = (await made201(grace.client.post(`${path}/threads`, { body: 'Welcome!' })))
        .data;
      const places = await everythingFor(past, url);
      assert.deepEqual(secretsIn(places), {});
      const shown = isPublic(url) ? 'GET /threads?state=all' : 'link';
      assert.match(places[shown] as string, /Welcome!/, 'newer threads are shown');
      if (isPublic(url)) {
        await assertOutOfReach(past);
        const { data } = await eve.client.get('/user/inbox');
        const ofThis = data.filter(
          ({ fullName, thread }: { fullName: string; thread: string | null }) =>
            fullName === `ada/${past.name}` && thread !== null,
        );
        assert.deepEqual(
          ofThis.map(({ thread }: { thread: string }) => thread),
          [fresh.id],
        );
        const reply = { body: 'Thanks' };
        await made201(eve.client.post(`${path}/threads/${fresh.id}/comments`, reply));
      }
      // Insiders see everything.
      const { data } = await grace.client.get(`${path}/threads?state=all&per_page=100`);
      const ids = data.map(({ id }: { id: string }) => id);
      assert.deepEqual(ids.toSorted(), [...past.threads, fresh.id].toSorted());
      const history = await grace.client.get(`${path}/revisions`);
      assert.match(history.text, /secretmessage.*secrettoken|secrettoken.*secretmessage/s);
    });
  }

  it('isn’t mailed', async () => {
    const past = await writePast();
    await OPENINGS['becomes public, for commenting readers']?.(past);
    office.mails.length = 0;
    await writeLater(past);
    await made201(grace.client.post(`${past.path}/threads`, { body: '@eve Welcome!' }));
    await sendAll(service);
    const mails = office.mails.filter(({ recipients }) => recipients.includes('eve@example.com'));
    assert.equal(mails.length, 1);
    assert.match(mails[0]?.raw ?? '', /Welcome/);
    assert.doesNotMatch(mails[0]?.raw ?? '', SECRET);
  });

  it('stays hidden after each time that it was private', async () => {
    const past = await writePast();
    const { path } = past;
    await OPENINGS['becomes public, for commenting readers']?.(past);
    await expectStatus(ada.client.patch(path, { visibility: 'private' }), 200);
    const on = { quote: 'bank' };
    await made201(early.post(`${path}/threads`, { body: 'secretagain', on }));
    service.advance(1_000);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    const edited = { edits: [replace('a bank', 'a big bank')], message: 'Hello' };
    await expectStatus(ada.client.post(`${path}/edits`, edited), 200);
    assert.deepEqual(secretsIn(await everythingFor(past)), {});
    const { data } = await eve.client.get(`${path}/revisions`);
    assert.deepEqual(
      data.map(({ message }: { message: string | null }) => message),
      ['Hello', null, null, null, null, null, null],
    );
  });

  it('isn’t moved into the thread of a reader, who sees their own threads', async () => {
    const past = await writePast();
    const { path } = past;
    await OPENINGS['becomes public, for commenting readers']?.(past);
    const { id } = (await made201(eve.client.post(`${path}/threads`, { body: 'Hi' }))).data;
    const moved = { on: { quote: 'Secretbank', revision: 1 } };
    const refused = await grace.client.patch(`${path}/threads/${id}`, moved);
    assertError(refused, 422, 'UNPROCESSABLE', /^on.revision/);
    // Once they are closed out and let in again, they still see what they wrote.
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'off' }), 200);
    service.advance(1_000);
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    const { data } = await eve.client.get(`${path}/threads`);
    assert.deepEqual(
      data.map((thread: { id: string }) => thread.id),
      [id],
    );
  });

  it('isn’t shown to readers whose own threads insiders answered', async () => {
    const past = await writePast();
    const { path, name } = past;
    await OPENINGS['becomes public, for commenting readers']?.(past);
    await expectStatus(eve.client.put(`${path}/subscription`, { level: 'all' }), 204);
    const { id } = (await made201(eve.client.post(`${path}/threads`, { body: 'Hi' }))).data;
    const answer = async (body: string) =>
      (await made201(early.post(`${path}/threads/${id}/comments`, { body }))).data.id;
    await expectStatus(ada.client.patch(path, { visibility: 'private' }), 200);
    const hidden = await answer('secretanswer');
    service.advance(1_000);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    const comment = `${path}/threads/${id}/comments/${hidden}`;
    assertError(await eve.client.delete(comment), 404, 'NOT_FOUND', /^comment/);
    const later = { body: 'Welcome back' };
    await made201(ada.client.post(`${path}/threads/${id}/comments`, later));
    const places = await everythingFor({ ...past, threads: [...past.threads, id] });
    assert.deepEqual(secretsIn(places), {});
    const shown = ['GET /threads?state=all', 'inbox in the app', '/read', `tool, ${id}`];
    for (const place of shown) assert.match(places[place] as string, /Welcome back/, place);
    const { data } = await eve.client.get(`${path}/threads/${id}`);
    const bodies = data.comments.map(({ body }: { body: string }) => body);
    assert.deepEqual(bodies, ['Hi', 'Welcome back']);
    assert.match((await ada.visitor.get(`/read/ada/${name}`)).text, /secretanswer/);
  });
});

describe('Earlier threads', () => {
  const settings = async (path: string) =>
    (await expectStatus(ada.client.get(`${path}/review-settings`), 200)).data;
  const count = async (path: string) =>
    (await expectStatus(eve.client.get(`${path}/threads?state=all`), 200)).data.length;

  it('are shown and hidden by admins', async () => {
    const past = await writePast();
    const { path, threads } = past;
    await OPENINGS['becomes public, for commenting readers']?.(past);
    const { threadsSince } = await settings(path);
    assert.match(threadsSince, /^2\d{3}-/);
    assert.equal(await count(path), 0);
    const change = (client: Client, since: string | null) =>
      client.patch(`${path}/review-settings`, { threadsSince: since });
    for (const client of [grace.client, eve.client]) {
      assertError(await change(client, null), 403, 'FORBIDDEN');
    }
    assertError(await change(ada.client, 'yesterday'), 400, 'BAD_REQUEST', /^threadsSince/);
    assertError(await change(ada.client, '2999-01-01'), 400, 'BAD_REQUEST', /^threadsSince/);
    await expectStatus(change(ada.client, null), 200);
    assert.equal(await count(path), threads.length);
    await expectStatus(change(ada.client, threadsSince), 200);
    assert.equal(await count(path), 0);
    // What the request says counts, also for opening.
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'off' }), 200);
    const both = { comments: 'readers', threadsSince: null };
    await expectStatus(ada.client.patch(`${path}/review-settings`, both), 200);
    assert.equal(await count(path), threads.length);
  });

  it('of a protected document are shown only by an admin in the web app', async () => {
    const past = await writePast();
    const { path, name, threads } = past;
    await OPENINGS['becomes public, for commenting readers']?.(past);
    await expectStatus(ada.client.patch(`${path}/review-settings`, { protected: true }), 200);
    const { threadsSince } = await settings(path);
    for (const since of [null, '2020-01-01']) {
      const shown = ada.client.patch(`${path}/review-settings`, { threadsSince: since });
      assertError(await shown, 403, 'FORBIDDEN', /protected/);
    }
    const both = { comments: 'readers', threadsSince: null };
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'off' }), 200);
    assertError(await ada.client.patch(`${path}/review-settings`, both), 403, 'FORBIDDEN');
    await expectStatus(ada.client.patch(`${path}/review-settings`, { comments: 'readers' }), 200);
    assert.notEqual((await settings(path)).threadsSince, threadsSince);
    const share = await ada.visitor.get(`/share/ada/${name}`);
    const form = formWith(share, 'Show earlier threads');
    await submit(ada.visitor, form.action, form.fields);
    assert.equal(await count(path), threads.length);
  });

  it('are counted for whoever opens the document, who can show them', async () => {
    const past = await writePast();
    const { path, name, threads } = past;
    const share = `/share/ada/${name}`;
    assert.doesNotMatch((await ada.visitor.get(share)).text, /earlier/);
    const readers = { comments: 'readers', from: 'insiders' };
    await submit(ada.visitor, `${share}/comments`, readers);
    const opened = {
      visibility: 'public',
      from: 'private',
      revision:
        (await ada.client.get(`/briefs/ada/${share.split('/').pop()}`)).headers.get('x-revision') ??
        '',
    };
    const page = await submit(ada.visitor, `${share}/visibility`, opened);
    assert.match(toastOf(page), /5 earlier threads stay hidden from readers\.$/);
    assert.match(page.text, /Readers see threads opened since .*5 earlier ones are hidden\./s);
    const { action, fields } = formWith(page, 'Show them');
    const shown = await submit(ada.visitor, action, fields);
    assert.equal(toastOf(shown), 'Readers see all threads.');
    assert.doesNotMatch(shown.text, /earlier/);
    assert.equal(await count(path), threads.length);
    const hidden = await undo(ada.visitor, shown);
    assert.match(hidden.text, /5 earlier ones are hidden/);
    assert.equal(await count(path), 0);
    // Also after the other opening, and in the editor.
    await submit(ada.visitor, `${share}/comments`, { comments: 'off', from: 'readers' });
    const again = await submit(ada.visitor, `${share}/comments`, { ...readers, from: 'off' });
    assert.match(toastOf(again), /5 earlier threads stay hidden/);
    await submit(ada.visitor, `${share}/visibility`, { visibility: 'private', from: 'public' });
    const linked = await submit(ada.visitor, `${share}/links`, {
      access: 'comment',
      ends: 'never',
    });
    assert.match(toastOf(linked), /5 earlier threads stay hidden from readers\.$/);
    assert.equal(formWith(linked, 'Show earlier threads').action, `${share}/threads`);
  });
});
