import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { formatToken, TOKEN_SECRET_BYTES } from '../../core/identity/token.ts';
import { createToken } from '../../core/identity/token-service.ts';

const LIMIT = 12;

/** A window longer than any test. */
const SETTINGS = { RATE_LIMIT_API: `${LIMIT}/1h` };

const randomToken = () => formatToken(randomBytes(TOKEN_SECRET_BYTES));

function remaining({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

/** Uses up the whole budget. */
async function exhaust(client: Client, headers: Record<string, string> = {}): Promise<void> {
  for (let count = 0; count < LIMIT; count++) {
    assert.notEqual((await client.get('/user', headers)).status, 429);
  }
  assertLimited(await client.get('/user', headers));
}

function assertLimited(answer: Answer): void {
  assertError(answer, 429, 'RATE_LIMITED');
  assert.equal(remaining(answer), 0);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.ok(Number(answer.headers.get('retry-after')) <= 3600);
}

describe('Rate limits', () => {
  let service: Service;
  let users = 0;
  const newUser = () => service.user(`user-${++users}`);

  before(async () => {
    service = await startService(SETTINGS);
  });
  after(() => service.stop());

  it('every counted response shows the budget, which all routes share', async () => {
    const ada = await newUser();
    const before = Math.floor(Date.now() / 1000);
    const answers = [
      await ada.get('/user'),
      await ada.post('/user/briefs', { content: 'x', name: 'a' }),
      await ada.post('/user/briefs', { content: 'x', name: 'a' }),
      await ada.post('/user/briefs', { wrong: 1 }),
      await ada.post('/user/orgs', { namespace: 'admin', name: 'x' }),
      await ada.post('/briefs', { content: 'x'.repeat(1_048_576) }),
      await ada.get(`/briefs/${ada.username}/a`),
      await ada.get('/users/%00'),
      await ada.get('/nothing'),
      await ada.get('/briefs?page=0'),
      await ada.delete(`/briefs/${ada.username}/a`),
      await ada.patch('/orgs/missing', {}),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201, 422, 400, 422, 413, 200, 404, 404, 400, 204, 404],
    );
    for (const [index, { headers }] of answers.entries()) {
      assert.equal(headers.get('x-ratelimit-limit'), String(LIMIT));
      assert.equal(headers.get('x-ratelimit-remaining'), String(LIMIT - 1 - index));
      const reset = Number(headers.get('x-ratelimit-reset'));
      assert.ok(Number.isInteger(reset) && reset >= before && reset <= before + 3_700);
      assert.equal(headers.get('retry-after'), null);
    }
    assertLimited(await ada.get('/user'));
    assertLimited(await ada.post('/user/briefs', { content: 'x', name: 'b' }));
    assertLimited(await ada.get('/nothing'));
  });

  it('a request over the limit changes nothing', async () => {
    const ada = await newUser();
    await exhaust(ada);
    assertLimited(await ada.post('/user/briefs', { content: '# Late' }));
    const other = await newUser();
    const { status } = await other.get(`/briefs/${ada.username}/late`);
    assert.equal(status, 404);
  });

  it('conditional requests and HEAD count too', async () => {
    const ada = await newUser();
    const { data, headers } = await ada.post('/user/briefs', { content: 'x', name: 'a' });
    const path = `/briefs/${data.fullName}`;
    const fresh = await ada.get(path, { 'if-none-match': headers.get('etag') ?? '' });
    assert.equal(fresh.status, 304);
    assert.equal(remaining(fresh), LIMIT - 2);
    const head = await ada.request('/user', { method: 'HEAD' });
    assert.equal(remaining(head), LIMIT - 3);
  });

  it('each token has its own budget, even two of one user', async () => {
    const ada = await newUser();
    const { token } = await createToken(service.app.context, {
      username: ada.username,
      name: 'second',
      lifetimeMs: undefined,
    });
    await exhaust(ada);
    const second = await service.client(token).get('/user');
    assert.equal(second.status, 200);
    assert.equal(remaining(second), LIMIT - 1);
  });

  it('the spelling of the scheme makes no difference', async () => {
    const ada = await newUser();
    await ada.get('/user');
    for (const [index, scheme] of ['bearer', 'BEARER', 'Bearer '].entries()) {
      const answer = await service
        .client()
        .get('/user', { authorization: `${scheme} ${ada.token}` });
      assert.equal(answer.status, 200);
      assert.equal(remaining(answer), LIMIT - 2 - index);
    }
  });

  it('requests that need no token aren’t counted', async () => {
    const { webUrl, baseUrl, renderUrl } = service;
    const addresses = [
      `${baseUrl}/openapi.json`,
      ...['/', '/healthz', '/readyz', '/reference', '/nobody/nothing'].map((path) => webUrl + path),
      `${renderUrl}/nothing`,
    ];
    for (const address of addresses) {
      const { headers } = await readAnswer(await fetch(address));
      assert.equal(headers.get('x-ratelimit-limit'), null, address);
    }
    const preflight = await fetch(`${baseUrl}/user`, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('x-ratelimit-limit'), null);
  });
});

describe('Rate limits without a valid token', () => {
  let service: Service;

  before(async () => {
    service = await startService(SETTINGS);
  });
  after(() => service.stop());

  it('one address has one budget: without a token, with random and mistyped ones', async () => {
    const ada = await service.user('ada');
    const attempts: Record<string, string>[] = [
      {},
      ...Array.from({ length: 4 }, () => ({ authorization: `Bearer ${randomToken()}` })),
      { authorization: 'Bearer brf_mistyped' },
      { authorization: 'Bearer' },
      { authorization: `Basic ${btoa('ada:secret')}` },
      { authorization: `Bearer ${ada.token}x` },
      { authorization: `Token ${ada.token}` },
      { authorization: `Bearer ${ada.token}, Bearer ${randomToken()}` },
      { cookie: `token=${ada.token}` },
    ];
    assert.equal(attempts.length, LIMIT);
    for (const [index, headers] of attempts.entries()) {
      const answer = await service.client().get('/user', headers);
      assertError(answer, 401, 'UNAUTHORIZED', /^Authorization: /);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.equal(remaining(answer), LIMIT - 1 - index, JSON.stringify(headers));
    }
    assertLimited(await service.client().get('/user'));
    for (let count = 0; count < 20; count++) {
      assertLimited(await service.client(randomToken()).get('/user'));
    }
    assertLimited(await service.client().get('/nothing'));
    const forged = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1', forwarded: 'for=1' };
    assertLimited(await service.client().get('/user', forged));
    const own = await ada.get('/user');
    assert.equal(own.status, 200);
    assert.equal(remaining(own), LIMIT - 1);
  });

  it('a revoked token, or one of a disabled account, counts per address', async () => {
    const grace = await service.user('grace');
    const { app } = service;
    const { token, id } = await createToken(app.context, {
      username: 'grace',
      name: 'short',
      lifetimeMs: 1_000,
    });
    assert.ok(id);
    assert.equal((await service.client(token).get('/user')).status, 200);
    service.advance(1_000);
    assertLimited(await service.client(token).get('/user'));
    assert.equal((await grace.get('/user')).status, 200);
  });
});

describe('Rate limits behind proxies', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  /** The remaining requests of an address after one request without a token. */
  async function left(service: Service, forwarded: string): Promise<number> {
    const answer = await service.client().get('/user', from(forwarded));
    assertError(answer, 401, 'UNAUTHORIZED');
    return remaining(answer);
  }

  async function withService(
    settings: Record<string, string>,
    work: (service: Service) => Promise<void>,
  ): Promise<void> {
    const service = await startService({ ...SETTINGS, ...settings });
    try {
      await work(service);
    } finally {
      await service.stop();
    }
  }

  it('without TRUST_PROXY, forwarding headers are ignored', () =>
    withService({}, async (service) => {
      assert.equal(await left(service, '192.0.2.1'), LIMIT - 1);
      assert.equal(await left(service, '192.0.2.2'), LIMIT - 2);
    }));

  it('an unlisted proxy isn’t trusted', () =>
    withService({ TRUST_PROXY: '10.0.0.0/8, 192.0.2.7' }, async (service) => {
      assert.equal(await left(service, '192.0.2.1'), LIMIT - 1);
      assert.equal(await left(service, '192.0.2.2'), LIMIT - 2);
    }));

  for (const TRUST_PROXY of ['loopback', '127.0.0.1', '127.0.0.0/8', '1']) {
    it(`TRUST_PROXY=${TRUST_PROXY}: uses the proxy’s address, not one forged by the client`, () =>
      withService({ TRUST_PROXY }, async (service) => {
        assert.equal(await left(service, '192.0.2.1'), LIMIT - 1);
        assert.equal(await left(service, '192.0.2.2'), LIMIT - 1);
        assert.equal(await left(service, '192.0.2.1'), LIMIT - 2);
        assert.equal(await left(service, '198.51.100.1, 192.0.2.1'), LIMIT - 3);
        assert.equal(await left(service, '127.0.0.1, 198.51.100.1, 192.0.2.1'), LIMIT - 4);
        assert.equal(await left(service, '2001:db8::1'), LIMIT - 1);
        assert.equal(await left(service, '2001:db8::ffff:2'), LIMIT - 2);
        assert.equal(await left(service, '2001:db8:0:1::1'), LIMIT - 1);
        assert.equal(await left(service, '::ffff:192.0.2.2'), LIMIT - 2);
      }));
  }

  it('a proxy that sends no address: counted, never an error', () =>
    withService({ TRUST_PROXY: 'loopback' }, async (service) => {
      for (const address of ['unknown', '', ',', '192.0.2.1:4711', '[2001:db8::1]:80', '_hidden']) {
        const answer = await service.client().get('/user', from(address));
        assertError(answer, 401, 'UNAUTHORIZED');
        assert.ok(remaining(answer) < LIMIT, address);
      }
    }));
});

describe('Windows', () => {
  it('after Retry-After seconds the budget is full again', async () => {
    const service = await startService({ RATE_LIMIT_API: '2/2s' });
    try {
      const ada = await service.user('ada');
      let answer = await ada.get('/user');
      for (let tries = 0; answer.status !== 429 && tries < 1_000; tries++) {
        answer = await ada.get('/user');
      }
      assertLimited(answer);
      const seconds = Number(answer.headers.get('retry-after'));
      assert.ok(seconds <= 2);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      const next = await ada.get('/user');
      assert.equal(next.status, 200);
      assert.equal(remaining(next), 1);
    } finally {
      await service.stop();
    }
  });

  it('off: nothing is counted, shown or refused', async () => {
    const service = await startService({ RATE_LIMIT_API: 'off' });
    try {
      const ada = await service.user('ada');
      for (let count = 0; count < 50; count++) {
        const { status, headers } = await ada.get('/user');
        assert.equal(status, 200);
        assert.equal(headers.get('x-ratelimit-limit'), null);
      }
    } finally {
      await service.stop();
    }
  });
});

describe('A proxy on this machine', () => {
  it('that no setting trusts is warned of, once', async () => {
    for (const [TRUST_PROXY, count] of [
      ['', 1],
      ['loopback', 0],
    ] as const) {
      let log = '';
      const write = (line: string) => {
        log += line;
      };
      const service = await startService(
        { TRUST_PROXY },
        { logger: pino({ level: 'warn' }, { write }) },
      );
      try {
        const headers = { 'x-forwarded-for': '192.0.2.1' };
        await fetch(`${service.webUrl}/healthz`);
        assert.doesNotMatch(log, /TRUST_PROXY/);
        for (let times = 0; times < 3; times += 1) {
          for (const url of [service.webUrl, `${service.baseUrl}/user`]) {
            await (await fetch(url, { headers })).text();
          }
        }
        assert.equal(log.match(/TRUST_PROXY is not set/g)?.length ?? 0, count);
      } finally {
        await service.stop();
      }
    }
  });
});
