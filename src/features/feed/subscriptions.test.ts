import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { McpSubscription } from '@modelcontextprotocol/client';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import { type Agent, connect, EARLIER } from '../../../test/mcp/agent.ts';
import { until } from '../../../test/until.ts';
import { createToken, revokeToken } from '../../core/identity/token-service.ts';

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
  it('is not announced, and refused with what to do instead', async () => {
    const service = await startService();
    try {
      const ada = await service.user('ada');
      for (const revision of EARLIER) {
        const agent = await connect(service, ada.token, revision);
        assert.deepEqual(agent.client.getServerCapabilities()?.resources, {});
        await agent.close();
        const refused = await fetch(`${service.baseUrl}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${ada.token}`,
            accept: 'application/json',
            'content-type': 'application/json',
            'mcp-protocol-version': revision,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'resources/subscribe',
            params: { uri: URI },
          }),
        });
        const { error } = (await refused.json()) as { error: { code: number; message: string } };
        assert.equal(error.code, -32_601);
        assert.match(error.message, /need protocol version 2026-07-28.*wait_for_feedback/);
      }
    } finally {
      await service.stop();
    }
  });
});
