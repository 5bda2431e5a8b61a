import { strict as assert } from 'node:assert';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { after, afterEach, before, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePorts } from '../../../test/free-ports.ts';
import { type RedisServer, redisMissing, startRedisServer } from '../../../test/servers/redis.ts';
import type { Allowance, RateLimiter } from '../../base/limits/rate-limit.ts';
import { HOUR_MS } from '../../base/time/clock.ts';
import type { Config } from '../../core/config/config.ts';
import { openRedisRateLimiter } from './redis.ts';

/** A replica's limiter, and its log. */
interface Replica extends RateLimiter {
  warnings: { reason: string }[];
  infos: string[];
  /** Requests that it counted locally. */
  fallbacks(): number;
}

type Done = (error: Error) => void;

const opened: Replica[] = [];

async function openReplica(url: string, { count = 10, windowMs = HOUR_MS } = {}): Promise<Replica> {
  const off = { oauthToken: undefined, ssoAuthorize: undefined, oauthRegister: undefined };
  const limits: Config['rateLimits'] = { api: { count, windowMs }, ...off, invite: undefined };
  const warnings: { reason: string }[] = [];
  const infos: string[] = [];
  let fallbacks = 0;
  const limiter = await openRedisRateLimiter(url, limits, {
    logger: {
      warn: (details) => warnings.push(details as { reason: string }),
      info: (message) => infos.push(message),
    },
    onFallback: () => fallbacks++,
  });
  const replica = { ...limiter, warnings, infos, fallbacks: () => fallbacks };
  opened.push(replica);
  return replica;
}

/** Counts one request. */
async function consume(replica: RateLimiter, key: string): Promise<Allowance> {
  const allowance = await replica.consume('api', key);
  assert.ok(allowance);
  return allowance;
}

/** Counts this many requests at once, alternating between replicas. */
function consumeMany(replicas: RateLimiter[], times: number, key: string): Promise<Allowance[]> {
  const each = Array.from({ length: times }, (_, index) => replicas[index % replicas.length]);
  return Promise.all(each.map((replica) => consume(replica as RateLimiter, key)));
}

async function eventually(what: () => boolean, withinMs: number): Promise<void> {
  const giveUpAt = Date.now() + withinMs;
  while (!what()) {
    assert.ok(Date.now() < giveUpAt, `not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}

/** Whether Redis counts for all again, after at most two seconds. */
function isBack(...replicas: Replica[]): Promise<void> {
  return eventually(() => replicas.every(({ infos }) => infos.length > 0), 2_000);
}

describe('Rate limits in Redis', { skip: redisMissing() }, () => {
  let server: RedisServer;

  before(async () => {
    server = await startRedisServer();
  });
  afterEach(() => Promise.all(opened.splice(0).map((replica) => replica.close())));
  after(() => server.stop());

  it('all replicas share one budget, exactly', async () => {
    const replicas = [
      await openReplica(server.url, { count: 120 }),
      await openReplica(server.url, { count: 120 }),
    ];
    const start = Date.now();
    const answers = await consumeMany(replicas, 200, 'ada');
    const allowed = answers.filter((answer) => answer.allowed);
    assert.deepEqual(
      allowed.map(({ remaining }) => remaining).sort((a, b) => b - a),
      Array.from({ length: 120 }, (_, index) => 119 - index),
    );
    for (const answer of answers) {
      assert.equal(answer.limit, 120);
      if (!answer.allowed) assert.equal(answer.remaining, 0);
      assert.ok(answer.resetsAt > start + HOUR_MS - 100 && answer.resetsAt <= Date.now() + HOUR_MS);
    }
    assert.equal((await consume(replicas[0] as Replica, 'grace')).remaining, 119);
    assert.deepEqual(
      replicas.map((replica) => replica.fallbacks()),
      [0, 0],
    );
  });

  it('a window ends at its time, whatever happens in it', async () => {
    const replica = await openReplica(server.url, { count: 1, windowMs: 1_000 });
    const { resetsAt } = await consume(replica, 'window');
    assert.ok(resetsAt <= Date.now() + 1_000);
    await sleep(400);
    const refused = await consume(replica, 'window');
    assert.equal(refused.allowed, false);
    assert.ok(Math.abs(refused.resetsAt - resetsAt) < 100);
    await sleep(refused.resetsAt - Date.now() + 20);
    assert.equal((await consume(replica, 'window')).allowed, true);
  });

  it('a key with a longer expiry than a window starts again', async () => {
    const replica = await openReplica(server.url, { count: 1 });
    await consume(replica, 'ahead');
    const redis = new Redis(server.url);
    try {
      const [key = ''] = await redis.keys('*ahead');
      await redis.pexpire(key, 240 * HOUR_MS);
      const next = await consume(replica, 'ahead');
      assert.equal(next.allowed, true);
      assert.ok(next.resetsAt <= Date.now() + HOUR_MS);
    } finally {
      redis.disconnect();
    }
  });

  it('a disabled limit isn’t counted', async () => {
    const replica = await openReplica(server.url);
    assert.equal(await replica.consume('oauthToken', 'ada'), undefined);
  });

  it('keys have the prefix and expire', async () => {
    const [own, usual] = [
      await openReplica(`${server.url}/3?prefix=test-7:`),
      await openReplica(`${server.url}/3`),
    ];
    assert.equal((await consume(own, 'ada')).remaining, 9);
    assert.equal((await consume(usual, 'ada')).remaining, 9);
    const redis = new Redis(server.url, { db: 3 });
    try {
      const keys = await redis.keys('*');
      assert.ok(keys.includes('test-7:api:ada') && keys.includes('briefs:api:ada'), `${keys}`);
      for (const key of keys) {
        assert.match(key, /^(test-7|briefs):/);
        assert.ok((await redis.pttl(key)) > 0);
      }
    } finally {
      redis.disconnect();
    }
  });

  it('each count is one command', async () => {
    const replica = await openReplica(server.url);
    const redis = new Redis(server.url);
    try {
      await redis.config('RESETSTAT');
      for (let index = 0; index < 10; index++) await consume(replica, 'commands');
      const calls = new Map(
        Array.from(
          (await redis.info('commandstats')).matchAll(/cmdstat_(\S+):calls=(\d+)/g),
          ([, command = '', count]) => [command, Number(count)],
        ),
      );
      assert.equal(calls.get('evalsha'), 10);
      const withinScript = ['set', 'incrby', 'pttl'];
      for (const command of ['evalsha', 'config|resetstat', ...withinScript]) calls.delete(command);
      assert.deepEqual([...calls], []);
    } finally {
      redis.disconnect();
    }
  });

  it('an error of Redis stops the start, with one line without the password', async () => {
    const locked = await startRedisServer({ password: 'correct-horse' });
    try {
      const redis = new Redis(locked.url);
      await redis.acl('SETUSER', 'reader', 'on', '>reader-pw', '~*', '+@read', '+@connection');
      redis.disconnect();
      const at = (user: string) => `redis://${user}127.0.0.1:${locked.port}`;
      for (const [url, message] of [
        [at(''), /^REDIS_URL: .*NOAUTH/],
        [at(':wrong-secret@'), /^REDIS_URL: .*WRONGPASS/],
        [at('nobody:wrong-secret@'), /^REDIS_URL: .*WRONGPASS/],
        [at('reader:reader-pw@'), /^REDIS_URL: .*NOPERM/],
        [`${locked.url}/99`, /^REDIS_URL: .*DB index/],
      ] as const) {
        const error = await openReplica(url).then(
          () => assert.fail('it was opened'),
          (error: Error) => error,
        );
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n|wrong-secret|reader-pw|correct-horse/);
        assert.equal(error.cause, undefined);
      }
      assert.equal((await consume(await openReplica(locked.url), 'ada')).remaining, 9);
    } finally {
      await locked.stop();
    }
  });

  it('answers a ping', async () => {
    await (await openReplica(server.url)).ping();
  });
});

describe('Rate limits without Redis', { skip: redisMissing() }, () => {
  let server: RedisServer;

  before(async () => {
    server = await startRedisServer();
  });
  afterEach(() => Promise.all(opened.splice(0).map((replica) => replica.close())));
  after(() => server.stop());

  it('killed: each process counts by itself until Redis is back', async () => {
    const replicas = [await openReplica(server.url), await openReplica(server.url)] as const;
    const [one, other] = replicas;
    await consumeMany([...replicas], 4, 'killed');

    const answers = consumeMany([...replicas], 50, 'under-way');
    await server.kill('SIGKILL');
    await answers;
    const counted = one.fallbacks();
    const start = Date.now();
    const local = await consumeMany([one], 15, 'killed');
    assert.equal(local.filter(({ allowed }) => allowed).length, 10);
    assert.deepEqual(
      // Requests sent before the end of the connection was noticed are counted later.
      local.map(({ remaining }) => remaining).sort((a, b) => b - a),
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0],
    );
    assert.ok(Date.now() - start < 1_000);
    assert.equal(one.fallbacks() - counted, 15);
    await assert.rejects(one.ping(), /^Error: Redis: ./);
    await eventually(() => other.warnings.length > 0, 1_000);

    await sleep(1_200);
    await startAgain();
    await isBack(...replicas);
    const shared = await consumeMany([...replicas], 15, 'killed');
    assert.equal(shared.filter(({ allowed }) => allowed).length, 10);
    await one.ping();
    for (const { warnings, infos } of replicas) {
      assert.equal(warnings.length, 1);
      assert.equal(infos.length, 1);
    }
  });

  it('hung: one request waits a quarter of a second, later ones don’t wait', async () => {
    const replica = await openReplica(server.url);
    await server.kill('SIGSTOP');
    try {
      await assertTakes(consumeMany([replica], 20, 'hung'), 200, 2_000);
      const later = Array.from({ length: 100 }, async (_, index) => {
        await sleep(index * 30);
        const start = Date.now();
        await consume(replica, 'hung');
        return Date.now() - start;
      });
      const waits = (await Promise.all(later)).sort((a, b) => a - b);
      // Leaves out keys of other programs on this machine.
      assert.ok((waits[89] as number) < 200, `${waits}`);
      assert.equal(replica.fallbacks(), 120);
      assert.equal((await consume(replica, 'hung')).allowed, false);
      await assertTakes(assert.rejects(replica.ping(), /^Error: Redis: /), 0, 5_000);
    } finally {
      await server.kill('SIGCONT');
    }
    await isBack(replica);
    const fallbacks = replica.fallbacks();
    await consume(replica, 'hung-no-more');
    assert.equal(replica.fallbacks(), fallbacks);
    assert.deepEqual([replica.warnings.length, replica.infos.length], [1, 1]);
  });

  it('a busy process doesn’t mistake Redis for hung', async () => {
    const replica = await openReplica(server.url);
    await server.kill('SIGSTOP');
    const counted = consume(replica, 'busy');
    await new Promise(setImmediate);
    const start = Date.now();
    process.kill(server.pid, 'SIGCONT');
    while (Date.now() - start < 400);
    assert.equal((await counted).remaining, 9);
    assert.equal(replica.fallbacks(), 0);
  });

  it('a ping of a hung Redis fails within about a second', async () => {
    const replica = await openReplica(server.url);
    await server.kill('SIGSTOP');
    try {
      await assertTakes(assert.rejects(replica.ping(), /^Error: Redis: no answer/), 900, 5_000);
    } finally {
      await server.kill('SIGCONT');
    }
  });

  it('full, or a replica: requests are counted locally', async () => {
    const replica = await openReplica(server.url);
    const redis = new Redis(server.url);
    try {
      const states: [set: string[], reset: string[], reason: RegExp][] = [
        [['config', 'set', 'maxmemory', '1'], ['config', 'set', 'maxmemory', '0'], /OOM/],
        [['replicaof', '127.0.0.1', '1'], ['replicaof', 'no', 'one'], /READONLY/],
      ];
      for (const [[set = '', ...to], [reset = '', ...back], reason] of states) {
        replica.infos.length = 0;
        await redis.call(set, ...to);
        const before = replica.fallbacks();
        const answers = await consumeMany([replica], 12, String(reason));
        assert.equal(answers.filter(({ allowed }) => allowed).length, 10);
        assert.equal(replica.fallbacks() - before, 12);
        assert.match(replica.warnings.at(-1)?.reason ?? '', reason);
        await sleep(1_200);
        await redis.call(reset, ...back);
        await isBack(replica);
        await consume(replica, String(reason));
        assert.equal(replica.fallbacks() - before, 12);
      }
      assert.equal(replica.warnings.length, 2);
    } finally {
      redis.disconnect();
    }
  });

  it('started without Redis, which starts later', async () => {
    const [port = 0] = await freePorts(1);
    const replica = await openReplica(`redis://127.0.0.1:${port}`, { count: 2 });
    const answers = await consumeMany([replica], 3, 'early');
    assert.deepEqual(
      answers.map(({ allowed }) => allowed),
      [true, true, false],
    );
    assert.equal(replica.fallbacks(), 3);
    assert.deepEqual(replica.warnings, [{ reason: `connect ECONNREFUSED 127.0.0.1:${port}` }]);
    const late = await startRedisServer({ port });
    try {
      await isBack(replica);
      assert.equal((await consume(replica, 'early')).allowed, true);
      assert.equal(replica.fallbacks(), 3);
    } finally {
      await late.stop();
    }
  });

  it('looks up its name once at a time, so that others can look up theirs', async () => {
    const given: (() => void)[] = [];
    const waits = mock.method(dns, 'lookup', (_host: string, _options: object, done: Done) => {
      given.push(() => done(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' })));
    });
    syncBuiltinESMExports();
    try {
      const replica = await openReplica('redis://redis.example:6379');
      // As long as two attempts take that are given up.
      await sleep(3_500);
      assert.equal(given.length, 1);
      given[0]?.();
      await eventually(() => given.length === 2, 2_000);
      assert.equal((await consume(replica, 'meanwhile')).allowed, true);
    } finally {
      waits.mock.restore();
      syncBuiltinESMExports();
      for (const fail of given) fail();
    }
  });

  it('started while Redis hangs', async () => {
    await server.kill('SIGSTOP');
    let replica: Replica;
    try {
      const opening = openReplica(server.url);
      await assertTakes(opening, 900, 5_000);
      replica = await opening;
      await consume(replica, 'early');
      assert.equal(replica.fallbacks(), 1);
    } finally {
      await server.kill('SIGCONT');
    }
    await eventually(() => replica.infos.length > 0, 4_000);
    assert.equal(replica.warnings.length, 1);
  });

  async function startAgain(): Promise<void> {
    const { port } = server;
    await server.stop();
    server = await startRedisServer({ port });
  }
});

async function assertTakes(work: Promise<unknown>, fromMs: number, toMs: number): Promise<void> {
  const start = Date.now();
  await work;
  const took = Date.now() - start;
  assert.ok(took >= fromMs && took <= toMs, `took ${took} ms, not ${fromMs} to ${toMs}`);
}
