import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertConsistent } from '../../../test/durability/consistency.ts';
import { assertError, type Client, readAnswer, startService } from '../../../test/harness.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { until } from '../../../test/until.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { createToken, listAccountTokens, revokeToken } from '../../core/identity/token-service.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';
import { sweepFeed } from './feed-service.ts';

/** More events than the buffers of a connection hold. */
const MANY_EVENTS = 800;
const LONG_NAME = 20_000;

const service = await startService();
after(() => service.stop());
const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');

/** A client with another token of the same account. */
async function withToken(username: string, name: string): Promise<Client> {
  const lifetimeMs = undefined;
  const { token } = await createToken(service.app.context, { username, name, lifetimeMs });
  return service.client(token);
}

/** Waits until all writes are in the feed, and returns its end. */
/** Revokes ada's tokens with these names. */
async function revokeAll(names: readonly string[]): Promise<void> {
  const tokens = await listAccountTokens(service.app.context, 'ada');
  for (const { id, name } of tokens) {
    if (names.includes(name)) await revokeToken(service.app.context, id);
  }
}

async function endOfFeed(): Promise<number> {
  for (;;) {
    const { read } = service.app.context.sql;
    const waiting = await read
      .selectFrom('event')
      .where('position', 'is', null)
      .select('id')
      .execute();
    if (waiting.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return (await ada.get('/user/events')).data.cursor;
}

const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);

describe('events of a document', () => {
  for (const documentKind of ALL_KINDS) {
    const { kind, contentField } = documentKind;
    it(`list everything that happens to a ${kind}, in order`, async () => {
      const path = await makeDocument(ada, 'minutes', { kind: documentKind });
      await expectStatus(ada.patch(path, { [contentField]: '<p>two</p>\n' }), 200);
      await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
      const { id } = (await ada.get(path)).data;
      await expectStatus(ada.delete(path), 204);
      await expectStatus(ada.post(`/trash/${id}/restore`), 200);
      await endOfFeed();
      const { items: events, cursor, reset } = (await ada.get(`${path}/events?after=0`)).data;
      assert.deepEqual(typesOf(events), [
        'revision.created',
        'revision.created',
        'document.changed',
        'document.deleted',
        'document.restored',
      ]);
      assert.deepEqual(
        events.map(({ revision }: { revision: number }) => revision),
        [1, 2, 3, null, null],
      );
      const { position, createdAt, ...first } = events[0];
      assert.deepEqual(first, {
        type: 'revision.created',
        documentType: kind,
        fullName: 'ada/minutes',
        author: 'ada',
        via: 'token',
        viaName: 'test',
        revision: 1,
        coAuthors: [],
        firstRevision: null,
        thread: null,
        target: null,
      });
      assert.ok(Date.parse(createdAt) <= Date.now());
      assert.ok(position >= 1);
      assert.equal(cursor, String(events.at(-1).position));
      assert.equal(reset, false);
      const part = (await ada.get(`${path}/events?after=0&per_page=3`)).data;
      assert.deepEqual(part.items, events.slice(0, 3));
      const rest = await ada.get(`${path}/events?after=${part.cursor}`);
      assert.deepEqual(rest.data.items, events.slice(3));
      assert.deepEqual((await ada.get(`${path}/events?after=${cursor}`)).data.items, []);
    });
  }

  it('start now without "after"', async () => {
    const path = await makeDocument(ada, 'now');
    await endOfFeed();
    const now = (await ada.get(`${path}/events`)).data;
    assert.deepEqual(now.items, []);
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    await endOfFeed();
    const { items: events } = (await ada.get(`${path}/events?after=${now.cursor}`)).data;
    assert.deepEqual(typesOf(events), ['revision.created']);
  });

  it('are for insiders: others get 403, or 404 if they can’t read it', async () => {
    const path = await makeDocument(ada, 'inside');
    const refused = await alan.get(`${path}/events?after=0`);
    assertError(refused, 403, 'FORBIDDEN');
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    assertError(await alan.get(`${path}/events?after=0`), 404, 'NOT_FOUND');
    await collaborate(ada, path, alan, 'read');
    await expectStatus(alan.get(`${path}/events?after=0`), 200);
  });

  it('refuse an invalid cursor or waiting time', async () => {
    const path = await makeDocument(ada, 'cursors');
    for (const [query, field] of [
      ['after=-1', /after/],
      ['after=x', /after/],
      ['wait=301', /wait/],
      ['wait=-1', /wait/],
    ] as const) {
      assertError(await ada.get(`${path}/events?${query}`), 400, 'BAD_REQUEST', field);
    }
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' };
    assertError(await ada.get(`${path}/events`, headers), 400, 'BAD_REQUEST', /Last-Event-ID/);
  });
});

describe('waiting for events', () => {
  it('ends with the first event', async () => {
    const path = await makeDocument(ada, 'waiting');
    await collaborate(ada, path, grace, 'write');
    const after = await endOfFeed();
    const waiting = ada.get(`${path}/events?after=${after}&wait=30`);
    const own = ada.get(`/user/events?after=${after}&wait=30`);
    await expectStatus(grace.patch(path, { content: 'from grace' }), 200);
    for (const answer of await Promise.all([waiting, own])) {
      const [event] = answer.data.items;
      assert.equal(event.author, 'grace');
      assert.equal(event.revision, 2);
    }
  });

  it('ends without one after the given time', async () => {
    const path = await makeDocument(ada, 'silence');
    const after = await endOfFeed();
    const { data } = await ada.get(`${path}/events?after=${after}&wait=1`);
    assert.deepEqual(data, { items: [], cursor: after, reset: false });
  });

  it('ends only with events of that document', async () => {
    const [path, other] = [await makeDocument(ada, 'quiet'), await makeDocument(ada, 'loud')];
    const after = await endOfFeed();
    const waiting = ada.get(`${path}/events?after=${after}&wait=30`);
    await expectStatus(ada.patch(other, { content: 'loud' }), 200);
    await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'quiet' }), 200);
    const { items: events } = (await waiting).data;
    assert.deepEqual(
      events.map(({ fullName }: { fullName: string }) => fullName),
      ['ada/quiet'],
    );
  });

  it('ends with 401 if the token is revoked meanwhile', async () => {
    const path = await makeDocument(ada, 'revoked');
    const [waiting, streaming] = [await withToken('ada', 'one'), await withToken('ada', 'two')];
    const after = await endOfFeed();
    const waits = waiting.get(`${path}/events?after=${after}&wait=30`);
    const { feedWaiters } = service.app.context;
    while (!feedWaiters.isWaitedFor()) await new Promise((resolve) => setTimeout(resolve, 5));
    const stream = await openStream(streaming, `${path}/events?after=${after}`);
    await revokeAll(['one', 'two']);
    await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
    assertError(await waits, 401, 'UNAUTHORIZED');
    await assert.rejects(stream.next(), /The stream ended/);
  });

  it('sends signs of life, because proxies close silent connections', async () => {
    const path = await makeDocument(ada, 'patient');
    const { feedWaiters } = service.app.context;
    const { pauseMs } = feedWaiters;
    feedWaiters.pauseMs = () => 20;
    try {
      const after = await endOfFeed();
      const begin = (client: Client, query: string) =>
        fetch(`${service.baseUrl}${path}/events?${query}`, {
          headers: { authorization: `Bearer ${client.token}` },
        });
      const [event, nothing, ended] = await Promise.all([
        begin(ada, `after=${after}&wait=60`),
        begin(ada, `after=${after}&wait=1`),
        begin(await withToken('ada', 'short'), 'wait=60'),
      ]);
      for (const response of [event, nothing, ended]) {
        assert.equal(response.status, 200);
        assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
        assert.equal(response.headers.get('cache-control'), 'no-store');
      }
      const text = await nothing.text();
      assert.match(text, /^ {10,}\{/);
      const none = { items: [], cursor: after, reset: false };
      assert.deepEqual(JSON.parse(text), { data: none });
      await revokeAll(['short']);
      await expectStatus(ada.patch(path, { content: 'news' }), 200);
      const { data } = await readAnswer(event);
      assert.deepEqual(
        data.items.map(({ fullName }: { fullName: string }) => fullName),
        ['ada/patient'],
      );
      assert.deepEqual((await readAnswer(ended)).data, none, 'the next request gets 401');
    } finally {
      feedWaiters.pauseMs = pauseMs;
    }
  });

  it('is possible 32 times at once with an account, whatever its tokens, and others can too', async () => {
    const after = await endOfFeed();
    const leave = new AbortController();
    const open = (client: Client) =>
      fetch(`${service.baseUrl}/user/events?after=${after}&wait=60`, {
        headers: { authorization: `Bearer ${client.token}` },
        signal: leave.signal,
      });
    const crowd = await users(service, 'crowd-1', 'crowd-2', 'crowd-3');
    const all: Promise<Response>[] = [];
    for (const name of Object.keys(crowd)) {
      const names = Array.from({ length: 100 }, (_, index) => `token-${index}`);
      const clients = await Promise.all(names.map((each) => withToken(name, each)));
      // Those over the limit are refused; the others wait.
      const sent = clients.map(open);
      all.push(...sent);
      let refused = 0;
      await new Promise<void>((resolve, reject) => {
        for (const one of sent) {
          one
            .then(async (response) => {
              assertError(await readAnswer(response), 429, 'RATE_LIMITED', /32 open requests/);
              refused += 1;
              if (refused === 100 - 32) resolve();
            })
            .catch((error) => (leave.signal.aborted ? undefined : reject(error)));
        }
      });
      await expectStatus((clients[0] as Client).get(`/user/events?after=${after}`), 200);
    }
    await expectStatus(ada.get(`/user/events?after=${after}&wait=1`), 200);
    leave.abort();
    const outcomes = await Promise.allSettled(all);
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 3 * 32);
    await untilAccepted(() => crowd['crowd-1'].get(`/user/events?after=${after}&wait=1`));
  });
});

async function untilAccepted(request: () => ReturnType<Client['get']>) {
  for (;;) {
    const answer = await request();
    if (answer.status === 200) return;
  }
}

describe('events that concern a user', () => {
  it('are others’ events in documents they own or wrote, or requests to them', async () => {
    const path = await makeDocument(ada, 'shared');
    await collaborate(ada, path, grace, 'write');
    await collaborate(ada, path, alan, 'read');
    const after = await endOfFeed();
    await expectStatus(grace.patch(path, { content: 'one' }), 200);
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    await endOfFeed();
    const seenBy = async (client: Client) =>
      (await client.get(`/user/events?after=${after}`)).data.items.map(
        ({ author, reason }: { author: string; reason: string }) => `${author}: ${reason}`,
      );
    assert.deepEqual(await seenBy(ada), ['grace: watching']);
    assert.deepEqual(await seenBy(grace), ['ada: watching']);
    assert.deepEqual(await seenBy(alan), []);
  });

  it('are found after more of the user’s own than a request returns', async () => {
    const path = await makeDocument(ada, 'busy');
    await collaborate(ada, path, grace, 'write');
    const after = await endOfFeed();
    for (let n = 0; n < 101; n++) await expectStatus(ada.patch(path, { content: `${n}` }), 200);
    await expectStatus(grace.patch(path, { content: 'mine' }), 200);
    await endOfFeed();
    const { items: events } = (await ada.get(`/user/events?after=${after}`)).data;
    assert.deepEqual(
      events.map(({ author }: { author: string }) => author),
      ['grace'],
    );
  });

  it('include the user’s own actions with another token', async () => {
    const path = await makeDocument(ada, 'two-tokens');
    const agent = await withToken('ada', 'agent');
    const after = await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'by the person' }), 200);
    await endOfFeed();
    const forAgent = (await agent.get(`/user/events?after=${after}`)).data.items;
    assert.deepEqual(
      forAgent.map(({ reason }: { reason: string }) => reason),
      ['own'],
    );
    assert.deepEqual((await ada.get(`/user/events?after=${after}`)).data.items, []);
    const withOwn = (await ada.get(`/user/events?after=${after}&own=true`)).data.items;
    assert.deepEqual(withOwn, forAgent);
    assert.deepEqual(
      (await ada.get('/user/inbox?unread=true')).data.filter(isAbout('two-tokens')),
      [],
    );
  });

  it('end with access, including earlier ones', async () => {
    const path = await makeDocument(ada, 'ended', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    await expectStatus(grace.patch(path, { content: 'one' }), 200);
    const after = await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    await endOfFeed();
    const about = async (list: string) => {
      const { data } = await grace.get(list);
      return (data.items ?? data).filter(isAbout('ended')).length;
    };
    assert.equal(await about(`/user/events?after=${after}`), 1);
    assert.equal(await about('/user/inbox'), 1);
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    assert.equal(await about(`/user/events?after=${after}`), 0);
    assert.equal(await about('/user/inbox'), 0);
    await expectStatus(ada.patch(path, { content: 'three' }), 200);
    await endOfFeed();
    assert.equal(await about(`/user/events?after=${after}`), 0);
  });

  it('in an organization, concern authors', async () => {
    await makeOrganization(ada, 'acme');
    for (const client of [grace, alan]) await join(ada, 'acme', client);
    const path = await makeDocument(ada, 'plan', { org: 'acme', visibility: 'internal' });
    const after = await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'one' }), 200);
    await endOfFeed();
    for (const client of [grace, alan]) {
      assert.deepEqual((await client.get(`/user/events?after=${after}`)).data.items, []);
    }
  });
});

function isAbout(name: string) {
  return ({ fullName }: { fullName: string }) => fullName === `ada/${name}`;
}

describe('subscriptions', () => {
  it('DELETE returns to the default: everything for those who wrote or commented', async () => {
    const path = await makeDocument(ada, 'defaults', { content: 'One.\n' });
    const [writer, commenter, reader] = Object.values(
      await users(service, 'writer', 'commenter', 'onlooker'),
    );
    for (const [who, permission] of [
      [writer, 'write'],
      [commenter, 'read'],
      [reader, 'read'],
    ] as const) {
      await collaborate(ada, path, who as Client, permission);
    }
    await expectStatus((writer as Client).patch(path, { content: 'Two.\n' }), 200);
    await expectStatus((commenter as Client).post(`${path}/threads`, { body: 'Why?' }), 201);
    for (const [who, level] of [
      [ada, 'all'],
      [writer, 'all'],
      [commenter, 'all'],
      [reader, 'mentions'],
    ] as const) {
      const client = who as Client;
      await expectStatus(client.put(`${path}/subscription`, { level: 'none' }), 204);
      await expectStatus(client.delete(`${path}/subscription`), 204);
      assert.deepEqual((await client.get(`${path}/subscription`)).data, { level });
    }
  });

  it('choose which events someone gets', async () => {
    const path = await makeDocument(ada, 'watched');
    const subscription = `${path}/subscription`;
    assert.deepEqual((await ada.get(subscription)).data, { level: 'all' });
    assert.deepEqual((await alan.get(subscription)).data, { level: 'mentions' });
    await expectStatus(alan.put(subscription, { level: 'all' }), 204);
    assert.deepEqual((await alan.get(subscription)).data, { level: 'all' });
    const after = await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'one' }), 200);
    await endOfFeed();
    const told = async (client: Client) =>
      (await client.get(`/user/events?after=${after}`)).data.items.length;
    assert.equal(await told(alan), 1);
    await expectStatus(alan.put(subscription, { level: 'none' }), 204);
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    await endOfFeed();
    assert.equal(await told(alan), 1);
    await expectStatus(alan.delete(subscription), 204);
    assert.deepEqual((await alan.get(subscription)).data, { level: 'mentions' });
  });

  it('tell only insiders of a deletion', async () => {
    const path = await makeDocument(ada, 'soon-gone');
    await collaborate(ada, path, grace, 'read');
    for (const client of [grace, alan]) {
      await expectStatus(client.put(`${path}/subscription`, { level: 'all' }), 204);
    }
    const after = await endOfFeed();
    await expectStatus(ada.patch(path, { content: 'x' }), 200);
    await expectStatus(ada.delete(path), 204);
    await endOfFeed();
    const told = async (client: Client) =>
      typesOf(
        (await client.get(`/user/events?after=${after}`)).data.items.filter(isAbout('soon-gone')),
      );
    assert.deepEqual(await told(grace), ['revision.created', 'document.deleted']);
    const strangers = await told(alan);
    assert.ok(!strangers.includes('document.deleted'), `${strangers}`);
  });

  it('refuse other levels, and people without access', async () => {
    const path = await makeDocument(ada, 'unwatched', { visibility: 'private' });
    const subscription = `${path}/subscription`;
    assertError(await ada.put(subscription, { level: 'some' }), 400, 'BAD_REQUEST', /level/);
    assertError(await alan.put(subscription, { level: 'all' }), 404, 'NOT_FOUND');
    assertError(await alan.get(subscription), 404, 'NOT_FOUND');
  });
});

describe('the inbox', () => {
  it('lists what others did until it is read', async () => {
    const path = await makeDocument(grace, 'letters');
    await collaborate(grace, path, ada, 'write');
    await expectStatus(ada.patch(path, { content: 'one' }), 200);
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    await endOfFeed();
    const unread = (await grace.get('/user/inbox?unread=true')).data.filter(
      ({ fullName }: { fullName: string }) => fullName === 'grace/letters',
    );
    assert.deepEqual(
      unread.map((entry: { revision: number; author: string; readAt: null }) => entry.revision),
      [3, 2],
    );
    assert.equal(unread[0].readAt, null);
    await expectStatus(grace.patch('/user/inbox', { readTo: unread[1].position }), 204);
    const left = (await grace.get('/user/inbox?unread=true')).data;
    assert.deepEqual(
      left.map(({ position }: { position: number }) => position),
      [unread[0].position],
    );
    const all = (await grace.get('/user/inbox')).data;
    assert.ok(
      all.find(
        (entry: { position: number; readAt: string }) => entry.position === unread[1].position,
      ).readAt,
    );
  });
});

describe('a stream of events', () => {
  it('replays from Last-Event-ID, continues, and ends with access', async () => {
    const path = await makeDocument(ada, 'streamed', { visibility: 'private' });
    await collaborate(ada, path, grace, 'write');
    await expectStatus(ada.patch(path, { content: 'one' }), 200);
    await endOfFeed();
    const { items: events } = (await ada.get(`${path}/events?after=0`)).data;
    const stream = await openStream(grace, `${path}/events`, `${events[0].position}`);
    const replayed = await stream.next();
    assert.equal(replayed.id, `${events[1].position}`);
    assert.equal(replayed.event, 'revision.created');
    assert.deepEqual(JSON.parse(replayed.data), events[1]);
    await expectStatus(ada.patch(path, { content: 'two' }), 200);
    assert.equal(JSON.parse((await stream.next()).data).revision, 3);
    await expectStatus(ada.delete(`${path}/collaborators/grace`), 204);
    await expectStatus(ada.patch(path, { content: 'three' }), 200);
    await assert.rejects(stream.next(), /ended/);
  });

  it('is ended if its reader doesn’t read, and gives its place back', async () => {
    const own = await startService();
    try {
      const { context } = own.app;
      const ada = await own.user('ada');
      const { data } = await ada.post('/user/briefs', { name: 'plans', content: 'x' });
      const { id: accountId } = (await ada.get('/user')).data;
      await eventsPlaced(own);
      let waiting = 0;
      const { enter } = context.feedWaiters;
      context.feedWaiters.enter = (accountId) => {
        const leave = enter(accountId);
        waiting += 1;
        return () => {
          waiting -= 1;
          leave();
        };
      };
      const authorization = `Bearer ${ada.token}`;
      const version = '2026-07-28';
      const params = {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
        notifications: { resourceSubscriptions: ['brief://ada/plans'] },
      };
      // Nobody reads the bodies, so the connections fill up.
      const streams = await Promise.all([
        fetch(`${own.baseUrl}/briefs/ada/plans/events`, {
          headers: { authorization, accept: 'text/event-stream' },
        }),
        fetch(`${own.baseUrl}/mcp`, {
          method: 'POST',
          headers: {
            authorization,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'mcp-method': 'subscriptions/listen',
            'mcp-protocol-version': version,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
        }),
      ]);
      assert.deepEqual([waiting, ...streams.map(({ status }) => status)], [2, 200, 200]);
      await context.sql.transaction(async (tx) => {
        for (let count = 0; count < MANY_EVENTS; count++) {
          await insertEvent(tx, {
            id: context.newId(),
            documentId: data.id,
            ownerId: accountId,
            type: 'revision.created',
            accountId,
            via: 'token',
            viaName: 'x'.repeat(LONG_NAME),
            version: 1,
            threadId: null,
            targetId: null,
            firstVersion: null,
            mentions: null,
            at: context.now(),
          });
        }
      });
      context.wakeFeed();
      await until('both are ended', () => waiting === 0);
      for (const { body } of streams)
        await assert.rejects(async () => {
          for await (const _ of body ?? []);
        });
    } finally {
      await own.stop();
    }
  });

  it('ends when the process stops', async () => {
    const other = await startService();
    const user = await other.user('ada');
    const waiting = user.get('/user/events?wait=60');
    const { feedWaiters } = other.app.context;
    while (!feedWaiters.isWaitedFor()) await new Promise((resolve) => setTimeout(resolve, 5));
    const stream = await openStream(user, '/user/events', undefined, other.baseUrl);
    await other.stop();
    await assert.rejects(stream.next(), /ended/);
    assert.deepEqual((await waiting).data.items, []);
  });
});

/** Reads server-sent events with fetch. */
async function openStream(
  client: Client,
  path: string,
  lastEventId?: string,
  baseUrl = service.baseUrl,
) {
  const response = await fetch(baseUrl + path, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${client.token}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  return {
    async next(): Promise<{ id: string; event: string; data: string }> {
      for (;;) {
        const end = buffered.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = await reader.read();
          if (done) throw new Error('The stream ended.');
          buffered += value;
          continue;
        }
        const lines = buffered.slice(0, end).split('\n');
        buffered = buffered.slice(end + 2);
        if (lines[0]?.startsWith(':')) continue;
        const fields = lines.map((line) => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 2),
        ]);
        return Object.fromEntries(fields);
      }
    },
  };
}

describe('a cursor that the feed has not come to', () => {
  it('is answered at once with the current one, and reset', async () => {
    const path = await makeDocument(ada, 'restored');
    const now = (await ada.get(`${path}/events`)).data.cursor;
    for (const feed of [`${path}/events`, '/user/events']) {
      for (const wait of [0, 300]) {
        const {
          items: events,
          cursor,
          reset,
        } = (await ada.get(`${feed}?after=2147483647&wait=${wait}`)).data;
        assert.deepEqual({ events, reset }, { events: [], reset: true }, feed);
        assert.ok(Number(cursor) >= Number(now) && Number(cursor) < 2147483647);
        assert.equal((await ada.get(`${feed}?after=${cursor}`)).data.reset, false);
      }
      const stream = await openStream(ada, feed, '2147483647');
      assert.equal((await stream.next()).event, 'reset');
      await expectStatus(ada.patch(path, { content: feed }), 200);
      if (feed !== '/user/events') assert.equal((await stream.next()).event, 'revision.created');
    }
  });
});

describe('old events', () => {
  it('are deleted after 90 days, and a later request is told so', async () => {
    const other = await startService();
    try {
      const user = await other.user('ada');
      const path = await makeDocument(user, 'old');
      await expectStatus(user.patch(path, { content: 'one' }), 200);
      await expectStatus(user.get(`${path}/events?after=0&wait=30`), 200);
      const { cursor } = (await user.get(`${path}/events?after=1&wait=30`)).data;
      assert.equal(cursor, '2');
      other.advance(91 * DAY_MS);
      assert.equal(await sweepFeed(other.app.context), 2);
      const { items: events, reset } = (await user.get(`${path}/events?after=1`)).data;
      assert.deepEqual({ events, reset }, { events: [], reset: true });
      const stream = await openStream(user, `${path}/events`, '1', other.baseUrl);
      assert.equal((await stream.next()).event, 'reset');
      assert.equal((await user.get(`${path}/events?after=2`)).data.reset, false);
    } finally {
      await other.stop();
    }
  });

  it('are deleted with their document, and with the account that they concern', async () => {
    const path = await makeDocument(alan, 'gone');
    await collaborate(alan, path, grace, 'write');
    await expectStatus(grace.patch(path, { content: 'one' }), 200);
    await endOfFeed();
    const { id } = (await alan.get(path)).data;
    await expectStatus(alan.delete(path), 204);
    await expectStatus(alan.delete(`/trash/${id}`), 204);
    await endOfFeed();
    const { read } = service.app.context.sql;
    const left = await read.selectFrom('event').where('documentId', '=', id).select('id').execute();
    assert.deepEqual(left, []);
    await deleteUser(service.app.context, 'alan');
    await assertConsistent(service.app.context);
  });
});
