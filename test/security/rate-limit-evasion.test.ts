import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { formatToken, TOKEN_SECRET_BYTES } from '../../src/core/identity/token.ts';
import { startService } from '../harness.ts';
import { call, post } from '../mcp/agent.ts';
import { lines, rawAnswer } from '../raw-http.ts';

const LIMIT = 30;
const randomToken = () => formatToken(crypto.getRandomValues(new Uint8Array(TOKEN_SECRET_BYTES)));

/** Headers with which proxies state a request's address, and which anyone can forge. */
const CLAIMS = (index: number): Record<string, string> => ({
  'x-forwarded-for': `203.0.113.${index}`,
  forwarded: `for=203.0.113.${index}`,
  'x-real-ip': `203.0.113.${index}`,
  'x-client-ip': `203.0.113.${index}`,
  'cf-connecting-ip': `203.0.113.${index}`,
  'true-client-ip': `203.0.113.${index}`,
  'x-forwarded-host': `host-${index}.example`,
});

describe('Rate-limit evasion', async () => {
  const service = await startService({ RATE_LIMIT_API: `${LIMIT}/1h` });
  after(() => service.stop());
  const ada = await service.user('ada');

  /** The number of responses that weren't 429. */
  async function served(requests: (() => Promise<{ status: number }>)[]): Promise<number> {
    const answers = await Promise.all(requests.map((request) => request()));
    return answers.filter(({ status }) => status !== 429).length;
  }

  it('thousands of random tokens from one address share its budget', async () => {
    const requests = Array.from({ length: 2_000 }, (_, index) => () => {
      const authorization = `Bearer ${randomToken()}`;
      return service.client().get('/user', { authorization, ...CLAIMS(index % 250) });
    });
    let given = 0;
    for (let at = 0; at < requests.length; at += 100) {
      given += await served(requests.slice(at, at + 100));
    }
    assert.equal(given, LIMIT);
    // Tools, new connections and requests without a token have no other budget.
    assert.equal(await served([() => post(service, randomToken(), call('whoami'))]), 0);
    const { port } = service.config;
    for (const head of [
      ['GET /api/user HTTP/1.1', 'Host: localhost'],
      ['GET http://localhost/api/user HTTP/1.1', 'Host: localhost'],
      ['GET /api/user HTTP/1.0'],
      ['GET /api//user HTTP/1.1', 'Host: localhost'],
      ['GET /api/%75ser HTTP/1.1', 'Host: 127.0.0.1'],
    ]) {
      assert.equal((await rawAnswer(port, lines(...head))).status, 429, head.join());
    }
  });

  it('a token has one budget on both surfaces together', async () => {
    const requests = Array.from({ length: 4 * LIMIT }, (_, index) =>
      index % 2
        ? () => ada.get('/user', CLAIMS(index))
        : () => post(service, ada.token, call('whoami'), CLAIMS(index)),
    );
    assert.equal(await served(requests), LIMIT);
  });

  it('a caller over the limit doesn’t affect others', async () => {
    const grace = await service.user('grace');
    assert.equal((await grace.get('/user')).status, 200);
  });
});
