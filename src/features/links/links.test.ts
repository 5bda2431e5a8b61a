import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { PNG, uploadForm } from '../../../test/files/samples.ts';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  startService,
} from '../../../test/harness.ts';
import { collaborate, expectStatus } from '../../../test/rest/scenario.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { formsOf, submit } from '../../../test/web-app/forms.ts';
import { makePerson } from '../../../test/web-app/world.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { rotateAuthorizationKeys } from '../../core/identity/key-service.ts';
import { sweepLinks } from './link-service.ts';

const HTML = { accept: 'text/html' };

describe('Secret links', async () => {
  let made = 0;

  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];
  await ada.client.post('/user/briefs', {
    name: 'other',
    content: 'Other',
    visibility: 'private',
  });

  async function makeDocument(kind: 'briefs' | 'pages', text: string): Promise<string> {
    const name = `plan-${++made}`;
    const field = kind === 'briefs' ? 'content' : 'html';
    const body = { name, [field]: text, visibility: 'private' };
    await expectStatus(ada.client.post(`/user/${kind}`, body), 201);
    return `/${kind}/ada/${name}`;
  }

  async function link(document: string, body: object = { access: 'read' }) {
    const { data } = await expectStatus(ada.client.post(`${document}/links`, body), 201);
    return data as { id: string; url: string; expiresAt: string | null };
  }

  const open = async (url: string, headers = {}, init: RequestInit = {}): Promise<Answer> =>
    readAnswer(await fetch(url, { redirect: 'manual', headers, ...init }));

  /** Asserts that an address responds like a link that never existed, to programs and people. */
  async function assertEnded(url: string): Promise<void> {
    const never = `${service.webUrl}/s/${'n'.repeat(32)}`;
    for (const headers of [{}, HTML]) {
      const [one, other] = [await open(url, headers), await open(never, headers)];
      assert.equal(one.status, 404);
      assert.equal(one.text, other.text);
      const namesOf = ({ headers }: Answer) => [...headers.keys()].sort();
      assert.deepEqual(namesOf(one), namesOf(other));
      assert.equal(one.headers.get('cache-control'), 'no-store');
    }
  }

  it('open a brief for anyone: Markdown for programs, HTML for people', async () => {
    const document = await makeDocument('briefs', '# Plan\n\nThe *secret* plan.\n');
    const { url } = await link(document);
    assert.match(url, new RegExp(`^${service.webUrl}/s/[\\w-]{32}$`));
    for (const [address, headers] of [
      [url, {}],
      [`${url}.md`, HTML],
      [`${url}?format=md`, HTML],
    ] as const) {
      const answer = await open(address, headers);
      assert.equal(answer.text, '# Plan\n\nThe *secret* plan.\n');
      assert.match(answer.headers.get('content-type') ?? '', /^text\/markdown/);
    }
    const page = await open(url, HTML);
    assert.equal(page.status, 200);
    assert.match(page.text, /<em>secret<\/em>/);
    assert.doesNotMatch(page.text, /\/history\/|\/read\/|\/share\/|other/);
    for (const { headers } of [page, await open(url)]) {
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('etag'), null);
    }
    // Who can read it anyway gets the app, which shows what they can do.
    const own = await ada.visitor.get(new URL(url).pathname);
    const read = document.replace('/briefs', '/read');
    assert.deepEqual([own.status, own.headers.get('location')], [303, read]);
    assert.equal(own.headers.get('cache-control'), 'private, no-store');
    assert.equal((await grace.visitor.get(new URL(url).pathname)).status, 200);
    // The link opens nothing else: not the document's address, history or raw text.
    for (const path of ['', '@1', '.md']) {
      assert.equal(
        (await open(service.webUrl + document.slice('/briefs'.length) + path)).status,
        404,
      );
    }
    assert.equal((await open(url, HTML, { method: 'POST' })).status, 403);
  });

  it('show the document’s images and its current text', async () => {
    const form = uploadForm({ bytes: PNG, name: 'dot.png', type: 'image/png' });
    const file = await ada.client.request('/user/files', { method: 'POST', ...form });
    const document = await makeDocument('briefs', `![Dot](${file.data.url})\n`);
    const { url } = await link(document);
    const { text } = await open(url, HTML);
    const [, source = ''] = /<img[^>]* src="([^"]+)"/.exec(text) ?? [];
    assert.equal((await open(source)).headers.get('content-type'), 'image/png');
    await expectStatus(ada.client.patch(document, { content: 'Changed', name: 'renamed' }), 200);
    assert.equal((await open(url)).text, 'Changed');
  });

  it('open a page in its sandbox, no longer than the link is valid', async () => {
    const document = await makeDocument('pages', '<title>Dice</title><p>Six');
    const expiresAt = new Date(Date.parse(service.app.context.now()) + 60_000).toISOString();
    const { id, url } = await link(document, { access: 'read', expiresAt });
    const frame = await open(url, HTML);
    const [, source = ''] = /<iframe[^>]* src="([^"]+)"/.exec(frame.text) ?? [];
    const signed = source.replaceAll('&amp;', '&');
    assert.ok(Number(new URL(signed).searchParams.get('exp')) * 1000 <= Date.parse(expiresAt));
    const shown = await open(signed);
    assert.match(shown.text, /<p>Six/);
    assert.equal(shown.headers.get('cache-control'), 'private, no-store');
    const program = await open(url);
    assert.equal(program.status, 303);
    assert.match((await open(program.headers.get('location') ?? '')).text, /<p>Six/);
    // Revoked while the frame is open.
    await expectStatus(ada.client.delete(`${document}/links/${id}`), 204);
    assert.equal((await open(signed)).status, 404);
    await assertEnded(url);
  });

  it('let signed-in people comment on a page, no longer than the link is valid', async () => {
    const document = await makeDocument('pages', '<title>Dice</title><p>Six dice</p>');
    const [commenting, reading] = [
      await link(document, { access: 'comment' }),
      await link(document),
    ];
    await expectStatus(ada.client.post(`${document}/threads`, { body: 'From *inside*' }), 201);
    const [path, readPath] = [commenting, reading].map(({ url }) => new URL(url).pathname) as [
      string,
      string,
    ];
    const frameOf = ({ text }: Answer) =>
      /<iframe[^>]* src="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const stranger = await newVisitor(service).get(path);
    assert.doesNotMatch(stranger.text, /inside/);
    assert.doesNotMatch(frameOf(stranger), /review=1/);
    assert.match(stranger.text, new RegExp(`/sign-in\\?next=${encodeURIComponent(path)}`));
    const readOnly = await grace.visitor.get(readPath);
    assert.doesNotMatch(readOnly.text, /inside|sign-in|<form[^>]*thread-form/);
    const page = await grace.visitor.get(path);
    assert.match(page.text, /<em>inside<\/em>/);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'private, no-store');
    const framed = frameOf(page);
    assert.match(framed, /&review=1&sig=/);
    assert.match((await open(framed)).text, /<p>Six dice<\/p>/);
    // Forms of pages without a referrer send this.
    const sent = await grace.visitor.post(
      path,
      { act: 'open', body: 'From outside', quote: 'Six dice', element: 'p:1' },
      { origin: 'null' },
    );
    assert.equal(sent.status, 303, sent.text);
    // The comments script is redirected to the page, not to its HTML on another host.
    const shown = await grace.visitor.get(path, { accept: 'application/json' });
    assert.match(shown.text, /From outside/);
    const threads = async () => (await ada.client.get(`${document}/threads`)).data;
    const [said] = await threads();
    assert.deepEqual([said.comments[0].author, said.on.quote], ['grace', 'Six dice']);
    const name = document.slice('/pages/ada'.length);
    assert.equal((await grace.visitor.get(`/read/ada/pages${name}`)).status, 404);
    assertError(await grace.client.get(`${document}/threads`), 404, 'NOT_FOUND');
    const before = await threads();
    await grace.visitor.post(readPath, { act: 'open', body: 'Through the other' });
    await expectStatus(ada.client.delete(`${document}/links/${commenting.id}`), 204);
    assert.equal((await grace.visitor.post(path, { act: 'open', body: 'Late' })).status, 404);
    assert.equal((await open(framed)).status, 404);
    assert.deepEqual(await threads(), before);
  });

  it('end when they are revoked or expire, or the document is deleted, even if it is restored', async () => {
    const document = await makeDocument('briefs', 'Plan');
    const { data } = await ada.client.get(document);
    const [revoked, expiring, deleted] = [
      await link(document),
      await link(document, { access: 'read', expiresAt: in2Days() }),
      await link(document, { access: 'read', note: ' For the printer ' }),
    ];
    await expectStatus(ada.client.delete(`${document}/links/${revoked.id}`), 204);
    await assertEnded(revoked.url);
    const listed = (await expectStatus(ada.client.get(`${document}/links`), 200)).data;
    assert.deepEqual(
      listed.map((each: Record<string, unknown>) => [
        each.id,
        each.note,
        each.expiresAt,
        each.createdByUsername,
      ]),
      [
        [deleted.id, 'For the printer', null, 'ada'],
        [expiring.id, '', expiring.expiresAt, 'ada'],
      ],
    );
    assert.deepEqual(
      listed.map(({ url }: { url: string }) => url),
      [deleted.url, expiring.url],
    );
    service.advance(3 * DAY_MS);
    await assertEnded(expiring.url);
    assert.equal((await ada.client.get(`${document}/links`)).data.length, 1);
    assert.equal(await sweepLinks(service.app.context), 1);
    assert.equal((await open(deleted.url)).status, 200);
    await expectStatus(ada.client.delete(document), 204);
    await assertEnded(deleted.url);
    await expectStatus(ada.client.post(`/trash/${data.id}/restore`, {}), 200);
    await assertEnded(deleted.url);
  });

  const in2Days = () => new Date(Date.parse(service.app.context.now()) + 2 * DAY_MS).toISOString();

  it('end with their creator’s right to share, also in the frame of a page and for comments', async () => {
    const document = await makeDocument('pages', '<title>Dice</title><p>Six dice</p>');
    const creator = { ...grace.client, username: 'grace' };
    await collaborate(ada.client, document, creator, 'admin');
    const body = { access: 'comment' };
    const { data } = await expectStatus(grace.client.post(`${document}/links`, body), 201);
    assert.equal(data.createdByUsername, 'grace');
    const path = new URL(data.url).pathname;
    const page = await open(data.url, HTML);
    const [, source = ''] = /<iframe[^>]* src="([^"]+)"/.exec(page.text) ?? [];
    const framed = source.replaceAll('&amp;', '&');
    assert.equal((await open(framed)).status, 200);
    const comment = () => ada.visitor.post(path, { act: 'open', body: 'Hm' });
    assert.equal((await comment()).status, 303);
    const lower = { permission: 'write' };
    await expectStatus(ada.client.put(`${document}/collaborators/grace`, lower), 204);
    await assertEnded(data.url);
    assert.equal((await open(framed)).status, 404);
    assert.equal((await comment()).status, 404);
    assert.deepEqual((await ada.client.get(`${document}/links`)).data, []);
  });

  it('malformed and mistyped links are like links that never existed', async () => {
    const { url } = await link(await makeDocument('briefs', 'Plan'));
    for (const address of [
      url.slice(0, -1),
      `${url}x`,
      url.replace(/[^/]+$/, (secret) => secret.toUpperCase()),
      `${url}%00`,
    ]) {
      await assertEnded(address);
    }
  });

  it('are created, listed and revoked by people who can share, for documents that aren’t public', async () => {
    const document = await makeDocument('briefs', 'Plan');
    const { id } = await link(document);
    const paths = [`${document}/links`, `${document}/links/${id}`] as const;
    assertError(await grace.client.get(paths[0]), 404, 'NOT_FOUND');
    const invited = await ada.client.put(`${document}/collaborators/grace`, {
      permission: 'write',
    });
    await grace.client.patch(`/user/brief_invitations/${invited.data.id}`);
    assertError(await grace.client.get(paths[0]), 403, 'FORBIDDEN');
    assertError(await grace.client.post(paths[0], { access: 'read' }), 403, 'FORBIDDEN');
    assertError(await grace.client.delete(paths[1]), 403, 'FORBIDDEN');
    const past = { access: 'read', expiresAt: '2020-01-01T00:00:00Z' };
    assertError(await ada.client.post(paths[0], past), 400, 'BAD_REQUEST', /^expiresAt:/);
    const note = { access: 'read', note: 'a\u202eb' };
    assertError(await ada.client.post(paths[0], note), 400, 'BAD_REQUEST', /^note:/);
    const other = await makeDocument('briefs', 'Another');
    assertError(await ada.client.delete(`${other}/links/${id}`), 404, 'NOT_FOUND');
    await expectStatus(ada.client.patch(document, { visibility: 'public' }), 200);
    const refused = await ada.client.post(paths[0], { access: 'read' });
    assertError(refused, 422, 'UNPROCESSABLE', /^visibility:/);
  });

  it('let signed-in people comment, no longer than the link is valid', async () => {
    const document = await makeDocument('briefs', '# Plan\n\nThe plan.\n');
    const { id, url } = await link(document, { access: 'comment' });
    await expectStatus(ada.client.post(`${document}/threads`, { body: 'From *inside*' }), 201);
    const reading = await link(document);
    const path = new URL(url).pathname;
    const stranger = await newVisitor(service).get(path);
    assert.doesNotMatch(stranger.text, /inside/);
    assert.match(stranger.text, new RegExp(`/sign-in\\?next=${encodeURIComponent(path)}`));
    assert.doesNotMatch((await grace.visitor.get(new URL(reading.url).pathname)).text, /inside/);
    const page = await grace.visitor.get(path);
    assert.match(page.text, /<em>inside<\/em>/);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.ok(formsOf(page).some(({ action }) => action === path));
    // As sent by a page without a referrer.
    const sent = await grace.visitor.post(
      path,
      { act: 'open', body: 'From outside', quote: 'The plan' },
      { origin: 'null' },
    );
    assert.equal(sent.status, 303);
    assert.ok(sent.headers.get('location')?.startsWith(`${path}#thread-`));
    const { data } = await ada.client.get(`${document}/threads`);
    assert.equal(data[0].comments[0].author, 'grace');
    const reply = { act: 'reply', thread: data[1].id, body: 'Again' };
    await submit(grace.visitor, path, reply);
    // The link only allows commenting, and only there.
    await submit(grace.visitor, path, { act: 'accept', thread: data[0].id });
    const name = document.slice('/briefs'.length);
    assert.equal((await grace.visitor.get(`/read${name}`)).status, 404);
    assert.equal((await grace.visitor.get(`/history${name}`)).status, 404);
    assertError(await grace.client.get(`${document}/threads`), 404, 'NOT_FOUND');
    const through = await grace.visitor.post(new URL(reading.url).pathname, reply);
    assert.equal(through.status, 303);
    await expectStatus(ada.client.patch(`${document}/review-settings`, { comments: 'off' }), 200);
    const before = (await ada.client.get(`${document}/threads`)).data;
    await grace.visitor.post(path, { act: 'open', body: 'Off' });
    await expectStatus(ada.client.delete(`${document}/links/${id}`), 204);
    assert.equal((await grace.visitor.post(path, { act: 'open', body: 'Late' })).status, 404);
    assert.deepEqual((await ada.client.get(`${document}/threads`)).data, before);
    assert.deepEqual(
      before.map(({ comments }: { comments: object[] }) => comments.length),
      [1, 2],
    );
  });

  it('refuse forms of other sites, even with a hidden origin', async () => {
    const { url } = await link(await makeDocument('briefs', 'Plan'), { access: 'comment' });
    const form = { act: 'open', body: 'Forged' };
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      const headers = { origin: 'null', 'sec-fetch-site': site };
      const answer = await grace.visitor.post(new URL(url).pathname, form, headers);
      assert.equal(answer.status, 403, site);
    }
  });

  it('can be copied again by who may create them, also after keys were rotated', async () => {
    const document = await makeDocument('briefs', 'Plan');
    const { id, url } = await link(document);
    const { context } = service.app;
    const row = () =>
      context.sql.read
        .selectFrom('document_link')
        .where('id', '=', id)
        .selectAll()
        .executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(await row()).includes(url.slice(-32)), 'it is stored sealed');
    const urlsOf = async (client: Client) =>
      (await expectStatus(client.get(`${document}/links`), 200)).data.map(
        (each: { url: string | null }) => each.url,
      );
    assert.deepEqual(await urlsOf(ada.client), [url]);
    for (let round = 0; round < 3; round++) await rotateAuthorizationKeys(context);
    assert.deepEqual(await urlsOf(ada.client), [url]);
    await collaborate(ada.client, document, { ...grace.client, username: 'grace' }, 'write');
    assertError(await grace.client.get(`${document}/links`), 403, 'FORBIDDEN');
    // As made before secrets were kept.
    await context.sql.transaction((tx) =>
      tx.updateTable('document_link').set({ sealedSecret: null }).where('id', '=', id).execute(),
    );
    assert.deepEqual(await urlsOf(ada.client), [null]);
    assert.equal((await open(url)).status, 200);
    const other = await link(document);
    assert.deepEqual(await urlsOf(ada.client), [other.url, null]);
    // A program can't create links to a protected document.
    await expectStatus(ada.client.patch(`${document}/review-settings`, { protected: true }), 200);
    assert.deepEqual(await urlsOf(ada.client), [null, null]);
  });

  describe('with a password', () => {
    const password = 'walnut pie';
    const basic = (text: string) => ({
      authorization: `Basic ${Buffer.from(text).toString('base64')}`,
    });

    it('ask people and programs for it, and show nothing before', async () => {
      const document = await makeDocument('briefs', '# Plan\n\nThe walrus plan.\n');
      const created = await link(document, { access: 'comment', password });
      const { url } = created;
      assert.equal((created as { hasPassword?: boolean }).hasPassword, true);
      const name = document.split('/').at(-1) as string;
      const program = await open(url);
      assert.equal(program.status, 401);
      assert.match(program.headers.get('www-authenticate') ?? '', /^Basic /);
      const path = new URL(url).pathname;
      for (const visitor of [newVisitor(service), grace.visitor]) {
        const page = await visitor.get(path);
        for (const { text } of [program, page]) {
          assert.doesNotMatch(text, new RegExp(`walrus|Plan|ada|${name}`));
        }
        assert.equal(page.status, 200);
        const [form] = formsOf(page).filter(({ action }) => action === `${path}/password`);
        assert.ok(form);
        assert.equal((await visitor.get(`${path}.md`)).status, 401);
        const comment = await visitor.post(path, { act: 'open', body: 'Hm' });
        assert.equal(comment.status, 303);
        const wrong = await visitor.post(form.action, { password: 'walnut cake' });
        assert.equal(wrong.status, 422);
        assert.match(wrong.text, /not the link’s password/);
        const right = await visitor.post(form.action, { password }, { origin: 'null' });
        assert.equal(right.headers.get('location'), path);
        assert.match((await visitor.get(path)).text, /The walrus plan/);
        assert.match((await visitor.get(`${path}.md`)).text, /walrus/);
      }
      assert.deepEqual((await ada.client.get(`${document}/threads`)).data, []);
      const given = { act: 'open', body: 'From outside' };
      assert.equal((await grace.visitor.post(path, given)).status, 303);
      assert.match((await open(url, basic(`any:${password}`))).text, /walrus/);
      assert.equal((await open(url, basic(`${password}:`))).status, 401);
      // Another link's password opens nothing.
      const other = await link(document, { access: 'read', password: 'pecan tart' });
      assert.equal((await newVisitor(service).get(new URL(other.url).pathname)).status, 200);
      assert.doesNotMatch((await grace.visitor.get(new URL(other.url).pathname)).text, /walrus/);
    });

    it('limit attempts from one address', async () => {
      const { url } = await link(await makeDocument('briefs', 'Plan'), {
        access: 'read',
        password,
      });
      for (let index = 0; index < 10; index++) {
        assert.equal((await open(url, basic(':wrong one'))).status, 401);
      }
      const late = await open(url, basic(`:${password}`));
      assert.equal(late.status, 429);
      assert.doesNotMatch(late.text, /Plan/);
      const form = await newVisitor(service).post(`${new URL(url).pathname}/password`, {
        password,
      });
      assert.equal(form.status, 429);
    });

    it('redirect programs to a page’s HTML only with it', async () => {
      const document = await makeDocument('pages', '<title>Dice</title><p>Six');
      const { url } = await link(document, { access: 'read', password });
      assert.equal((await open(url)).status, 401);
      assert.doesNotMatch((await open(url, HTML)).text, /iframe|Dice/);
      assert.equal((await open(url, basic(`:${password}`))).status, 303);
    });

    it('refuse passwords that are guessed at once', async () => {
      const document = await makeDocument('briefs', 'Plan');
      for (const weak of ['short', 'password1']) {
        const body = { access: 'read', password: weak };
        const answer = await ada.client.post(`${document}/links`, body);
        assertError(answer, 422, 'UNPROCESSABLE', /^password:/);
      }
    });
  });

  it('are limited per document', async () => {
    const document = await makeDocument('briefs', 'Plan');
    const client: Client = ada.client;
    for (let index = 0; index < 50; index++) await link(document);
    assertError(await client.post(`${document}/links`, { access: 'read' }), 422, 'UNPROCESSABLE');
  });
});
