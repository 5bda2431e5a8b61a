import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { createUser, type ServeProcess, startServe, within } from './process.ts';

const WRITERS = 4;
const ROUNDS = 6;

/** What is known of one brief: its content, or `undefined` where there is none. */
interface Entry {
  acknowledged: string | undefined;
  /** What a write under way would make of it. */
  attempted?: { content: string | undefined };
}

/** Notes what the service has acknowledged, by name. */
class Ledger {
  readonly entries = new Map<string, Entry>();
  acknowledgements = 0;

  /** Does one write and notes what came of it. @throws TypeError where the connection broke */
  async write(
    name: string,
    content: string | undefined,
    send: () => Promise<Response>,
    expected: number,
  ): Promise<void> {
    const entry = this.entries.get(name) ?? { acknowledged: undefined };
    this.entries.set(name, entry);
    entry.attempted = { content };
    const response = await send();
    const text = await response.text();
    assert.equal(response.status, expected, text);
    entry.acknowledged = content;
    delete entry.attempted;
    this.acknowledgements += 1;
  }

  /** Everything acknowledged is there; what was under way is there whole or not at all. */
  assertKept(name: string, actual: string | undefined): void {
    const entry = this.entries.get(name) as Entry;
    const allowed = [entry.acknowledged, ...(entry.attempted ? [entry.attempted.content] : [])];
    assert.ok(allowed.includes(actual), `${name}: ${actual} instead of ${allowed}`);
    entry.acknowledged = actual;
    delete entry.attempted;
  }
}

describe('What was acknowledged is kept', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const settings = { DATA_DIR: dataDir };
  let token: string;

  before(async () => {
    token = await createUser(dataDir, 'ada');
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const headers = () => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  });

  /** Creates, changes and deletes until the connection breaks or `stopped()`. */
  async function writeUntilBroken(
    { baseUrl }: ServeProcess,
    ledger: Ledger,
    prefix: string,
    stopped = () => false,
  ): Promise<void> {
    const send = (method: string, path: string, body?: object) => () =>
      fetch(baseUrl + path, {
        method,
        headers: headers(),
        ...(body && { body: JSON.stringify(body) }),
      });
    try {
      for (let count = 0; !stopped(); count++) {
        const name = `${prefix}-${count}`;
        const path = `/briefs/ada/${name}`;
        const content = `# ${name}\n${'x'.repeat(2_000)}`;
        await ledger.write(name, content, send('POST', '/user/briefs', { name, content }), 201);
        const changed = `${content}y`;
        await ledger.write(name, changed, send('PATCH', path, { content: changed }), 200);
        if (count % 3 === 0) await ledger.write(name, undefined, send('DELETE', path), 204);
      }
    } catch (error) {
      // Only a broken connection may end it; any answer but the expected one is a failure.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async function verify({ baseUrl }: ServeProcess, ledger: Ledger): Promise<void> {
    for (const name of ledger.entries.keys()) {
      const response = await fetch(`${baseUrl}/briefs/ada/${name}`, { headers: headers() });
      const body = await response.json();
      ledger.assertKept(name, response.status === 404 ? undefined : body.data.content);
    }
    const database = new DatabaseSync(join(dataDir, 'briefs.db'));
    const [checked] = database.prepare('pragma integrity_check').all();
    assert.equal(checked?.integrity_check, 'ok');
    assert.deepEqual(database.prepare('pragma foreign_key_check').all(), []);
    database.close();
  }

  it(`SIGKILL in the middle of writes, ${ROUNDS} times`, async () => {
    const ledger = new Ledger();
    for (let round = 0; round < ROUNDS; round++) {
      const service = await startServe(settings);
      const target = ledger.acknowledgements + 20 + Math.floor(Math.random() * 80);
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        writeUntilBroken(service, ledger, `kill-${round}-${writer}`),
      );
      while (ledger.acknowledgements < target) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      }
      const { signal } = await service.kill('SIGKILL');
      assert.equal(signal, 'SIGKILL');
      await within(Promise.all(writers), 'the writers');
      const restarted = await startServe(settings);
      await verify(restarted, ledger);
      await restarted.kill('SIGKILL');
    }
    assert.ok(ledger.acknowledgements >= ROUNDS * 20);
  });

  it('SIGTERM in the middle of writes: nothing acknowledged is lost, exit code 0', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const ledger = new Ledger();
      const service = await startServe(settings);
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        writeUntilBroken(service, ledger, `${signal.toLowerCase()}-${writer}`),
      );
      while (ledger.acknowledgements < 60) await new Promise((resolve) => setTimeout(resolve, 5));
      const outcome = await within(service.kill(signal), 'the stop');
      assert.deepEqual([outcome.code, outcome.signal, outcome.stderr], [0, null, '']);
      await within(Promise.all(writers), 'the writers');
      const restarted = await startServe(settings);
      await verify(restarted, ledger);
      assert.equal((await restarted.kill('SIGTERM')).code, 0);
    }
  });

  it('SIGTERM, also twice: a request that has begun is read to its end, done and answered', async () => {
    const service = await startServe(settings);
    const body = JSON.stringify({ name: 'in-flight', content: '# In flight' });
    const socket = connect(service.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const head = [
      'POST /api/user/briefs HTTP/1.1',
      'Host: localhost',
      ...Object.entries(headers()).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${body.length}`,
      // The service says so once it has begun with this request.
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    await within(
      until(() => received.includes('100 Continue')),
      'the first answer',
    );
    const ended = service.kill('SIGTERM');
    await within(
      until(() => refusesConnections(service.port)),
      'the end of listening',
    );
    // One Ctrl-C may arrive twice, from the terminal and through npm.
    void service.kill('SIGTERM');
    socket.write(body.slice(10));
    await within(closed, 'the answer');
    assert.match(received, /HTTP\/1\.1 201 Created/);
    assert.equal((await ended).code, 0);
    const restarted = await startServe(settings);
    const response = await fetch(`${restarted.webUrl}/ada/in-flight`);
    assert.equal(await response.text(), '# In flight');
    await restarted.kill('SIGTERM');
  });

  it('two processes at work on one data directory lose nothing of each other', async () => {
    const ledger = new Ledger();
    const services = [await startServe(settings), await startServe(settings)];
    const stopped = () => ledger.acknowledgements >= 200;
    await Promise.all(
      services.map((service, index) => writeUntilBroken(service, ledger, `both-${index}`, stopped)),
    );
    const [first, second] = services as [ServeProcess, ServeProcess];
    await verify(first, ledger);
    await verify(second, ledger);
    for (const service of services) assert.equal((await service.kill('SIGTERM')).code, 0);
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
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
