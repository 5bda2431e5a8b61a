import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { McpSubscription } from '@modelcontextprotocol/client';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import { type Agent, connect, EARLIER } from '../../../test/mcp/agent.ts';
import { until } from '../../../test/until.ts';
import { createToken, revokeToken } from '../../core/identity/token-service.ts';
import { newSessionId } from '../../surfaces/mcp/session.ts';
import { sweepSubscriptions } from './session-subscription-service.ts';

const URI = 'brief://ada/report';

/** A client's subscription and its notifications. */
interface Listening {
  agent: Agent;
  subscription: McpSubscription;
  told: { uri: string; type: unknown }[];
}

describe('subscriptions/listen', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    grace = await service.user('grace');
    for (const name of ['report', 'other']) {
      const body = { name, content: '# Report\n\nQuiet.\n', visibility: 'private' };
      assert.equal((await ada.post('/user/briefs', body)).status, 201);
    }
  });
  after(() => service.stop());

  async function invite(): Promise<void> {
    const path = '/briefs/ada/report/collaborators/grace';
    const { data } = await ada.put(path, { permission: 'read' });
    assert.equal((await grace.patch(`/user/brief_invitations/${data.id}`)).status, 204);
  }

  async function listen(who: Client, uris: string[]): Promise<Listening> {
    const agent = await connect(service, who.token);
    const told: Listening['told'] = [];
    agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      const { event } = params._meta as { event: { type: unknown } };
      told.push({ uri: params.uri, type: event.type });
    });
    // What happened before isn't placed in the feed at once.
    await eventsPlaced(service);
    const subscription = await agent.client.listen({ resourceSubscriptions: uris });
    return { agent, subscription, told };
  }

  const isClosed = ({ subscription }: Listening) => subscription.closed;

  it('reports changes and comments, only of subscribed documents', async () => {
    const { agent, subscription, told } = await listen(ada, [URI]);
    await ada.patch('/briefs/ada/other', { content: '# Other\n' });
    await ada.patch('/briefs/ada/report', { content: '# Report\n\nLoud.\n' });
    await ada.post('/briefs/ada/report/threads', { body: 'Really?' });
    await until('two changes', () => told.length === 2);
    assert.deepEqual(told, [
      { uri: URI, type: 'revision.created' },
      { uri: URI, type: 'thread.opened' },
    ]);
    await subscription.close();
    await agent.close();
  });

  it('is refused for documents that the caller can’t see, and for other URIs', async () => {
    const agent = await connect(service, grace.token);
    for (const [uris, problem] of [
      [[URI], /“brief:\/\/ada\/report”: This brief doesn’t exist, or you don’t have access to it/],
      [
        ['https://example.org/'],
        /resourceSubscriptions: “https:\/\/example.org\/” is not the URI of a document/,
      ],
      [Array(21).fill(URI), /at most 20/],
    ] as [string[], RegExp][]) {
      await assert.rejects(agent.client.listen({ resourceSubscriptions: uris }), problem);
    }
    await agent.close();
  });

  it('ends when the caller loses access to a document', async () => {
    await invite();
    const listening = await listen(grace, [URI]);
    await ada.patch('/briefs/ada/report', { content: '# Report\n\nAgain.\n' });
    await until('a change', () => listening.told.length === 1);
    assert.equal((await ada.delete('/briefs/ada/report/collaborators/grace')).status, 204);
    await ada.patch('/briefs/ada/report', { content: '# Report\n\nSecret.\n' });
    await isClosed(listening);
    assert.equal(listening.told.length, 1);
    await listening.agent.close();
  });

  it('ends when the token is revoked', async () => {
    const { context } = service.app;
    const input = { username: 'ada', name: 'short', lifetimeMs: undefined };
    const { token, id } = await createToken(context, input);
    const listening = await listen({ ...ada, token }, [URI]);
    await revokeToken(context, id);
    await ada.patch('/briefs/ada/report', { content: '# Report\n\nRevoked.\n' });
    await isClosed(listening);
    assert.deepEqual(listening.told, []);
    await listening.agent.close();
  });

  it('reports a change for each URI of a document', async () => {
    const other = 'brief://ada/%72eport';
    const { agent, subscription, told } = await listen(ada, [URI, other]);
    await ada.patch('/briefs/ada/report', { content: '# Report\n\nTwice.\n' });
    await until('two notifications', () => told.length === 2);
    assert.deepEqual(told.map(({ uri }) => uri).sort(), [other, URI].sort());
    await subscription.close();
    await agent.close();
  });

  it('a refused one counts no more', async () => {
    const send = (address: string) =>
      fetch(`${service.baseUrl}/mcp${address}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ada.token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'subscriptions/listen',
          params: { notifications: { resourceSubscriptions: [URI] } },
        }),
      });
    for (const address of ['?tools=nope', '']) {
      for (let count = 0; count < 33; count += 1) {
        const answer = await send(address);
        await answer.text();
        assert.notEqual(answer.status, 429, address);
      }
    }
  });

  it('counts against the account’s limit of waiting requests until it is closed', async () => {
    const open: Listening[] = [];
    for (let count = 0; count < 32; count += 1) open.push(await listen(ada, [URI]));
    await assert.rejects(listen(ada, [URI]), /Your account has 32 open requests/);
    for (const { agent, subscription } of open) {
      await subscription.close();
      await agent.close();
    }
    let again: Listening | undefined;
    await until('a free slot', async () => {
      again = await listen(ada, [URI]).catch(() => undefined);
      return again !== undefined;
    });
    await again?.subscription.close();
    await again?.agent.close();
  });

  it('ends when the service stops', async () => {
    const own = await startService();
    const mary = await own.user('mary');
    await mary.post('/user/briefs', { name: 'report', content: '# Report\n' });
    const agent = await connect(own, mary.token);
    const { closed } = await agent.client.listen({
      resourceSubscriptions: ['brief://mary/report'],
    });
    const start = performance.now();
    await own.stop();
    await closed;
    assert.ok(performance.now() - start < 5_000);
    await agent.close();
  });
});

describe('resources/subscribe, in versions before 2026-07-28', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    grace = await service.user('grace');
    for (const name of ['report', 'other']) {
      const body = { name, content: '# Report\n\nQuiet.\n', visibility: 'private' };
      assert.equal((await ada.post('/user/briefs', body)).status, 201);
    }
    const path = '/briefs/ada/report/collaborators/grace';
    const { data } = await ada.put(path, { permission: 'read' });
    assert.equal((await grace.patch(`/user/brief_invitations/${data.id}`)).status, 204);
  });
  after(() => service.stop());

  let count = 0;
  const change = (name = 'report') => {
    count += 1;
    return ada.patch(`/briefs/ada/${name}`, { content: `# Report\n\nNumber ${count}.\n` });
  };

  async function host(who: Client, revision: string) {
    const agent = await connect(service, who.token, revision);
    const told: string[] = [];
    agent.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri);
    });
    return { agent, told };
  }

  for (const revision of EARLIER) {
    it(`${revision}: tells of each event from then on, until the end of the subscription`, async () => {
      const { agent, told } = await host(ada, revision);
      await change();
      await eventsPlaced(service);
      await agent.client.subscribeResource({ uri: URI });
      await change('other');
      await change();
      await until('a change', () => told.length === 1);
      await agent.client.subscribeResource({ uri: 'brief://ada/other' });
      await change('other');
      await until('another', () => told.length === 2);
      assert.deepEqual(told, [URI, 'brief://ada/other']);
      await agent.client.unsubscribeResource({ uri: URI });
      await change();
      await change('other');
      await until('a third', () => told.length === 3);
      assert.equal(told[2], 'brief://ada/other');
      await agent.close();
    });
  }

  it('refuses what the caller can’t see, other URIs, and too many', async () => {
    const { agent } = await host(grace, EARLIER[0] as string);
    const subscribe = (uri: string) => agent.client.subscribeResource({ uri });
    await assert.rejects(subscribe('brief://ada/other'), /doesn’t exist, or you don’t have access/);
    await assert.rejects(subscribe('https://example.org/'), /uri: is not the URI of a document/);
    for (let index = 0; index < 20; index += 1) {
      // The same document at other addresses.
      const name = [...'report'].map((letter, at) => ((index >> at) & 1 ? code(letter) : letter));
      await subscribe(`brief://ada/${name.join('')}`);
    }
    await assert.rejects(subscribe('brief://%61da/report'), /one too many/);
    await agent.close();
  });

  it('needs a session, which DELETE ends', async () => {
    const send = async (
      method: string,
      body: object | undefined,
      session?: string,
      token = ada.token,
    ) =>
      fetch(`${service.baseUrl}/mcp`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': EARLIER[0] as string,
          ...(session !== undefined && { 'mcp-session-id': session }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const subscribe = {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/subscribe',
      params: { uri: URI },
    };
    assert.match(await (await send('POST', subscribe)).text(), /Mcp-Session-Id is missing/);
    const initialize = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: EARLIER[0],
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const hello = await send('POST', initialize);
    const session = hello.headers.get('mcp-session-id') as string;
    const others = [session.slice(0, -1), `${session}a`, 'abc', session.slice(0, 36), '.', 'x.y'];
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send(method, undefined, session, grace.token)).status, 404, method);
      for (const id of others) assert.equal((await send(method, undefined, id)).status, 404, id);
    }
    for (const [id, token] of [
      [session, grace.token],
      ['abc', ada.token],
    ] as const) {
      const refused = await (await send('POST', subscribe, id, token)).text();
      assert.match(refused, /There is no such session. Send “initialize” again/);
    }
    assert.match(await (await send('POST', subscribe, session)).text(), /"result":\{\}/);
    const listed = async () =>
      service.app.context.sql.read
        .selectFrom('mcp_subscription')
        .where('session_id', '=', session)
        .selectAll()
        .execute();
    assert.equal((await listed()).length, 1);
    const { token: narrow } = await createToken(service.app.context, {
      username: 'ada',
      name: 'narrow',
      lifetimeMs: undefined,
      scopes: ['profile'],
    });
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await send(method, undefined, session, narrow)).status, 403, method);
    }
    assert.equal((await send('DELETE', undefined, session)).status, 204);
    assert.equal((await listed()).length, 0);
    await send('POST', subscribe, session);
    assert.equal(await sweepSubscriptions(service.app.context), 0);
    service.advance(25 * 60 * 60_000);
    assert.ok((await sweepSubscriptions(service.app.context)) > 0);
    assert.equal((await listed()).length, 0);
  });

  it('ends silently for a document that the caller can no longer read', async () => {
    const { agent, told } = await host(grace, EARLIER[0] as string);
    const session = agent.client.transport?.sessionId as string;
    await agent.client.subscribeResource({ uri: URI });
    await change();
    await until('a change', () => told.length === 1);
    assert.equal((await ada.delete('/briefs/ada/report/collaborators/grace')).status, 204);
    await change();
    await eventsPlaced(service);
    await until('the end', async () => {
      const { read } = service.app.context.sql;
      const rows = await read
        .selectFrom('mcp_subscription')
        .where('uri', '=', URI)
        .where('session_id', '=', session)
        .selectAll()
        .execute();
      return rows.length === 0;
    });
    assert.equal(told.length, 1);
    await agent.close();
  });

  it('streams of sessions are limited, and a host goes on without one', async () => {
    const left = new AbortController();
    const listen = async (session: string) => {
      const response = await fetch(`${service.baseUrl}/mcp`, {
        signal: left.signal,
        headers: {
          authorization: `Bearer ${ada.token}`,
          accept: 'text/event-stream',
          'mcp-session-id': session,
        },
      });
      return response.status;
    };
    const answers = [];
    const account = { id: (await ada.get('/user')).data.id };
    for (let index = 0; index < 65; index += 1) {
      answers.push(await listen(await newSessionId(service.app.context, account)));
    }
    assert.ok(answers.slice(0, 60).every((status) => status === 200));
    assert.equal(answers.at(-1), 405);
    left.abort();
    const { agent } = await host(ada, EARLIER[0] as string);
    assert.equal((await agent.call('whoami')).code, undefined);
    await agent.close();
  });
});

const code = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
