import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { DOCUMENT_ACTS } from '../../src/core/document/addresses.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { type Answer, assertError, type Client, readAnswer, startService } from '../harness.ts';
import {
  ALL_KINDS,
  collaborate,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../rest/scenario.ts';
import { newVisitor, signUp, type Visitor } from '../sign-in/visitor.ts';

const ID = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';
const json = { 'content-type': 'application/json' };

/** The forms of a document's screens. */
const THREAD_ACTS = ['open', 'reply', 'resolve', 'accept', 'edit', 'delete', 'place', 'begin', 'x'];

/** Requests with faults that could be reported before, or instead of, NOT_FOUND. */
interface Probe {
  name: string;
  method: string;
  /** The path below the document's. */
  below: string;
  headers?: Record<string, string>;
  body?: string;
}

const READS: Probe[] = [
  '',
  '/collaborators',
  '/collaborators?per_page=0',
  '/collaborators?page=x',
  '/collaborators?per_page=1&per_page=2',
  '/collaborators/keeper/permission',
  '/collaborators/nobody/permission',
  '/collaborators/%00/permission',
  '/invitations',
  '/invitations?per_page=101',
  '/invitations?page=-1',
  '/threads',
  '/threads?state=x',
  `/threads/${ID}/proposal`,
  '/reviews',
  '/review-settings',
  '/events',
].map((below) => ({ name: `GET ${below}`, method: 'GET', below }));

const TARGETS: [method: string, below: string][] = [
  ['PATCH', ''],
  ['PUT', '/collaborators/keeper'],
  ['PUT', '/collaborators/nobody'],
  ['PATCH', `/invitations/${ID}`],
  ['PATCH', '/invitations/x'],
];

/** For comments and reviews. */
const REVIEW_TARGETS: [method: string, below: string][] = [
  ['PATCH', '/review-settings'],
  ['POST', '/threads'],
  ['POST', `/threads/${ID}/comments`],
  ['PATCH', `/threads/${ID}`],
  ['POST', '/suggestions/accept'],
  ['POST', '/suggestions/reject'],
  ['POST', '/reviews'],
  ['PUT', '/reviewers/keeper'],
  ['PUT', '/reviewers/nobody'],
];

const BODIES: [name: string, body: string | undefined, headers: Record<string, string>][] = [
  ['a good body', '{"permission":"read"}', json],
  ['a change', '{"content":"x","name":"y","visibility":"public"}', json],
  ['no body', undefined, {}],
  ['an empty object', '{}', json],
  ['malformed JSON', '{"content":', json],
  ['an array', '[]', json],
  ['a forbidden field name', '{"__proto__":{}}', json],
  ['an unknown field', '{"role":"admin"}', json],
  ['wrong types', '{"content":1,"permission":1,"visibility":1}', json],
  ['an invalid name', '{"name":"a/b"}', json],
  ['a name that is taken', '{"name":"other"}', json],
  ['a visibility that a user cannot give', '{"visibility":"internal"}', json],
  ['another content type', 'content=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['no content type', '{}', { 'content-type': '' }],
  ['a content encoding', 'x', { ...json, 'content-encoding': 'gzip' }],
  ['a media type that is none', '{}', { 'content-type': 'json' }],
  ['too much JSON', `{"content":"${'x'.repeat(1024 * 1024)}"}`, json],
  ['too much content', `{"content":"${'x'.repeat(900 * 1024 + 1)}"}`, json],
];

const SOME_BODIES = BODIES.filter(([name]) =>
  ['a good body', 'no body', 'malformed JSON', 'wrong types'].includes(name),
);

const WRITES: Probe[] = [...writesOf(TARGETS, BODIES), ...writesOf(REVIEW_TARGETS, SOME_BODIES)];

function writesOf(targets: typeof TARGETS, bodies: typeof BODIES): Probe[] {
  return targets.flatMap(([method, below]) =>
    bodies.map(([name, body, headers]) => ({
      name: `${method} ${below} with ${name}`,
      method,
      below,
      headers,
      ...(body !== undefined && { body }),
    })),
  );
}

const DELETIONS: Probe[] = [
  '',
  '/collaborators/keeper',
  '/collaborators/nobody',
  `/invitations/${ID}`,
  '/invitations/x',
].map((below) => ({ name: `DELETE ${below}`, method: 'DELETE', below }));

const CONDITIONS: Probe[] = ['PATCH', 'DELETE', 'GET'].flatMap((method) =>
  ['*', '"x"', 'x', 'W/"x"', '"', ','].map((tag) => ({
    name: `${method} with If-Match: ${tag}`,
    method,
    below: '',
    headers: { 'if-match': tag, 'if-none-match': tag, ...(method === 'PATCH' && json) },
    ...(method === 'PATCH' && { body: '{"name":"x"}' }),
  })),
);

const PROBES = [...READS, ...WRITES, ...DELETIONS, ...CONDITIONS];

/** With fewer faults, for most callers: access is checked before the body. */
const FEWER_PROBES = [
  ...READS,
  ...writesOf([...TARGETS, ...REVIEW_TARGETS], SOME_BODIES),
  ...DELETIONS,
  ...CONDITIONS,
];

/** Fields that identify one request, or the time. */
const VARYING = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The parts of a response that a caller could compare. */
function comparable(answer: Answer): unknown {
  const headers = [...answer.headers].filter(([name]) => !VARYING.includes(name));
  return { status: answer.status, text: answer.text, headers };
}

/** By kind and owner: documents that the callers can't read. */
const hidden = new Map<string, string>();
const callers = new Map<string, Client>();

const service = await startService();
after(() => service.stop());
const keeper = await service.user('keeper');
const cast = await users(service, 'stranger', 'invitee', 'former', 'fellow', 'ex-fellow');
const fellow = cast.fellow;
for (const [name, client] of Object.entries(cast)) callers.set(name, client);
await makeOrganization(keeper, 'guild');
await join(keeper, 'guild', cast.fellow);
await join(keeper, 'guild', cast['ex-fellow']);
await expectStatus(keeper.delete('/orgs/guild/members/ex-fellow'), 204);
for (const kind of ALL_KINDS) {
  for (const org of [undefined, 'guild']) {
    const options = { kind, visibility: 'private', ...(org && { org }) } as const;
    const document = await makeDocument(keeper, 'hidden', options);
    await makeDocument(keeper, 'other', options);
    await invite(keeper, document, cast.invitee, 'admin');
    await collaborate(keeper, document, cast.former, 'admin');
    await expectStatus(keeper.delete(`${document}/collaborators/former`), 204);
    hidden.set(`${kind.kind} of ${org ?? 'keeper'}`, document);
  }
}

describe('Existence leaks: an unreadable document responds exactly like a missing one', () => {
  for (const kind of ALL_KINDS) {
    for (const owner of ['keeper', 'guild']) {
      it(`every route below a ${kind.kind} of ${owner}, with any fault in the request`, async () => {
        const document = hidden.get(`${kind.kind} of ${owner}`) as string;
        const missing = document.replace('hidden', 'absent');
        const { data: before } = await keeper.get(document);
        for (const [name, client] of callers) {
          const probes = name === 'stranger' ? PROBES : FEWER_PROBES;
          for (const { name: probe, method, below, headers = {}, body } of probes) {
            const init = { method, headers, ...(body !== undefined && { body }) };
            const forbidden = await client.request(document + below, init);
            assertError(forbidden, 404, 'NOT_FOUND');
            const absent = await client.request(missing + below, init);
            assert.deepEqual(comparable(forbidden), comparable(absent), `${name}: ${probe}`);
          }
        }
        assert.deepEqual((await keeper.get(document)).data, before);
      });
    }
  }

  it('a missing owner responds like a missing document', async () => {
    for (const kind of ALL_KINDS) {
      const paths = ['keeper/absent', 'nobody/absent', 'guild/absent', 'a--b/absent', 'keeper/%20'];
      const [first, ...rest] = await Promise.all(
        paths.map(async (path) => comparable(await fellow.get(`/${kind.segment}/${path}`))),
      );
      for (const answer of rest) assert.deepEqual(answer, first);
    }
  });

  it('HEAD reveals no more than GET', async () => {
    for (const document of hidden.values()) {
      const missing = document.replace('hidden', 'absent');
      const [forbidden, absent] = await Promise.all(
        [document, missing].map(async (path) => fellow.request(path, { method: 'HEAD' })),
      );
      assert.equal(forbidden?.status, 404);
      assert.deepEqual(comparable(forbidden as Answer), comparable(absent as Answer));
    }
  });
});

describe('Existence leaks: with too little permission, 403 comes before any other error', () => {
  it('every route that needs more than read, with any fault in the request', async () => {
    for (const kind of ALL_KINDS) {
      const document = await makeDocument(keeper, 'legible', { kind });
      const probes = [...WRITES, ...DELETIONS, ...CONDITIONS].filter(
        ({ method, body }) => method !== 'GET' && (body?.length ?? 0) < 1000,
      );
      for (const { name, method, below, headers = {}, body } of probes) {
        const init = { method, headers, ...(body !== undefined && { body }) };
        const answer = await fellow.request(document + below, init);
        assert.equal(answer.status, 403, `${name}: ${answer.text}`);
      }
    }
  });

  it('creating without permission', async () => {
    const stranger = callers.get('stranger') as Client;
    for (const kind of ALL_KINDS) {
      for (const owner of ['users/keeper', 'orgs/guild']) {
        for (const [, body, headers] of BODIES.filter(([, text]) => (text?.length ?? 0) < 1000)) {
          const init = { method: 'POST', headers, ...(body !== undefined && { body }) };
          const answer = await stranger.request(`/${owner}/${kind.segment}`, init);
          assertError(answer, 403, 'FORBIDDEN');
        }
        // A taken name and a free one give the same response.
        for (const name of ['hidden', 'free']) {
          const answer = await stranger.post(
            `/${owner}/${kind.segment}`,
            documentBody(kind, { name }),
          );
          assertError(answer, 403, 'FORBIDDEN');
        }
      }
    }
  });
});

describe('Existence leaks: the trash reveals nothing to others', () => {
  it('another user’s deleted document answers exactly like a missing one, and so does its URL', async () => {
    for (const kind of ALL_KINDS) {
      for (const org of [undefined, 'guild']) {
        const options = { kind, visibility: 'private', ...(org && { org }) } as const;
        const document = await makeDocument(keeper, 'deleted', options);
        await collaborate(keeper, document, callers.get('former') as Client, 'write');
        const { id } = (await keeper.get(document)).data;
        await expectStatus(keeper.delete(document), 204);
        for (const [name, client] of callers) {
          const own = await client.get('/user/trash');
          assert.deepEqual([own.status, own.data], [200, []], name);
          const answers = await Promise.all(
            [id, ID].flatMap((each) => [
              client.post(`/trash/${each}/restore`, { name: 'a/b' }),
              client.delete(`/trash/${each}`),
            ]),
          );
          const [restored, deleted, ...none] = answers.map(comparable);
          assert.equal(answers[0]?.status, 404, name);
          assert.deepEqual([restored, deleted], none, name);
          const [gone, absent] = await Promise.all(
            [document, document.replace('deleted', 'absent')].map((path) => client.get(path)),
          );
          assert.deepEqual(comparable(gone as Answer), comparable(absent as Answer), name);
        }
      }
    }
  });
});

describe('Existence leaks: invitations reveal nothing to others', () => {
  it('another user’s invitation responds exactly like a missing one', async () => {
    for (const document of hidden.values()) {
      const [invitation] = (await keeper.get(`${document}/invitations`)).data;
      for (const [name, client] of callers) {
        if (name === 'invitee') continue;
        for (const method of ['PATCH', 'DELETE']) {
          const [theirs, none] = await Promise.all(
            [invitation.id, ID].map((id) =>
              client.request(`/user/brief_invitations/${id}`, { method }),
            ),
          );
          assertError(theirs as Answer, 404, 'NOT_FOUND');
          assert.deepEqual(comparable(theirs as Answer), comparable(none as Answer));
        }
      }
    }
  });

  it('an invitation under another document’s path responds exactly like a missing one', async () => {
    for (const kind of ALL_KINDS) {
      const own = await makeDocument(fellow, 'own', { kind });
      for (const document of hidden.values()) {
        const [invitation] = (await keeper.get(`${document}/invitations`)).data;
        for (const method of ['PATCH', 'DELETE']) {
          const init = { method, headers: json, body: '{"permission":"admin"}' };
          const [crossed, none] = await Promise.all(
            [invitation.id, ID].map((id) => fellow.request(`${own}/invitations/${id}`, init)),
          );
          assertError(crossed as Answer, 404, 'NOT_FOUND');
          assert.deepEqual(comparable(crossed as Answer), comparable(none as Answer));
        }
      }
    }
  });
});

function restore(cookies: Map<string, string>, to: ReadonlyMap<string, string>): void {
  cookies.clear();
  for (const [name, value] of to) cookies.set(name, value);
}

describe('Existence leaks: comments reveal nothing to others', () => {
  let own: Visitor;
  const visitors = new Map<string, Visitor>();

  before(async () => {
    own = newVisitor(service);
    for (const name of ['stranger', 'ex-fellow']) {
      visitors.set(name, await signUp(service, `web-${name}`));
    }
    visitors.set('nobody', own);
  });

  for (const kind of ALL_KINDS) {
    it(`every address of a ${kind.kind} in the app, with an existing thread`, async () => {
      const document = hidden.get(`${kind.kind} of keeper`) as string;
      const { data } = await expectStatus(
        keeper.post(`${document}/threads`, { body: 'Hidden' }),
        201,
      );
      const { id: thread, comments } = data;
      const fields = { thread, comment: comments[0].id, body: 'x', revision: '1' };
      const place = ['keeper', ...KINDS[kind.kind].webSegments].join('/');
      const script = { accept: 'application/json' };
      for (const [who, visitor] of visitors) {
        const signedIn = new Map(visitor.cookies);
        for (const act of [...DOCUMENT_ACTS]) {
          const gets = ['', '@1', `?thread=${thread}`, '?from=1&to=1'].map(
            (query) => (name: string, headers: Record<string, string>) =>
              visitor.get(`/${act}/${place}/${name}${query}`, headers),
          );
          const posts = THREAD_ACTS.map(
            (what) => (name: string, headers: Record<string, string>) =>
              visitor.post(`/${act}/${place}/${name}`, { act: what, ...fields }, headers),
          );
          for (const [index, send] of [...gets, ...posts].entries()) {
            for (const headers of [{}, script]) {
              const there = await send('hidden', headers);
              // Without the message, which differs.
              restore(visitor.cookies, signedIn);
              const absent = await send('absent', headers);
              restore(visitor.cookies, signedIn);
              const about = `${who}: ${act} ${index}`;
              assert.equal(there.status, absent.status, about);
              assert.equal(there.text.replaceAll('/hidden', '/absent'), absent.text, about);
              const place = there.headers.get('location')?.replaceAll('hidden', 'absent');
              assert.equal(place, absent.headers.get('location') ?? undefined, about);
              assert.notEqual(there.status, 200, about);
            }
          }
        }
      }
      assert.equal((await keeper.get(`${document}/threads`)).data[0].comments.length, 1);
    });
  }

  it('the address of the review frame, unsigned or signed for another page', async () => {
    const document = hidden.get('page of keeper') as string;
    const { id } = (await keeper.get(document)).data;
    const signedUp = visitors.get('stranger') as Visitor;
    const token = await createToken(service.app.context, {
      username: 'web-stranger',
      name: 'own',
      lifetimeMs: undefined,
    });
    const made = await expectStatus(
      service.client(token.token).post('/user/pages', { name: 'own', html: '<p>Own' }),
      201,
    );
    const { text } = await signedUp.get('/read/web-stranger/pages/own');
    const [, source = ''] = /<iframe[^>]* src="([^"]+)"/.exec(text) ?? [];
    const framed = source.replaceAll('&amp;', '&');
    assert.match(framed, /&review=1&sig=/);
    assert.equal((await open(framed)).status, 200);
    for (const url of [framed, framed.replace('&review=1', ''), framed.replace(/&sig=.*/, '')]) {
      const [there, absent] = await Promise.all(
        [id, ID].map((other) => open(url.replace(made.data.id, other))),
      );
      assert.equal(there?.status, 404);
      assert.deepEqual(comparable(there as Answer), comparable(absent as Answer));
    }
  });

  const open = async (url: string) => readAnswer(await fetch(url));
});
