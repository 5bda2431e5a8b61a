import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { DOCUMENT_ACTS } from '../../src/core/document/addresses.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { type Answer, type Client, readAnswer, startService } from '../harness.ts';
import {
  ALL_KINDS,
  collaborate,
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

describe('Existence leaks: what isn’t yours responds exactly like what doesn’t exist', () => {
  it('an invitation of somebody else, at its own address and below your own document', async () => {
    for (const kind of ALL_KINDS) {
      const own = await makeDocument(fellow, 'own', { kind });
      for (const document of hidden.values()) {
        const [{ id }] = (await keeper.get(`${document}/invitations`)).data;
        for (const [name, client] of callers) {
          if (name === 'invitee') continue;
          for (const path of ['/user/brief_invitations', `${own}/invitations`]) {
            for (const method of ['PATCH', 'DELETE']) {
              const init = { method, headers: json, body: '{"permission":"admin"}' };
              const [theirs, none] = await both(id, (each) =>
                client.request(`${path}/${each}`, init),
              );
              const isForbidden = path.startsWith(own) && name !== 'fellow';
              assert.equal(theirs.status, isForbidden ? 403 : 404, `${name}: ${method} ${path}`);
              assert.deepEqual(comparable(theirs), comparable(none));
            }
          }
        }
      }
    }
  });

  it('a deleted document, by its id and by its URL', async () => {
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
          for (const pair of [
            await both(id, (each) => client.post(`/trash/${each}/restore`, { name: 'a/b' })),
            await both(id, (each) => client.delete(`/trash/${each}`)),
            await both('deleted', (each) => client.get(document.replace('deleted', each))),
          ]) {
            assert.equal(pair[0].status, 404, name);
            assert.deepEqual(comparable(pair[0]), comparable(pair[1]), name);
          }
        }
      }
    }
  });
});

/** The answers about something, and about what was never there. */
async function both(
  id: string,
  ask: (id: string) => Promise<Answer>,
): Promise<[there: Answer, absent: Answer]> {
  return [await ask(id), await ask(id === 'deleted' ? 'absent' : ID)];
}

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
