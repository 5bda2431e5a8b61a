import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Client, startService } from '../harness.ts';
import { SILENT, startNameServer } from '../name-server.ts';
import { authorizeUrl, makePkce, obtainTokens, REDIRECT, statusWith } from '../oauth/agent.ts';
import { openBrowser, signedIn } from '../oauth/visitor.ts';
import { expectStatus } from '../rest/scenario.ts';
import { until } from '../until.ts';
import { startReceiver } from '../webhook/receiver.ts';

/** Where attackers without an account come from. */
const ATTACKERS = ['198.51.100.7', '2001:db8:7::1'];

describe('Name servers that swallow questions', async () => {
  const names = await startNameServer({
    'receiver.example': ['127.0.0.1'],
    'agents.example': ['192.0.2.1'],
  });
  const receiver = await startReceiver();
  const settings = {
    WEBHOOK_PRIVATE_ADDRESSES: 'allow',
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_SSO_AUTHORIZE: 'off',
    RATE_LIMIT_OAUTH_TOKEN: 'off',
  };
  const service = await startService(settings, {
    nameServers: [names.address],
    // Looks up the host as the service does, but connects to nothing.
    async fetchDocument(address, resolve) {
      await resolve(new URL(String(address)).hostname, AbortSignal.timeout(3_000));
      return Response.json({ client_id: address, redirect_uris: [REDIRECT] });
    },
  });
  after(async () => {
    await service.stop();
    receiver.close();
    names.close();
  });

  async function makeWebhook(client: Client, url: string): Promise<string> {
    const body = { url, types: ['revision.created'] };
    const { data } = await expectStatus(client.post('/user/webhooks', body), 201);
    return `/user/webhooks/${data.id}`;
  }

  const deliveriesOf = async (client: Client, path: string): Promise<{ status: string }[]> =>
    (await expectStatus(client.get(`${path}/deliveries`), 200)).data;

  /** Someone without an account makes the service look up hosts. */
  const sendClientIds = (leave: AbortSignal) =>
    Array.from({ length: 40 }, async (_, index) => {
      const id = `https://client${index}.${SILENT}/client.json`;
      const headers = { 'x-forwarded-for': ATTACKERS[index % ATTACKERS.length] as string };
      const parameters = { client_id: id, redirect_uri: REDIRECT };
      const form = new URLSearchParams({ token: 'x', client_id: id });
      const sent =
        index < 6
          ? fetch(authorizeUrl(service, parameters), { headers, signal: leave })
          : fetch(`${service.baseUrl}/oauth/introspect`, {
              method: 'POST',
              headers,
              body: form,
              signal: leave,
            });
      await sent.catch(() => {});
    });

  it('delay neither others’ webhooks nor others’ sign-in by a client metadata document', async () => {
    const mal = await service.user('mal');
    const ada = await service.user('ada');
    const slow: string[] = [];
    for (let index = 0; index < 10; index++) {
      slow.push(await makeWebhook(mal, `http://hook${index}.${SILENT}/`));
    }
    const port = new URL(receiver.url).port;
    const own = await makeWebhook(ada, `http://receiver.example:${port}/hook`);
    const leave = new AbortController();

    for (let round = 0; round < 4; round++) {
      for (const path of slow) await expectStatus(mal.post(`${path}/test`), 201);
    }
    const anonymous = sendClientIds(leave.signal);
    const asked = (kind: string) => names.silentNames().filter((name) => name.startsWith(kind));
    await until('both wait', () => asked('hook').length > 0 && asked('client').length >= 8);

    await expectStatus(ada.post(`${own}/test`), 201);
    await receiver.arrived(1);
    await until('it is stored', async () =>
      (await deliveriesOf(ada, own)).every(({ status }) => status === 'delivered'),
    );

    const browser = await signedIn(service, (await ada.get('/user')).data.id);
    const client = { client_id: 'https://agents.example/client.json', redirect_uris: [REDIRECT] };
    const tokens = await obtainTokens(service, browser, client);
    assert.equal(await statusWith(service, tokens.access_token), 200);

    const left = (await Promise.all(slow.map((path) => deliveriesOf(mal, path)))).flat();
    assert.equal(left.length, 40);
    assert.ok(
      left.some(({ status }) => status === 'pending'),
      'the slow ones were still waiting',
    );
    const { challenge } = makePkce();
    const parameters = { client_id: `https://x.${SILENT}/`, redirect_uri: REDIRECT };
    const late = authorizeUrl(service, { ...parameters, code_challenge: challenge });
    assert.equal((await openBrowser().get(late)).status, 400, 'a slow one gets an error page');
    leave.abort();
    await Promise.all(anonymous);
  });
});
