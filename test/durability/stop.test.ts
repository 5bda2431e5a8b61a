import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { newChance } from '../chance.ts';
import { createInstallation, type Replica, type User } from '../installation.ts';
import { startBriefs, startServe, within } from '../process.ts';
import { until } from '../until.ts';
import { assertConsistent } from './consistency.ts';
import { newLedger } from './ledger.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(1);
const WRITERS = 8;

describe('A shutdown during writes', async () => {
  let replica: Replica;
  const chance = newChance('stop');

  const installation = await createInstallation();
  replica = await installation.start();
  after(() => installation?.stop());

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal}: running requests finish, exit code 0`, async (t) => {
      const ledger = await newLedger(installation, chance, signal.toLowerCase());
      for (let round = 0; round < ROUNDS; round++) {
        const stopping = replica;
        await ledger.during(Array(WRITERS).fill(stopping), async () => {
          await ledger.more(60);
          assert.equal(await within(installation.end(stopping, signal), 'the stop'), 0);
        });
        assert.equal(stopping.stderr(), '');
        assert.equal(ledger.unavailable, 0);
        replica = await installation.start();
        const { done } = await ledger.verify(replica);
        assert.equal(done, 0, 'writes that were done, and not acknowledged');
        await installation.look(assertConsistent);
      }
      t.diagnostic(ledger.summary());
    });
  }

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    it(`${signal}, even twice: a partly received request is read, done and answered`, async () => {
      const stopping = replica;
      const username = `grace-${signal.toLowerCase()}`;
      const user = await installation.user(username);
      const port = Number(new URL(stopping.webUrl).port);
      const request = beginRequest(port, user);
      await until('the first answer', () => request.received().includes('100 Continue'));
      const ended = installation.end(stopping, signal);
      await until('the end of listening', () => refusesConnections(port));
      // A Ctrl-C, or the end of a terminal, can arrive twice: directly and through npm.
      void stopping.kill(signal);
      await within(request.finish(), 'the answer');
      assert.match(request.received(), /HTTP\/1\.1 201 Created/);
      assert.equal(await ended, 0);
      replica = await installation.start();
      const { status, data } = await user.at(replica).get(`/briefs/${username}/in-flight`);
      assert.deepEqual([status, data.content], [200, '# In flight']);
    });
  }
});

/** Sends another signal at a moment without a listener, if there is one. */
const SIGNAL_WHEN_UNHEARD = `
  process.on('removeListener', (event) => {
    if (event === 'SIGTERM' && process.listenerCount(event) === 0) process.kill(process.pid, event);
  });`;

describe('A second signal right after the first', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is handled, so the exit code is 0', async () => {
    const service = await startServe({
      DATA_DIR: dataDir,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SIGNAL_WHEN_UNHEARD)}`,
    });
    const { code, signal } = await within(service.kill('SIGTERM'), 'the stop');
    assert.deepEqual([code, signal], [0, null]);
  });
});

describe('A signal during the start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`${signal} while the database doesn’t answer: exit code 0`, async () => {
      const starting = startBriefs(['serve'], {
        DATA_DIR: dataDir,
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      });
      await until('the wait', () => starting.stdout().includes('waiting up to'));
      const ended = await within(starting.kill(signal), 'the end');
      assert.deepEqual([ended.code, ended.signal], [0, null]);
    });
  }
});

/** Sends the head of a request and part of its body; `finish` sends the rest. */
function beginRequest(port: number, { token }: User) {
  const body = JSON.stringify({ name: 'in-flight', content: '# In flight' });
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const closed = new Promise<unknown>((resolve) => socket.once('close', resolve));
  const head = [
    'POST /api/user/briefs HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    // The service responds when it has begun with this request.
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  return {
    received: () => received,
    async finish() {
      socket.write(body.slice(10));
      await closed;
    },
  };
}

function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
