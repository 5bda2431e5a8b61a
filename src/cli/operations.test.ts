import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { databaseState } from '../../test/database.ts';
import { freePorts } from '../../test/free-ports.ts';
import { startService } from '../../test/harness.ts';

import {
  BRIEFS,
  createUser,
  runBriefs,
  type ServeProcess,
  startBriefs,
  startServe,
  succeed,
  within,
} from '../../test/process.ts';
import { newVisitor } from '../../test/sign-in/visitor.ts';
import { until } from '../../test/until.ts';

/** Requires that one process sees another's commits at once, even for cached responses. */
async function assertSeenByOther(
  [writer, reader]: [ServeProcess, ServeProcess],
  token: string,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const write = async (method: string, path: string, body: object) =>
    (await fetch(writer.baseUrl + path, { method, headers, body: JSON.stringify(body) })).status;
  const read = async () => {
    const answer = await fetch(`${reader.webUrl}/ada/notes`);
    return `${answer.status} ${answer.status === 200 ? await answer.text() : ''}`;
  };
  const brief = { name: 'notes', content: 'One', visibility: 'public' };
  assert.equal(await write('POST', '/user/briefs', brief), 201);
  for (let times = 0; times < 5; times += 1) assert.equal(await read(), '200 One');
  assert.equal(await write('PATCH', '/briefs/ada/notes', { content: 'Two' }), 200);
  for (let times = 0; times < 5; times += 1) assert.equal(await read(), '200 Two');
  assert.equal(await write('PATCH', '/briefs/ada/notes', { visibility: 'private' }), 200);
  assert.equal(await read(), '404 ');
}

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));
const scriptMissing = spawnSync('script', ['--version']).status !== 0;
const newDataDir = () => join(mkdtempSync(join(home, 'data-')), 'made', 'by-the-service');

describe('Starting', () => {
  it('creates the data directory, and logs the three addresses as one JSON line', async () => {
    const dataDir = newDataDir();
    const service = await startServe({ DATA_DIR: dataDir });
    try {
      const { webUrl, baseUrl, renderUrl } = service;
      const lines = service.stdout().trim().split('\n');
      const logged = lines.map((line) => JSON.parse(line));
      const running = logged.find(({ msg }) => msg === 'Briefs is running.');
      const { level, time, pid, hostname, msg, ...said } = running;
      assert.deepEqual(said, { webUrl, baseUrl, renderUrl, data: dataDir });
      assert.equal(service.stderr(), '');
      for (const [address, status] of [
        [service.webUrl, 200],
        [`${service.webUrl}/readyz`, 200],
        [`${service.baseUrl}/user`, 401],
        [service.renderUrl, 404],
      ] as const) {
        assert.equal((await fetch(address)).status, status, address);
      }
      assert.ok(existsSync(join(dataDir, 'briefs.db')));
      assert.equal(statSync(dataDir).mode & 0o777, 0o700, 'nobody else may look into it');
    } finally {
      const { code, stderr } = await service.kill('SIGTERM');
      assert.equal(code, 0);
      assert.equal(stderr, '');
    }
  });

  it('prints the addresses and next steps at a terminal', {
    skip: scriptMissing,
  }, async () => {
    const [dataDir, [port = 0, renderPort = 0]] = [newDataDir(), await freePorts(2)];
    // Runs the command on its own terminal and copies its output.
    const command = `${process.execPath} ${BRIEFS} serve`;
    const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        PORT: String(port),
        RENDER_PORT: String(renderPort),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    terminal.stdout.on('data', (text) => {
      said += text;
    });
    try {
      await until('the greeting', () => said.includes('Ctrl-C stops the service.'));
      for (const part of [
        /^Briefs is running\.\r$/m,
        new RegExp(`Web +http://localhost:${port}\r\n`),
        new RegExp(`API +http://localhost:${port}/api\r\n`),
        new RegExp(`Render +http://localhost:${renderPort}\r\n`),
        new RegExp(`Data +${dataDir}\r\n`),
        /npx --no-install briefs users create/,
        /npx --no-install briefs tokens create/,
      ]) {
        assert.match(said, part);
      }
    } finally {
      terminal.kill('SIGTERM');
      await once(terminal, 'close');
    }
  });

  it('on a port in use: a message, and exit code 2', async () => {
    const service = await startServe({ DATA_DIR: newDataDir() });
    try {
      const [renderPort] = await freePorts(1);
      const outcome = await runBriefs(['serve'], {
        DATA_DIR: newDataDir(),
        HOST: '127.0.0.1',
        LOG_LEVEL: 'silent',
        PORT: String(service.port),
        RENDER_PORT: String(renderPort),
      });
      assert.equal(outcome.code, 2);
      assert.match(outcome.stderr, /^briefs: [^\n]*Port \d+ is in use[^\n]*\n$/);
    } finally {
      await service.kill('SIGTERM');
    }
  });

  it('on another machine’s address: a message, and exit code 2', async () => {
    const outcome = await runBriefs(['serve'], {
      DATA_DIR: newDataDir(),
      HOST: '192.0.2.1',
      LOG_LEVEL: 'silent',
    });
    assert.equal(outcome.code, 2);
    assert.match(
      outcome.stderr,
      /^briefs: HOST: 192\.0\.2\.1 is not an address of this machine\.\n$/,
    );
  });

  it('two processes on an empty data directory both start and share the data', async () => {
    for (let round = 0; round < 4; round++) {
      const dataDir = newDataDir();
      const services = await Promise.all([
        startServe({ DATA_DIR: dataDir }),
        startServe({ DATA_DIR: dataDir }),
      ]);
      const token = await createUser(dataDir, 'ada');
      for (const { baseUrl } of services) {
        const headers = { authorization: `Bearer ${token}` };
        assert.equal((await fetch(`${baseUrl}/user`, { headers })).status, 200);
      }
      await assertSeenByOther(services, token);
      const ends = await Promise.all(services.map((service) => service.kill('SIGTERM')));
      assert.deepEqual(
        ends.map(({ code, stderr }) => [code, stderr]),
        [
          [0, ''],
          [0, ''],
        ],
      );
    }
  });

  it('on a newer database: refused with advice, and unchanged', async () => {
    const dataDir = newDataDir();
    await succeed(['migrate'], { DATA_DIR: dataDir });
    const path = join(dataDir, 'briefs.db');
    const database = new DatabaseSync(path);
    database
      .prepare('insert into kysely_migration (name, timestamp) values (?, ?)')
      .run('999-from-the-future', new Date().toISOString());
    database.close();
    const before = databaseState(dataDir);
    for (const command of [['serve'], ['migrate'], ['users', 'list']]) {
      const { code, stdout, stderr } = await runBriefs(command, { DATA_DIR: dataDir });
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(
        stderr,
        /^briefs: The database is of another version [^\n]*999-from-the-future[^\n]*\n$/,
      );
    }
    assert.deepEqual(databaseState(dataDir), before);
  });

  it('with a damaged database: a message, and exit code 2, because no restart heals it', async () => {
    const dataDir = newDataDir();
    await succeed(['migrate'], { DATA_DIR: dataDir });
    const path = join(dataDir, 'briefs.db');
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    rmSync(path);
    writeFileSync(path, 'not a database at all\n'.repeat(1_000));
    const { code, stderr } = await runBriefs(['serve'], { DATA_DIR: dataDir });
    assert.equal(code, 2);
    assert.match(stderr, /^briefs: [^\n]*\/briefs\.db is damaged [^\n]+Restore a backup[^\n]+\n$/);
  });

  it('with damaged files that can be made again: starts, and says so', async () => {
    const dataDir = newDataDir();
    await succeed(['migrate'], { DATA_DIR: dataDir });
    const files = ['rate-limits.db', 'search.db', 'start.lock'];
    // SQLite takes a file of a few bytes for an empty one.
    for (const [bytes, says] of [
      ['not a database at all\n'.repeat(1_000), /rate-limits\.db was damaged/],
      ['x', /running/],
    ] as const) {
      for (const name of files) {
        for (const suffix of ['-wal', '-shm'])
          rmSync(join(dataDir, name + suffix), { force: true });
        writeFileSync(join(dataDir, name), bytes);
      }
      const service = await startServe({ DATA_DIR: dataDir });
      const token = await createUser(dataDir, `ada-${bytes.length}`);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await fetch(`${service.baseUrl}/user`, { headers })).status, 200);
      assert.equal((await fetch(`${service.webUrl}/readyz`)).status, 200);
      const { code, stdout } = await service.kill('SIGTERM');
      assert.equal(code, 0);
      assert.match(stdout, says);
    }
  });
});

describe('Readiness', () => {
  it('readyz is 503 in the error format when the database doesn’t answer, healthz is not', async () => {
    const service = await startService();
    const ping = service.app.context.sql.ping;
    try {
      service.app.context.sql.ping = async () => {
        throw new Error('secret detail');
      };
      const response = await fetch(`${service.webUrl}/readyz`);
      const text = await response.text();
      assert.equal(response.status, 503);
      assert.equal(JSON.parse(text).error.code, 'UNAVAILABLE');
      assert.doesNotMatch(text, /secret/);
      assert.equal((await fetch(`${service.webUrl}/healthz`)).status, 200);
      service.app.context.sql.ping = ping;
      assert.equal((await fetch(`${service.webUrl}/readyz`)).status, 200);
    } finally {
      await service.stop();
    }
  });

  it('readyz is 503 after a request met a damaged page of the database', async () => {
    const dataDir = newDataDir();
    const token = await createUser(dataDir, 'ada');
    const path = join(dataDir, 'briefs.db');
    const database = new DatabaseSync(path);
    const { rootpage } = database
      .prepare("select rootpage from sqlite_schema where name = 'document_name'")
      .get() as { rootpage: number };
    const { page_size: size } = database.prepare('pragma page_size').get() as { page_size: number };
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (rootpage - 1) * size);
    closeSync(file);
    const service = await startServe({ DATA_DIR: dataDir });
    const ready = async () => (await fetch(`${service.webUrl}/readyz`)).status;
    assert.equal(await ready(), 200);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${service.baseUrl}/briefs/ada/x`, { headers })).status, 503);
    await sleep(1_100);
    assert.equal(await ready(), 503);
    await service.kill('SIGTERM');
  });
});

describe('Logs, metrics and secrets', async () => {
  const dataDir = newDataDir();
  const mistyped = `brf_${'Marked0'.repeat(5)}x`;
  const HOT_READS = 6;
  const CLIENT = '192.0.2.1';
  const ids: string[] = [];

  const [metricsPort] = await freePorts(1);
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const METRICS_PORT = String(metricsPort);
  const settings = { METRICS_PORT, LOG_LEVEL: 'trace', TRUST_PROXY: 'loopback' };
  const service = await startServe({ DATA_DIR: dataDir, ...settings });
  const token = await createUser(dataDir, 'ada');
  const { baseUrl, webUrl } = service;
  const json = { 'content-type': 'application/json' };
  const bearer = { authorization: `Bearer ${token}` };
  const requests: [string, RequestInit][] = [
    [`${baseUrl}/user`, { headers: bearer }],
    [`${baseUrl}/user`, { headers: { authorization: `Bearer ${mistyped}` } }],
    [`${baseUrl}/user`, { headers: { authorization: `Basic ${btoa(`ada:${token}`)}` } }],
    [`${baseUrl}/user?access_token=${token}`, {}],
    [`${baseUrl}/nothing?token=${token}`, { headers: bearer }],
    [`${webUrl}/ada/x?token=${token}`, { headers: { cookie: `session=${token}` } }],
    [`${baseUrl}/users/%zz?token=${token}`, { headers: bearer }],
    [
      `${baseUrl}/user/briefs`,
      { method: 'POST', headers: { ...bearer, ...json }, body: '{"content":"x","name":"n"}' },
    ],
    [
      `${baseUrl}/user/briefs`,
      { method: 'POST', headers: { ...bearer, ...json }, body: `{"token":"${token}"}` },
    ],
  ];
  const hot = { content: 'x', name: 'hot', visibility: 'public' };
  requests.push([
    `${baseUrl}/user/briefs`,
    { method: 'POST', headers: { ...bearer, ...json }, body: JSON.stringify(hot) },
  ]);
  for (let times = 0; times < HOT_READS; times += 1) requests.push([`${webUrl}/ada/hot`, {}]);
  for (const [address, init] of requests) {
    const forwarded = { ...init.headers, 'x-forwarded-for': `::ffff:${CLIENT}` };
    const { headers, body } = await fetch(address, { ...init, headers: forwarded });
    await body?.cancel();
    ids.push(headers.get('x-request-id') as string);
  }
  const last = ids.at(-1) as string;
  const written = async () => {
    while (!service.stdout().includes(last)) await new Promise((next) => setTimeout(next, 10));
  };
  await within(written(), 'the log of the last request');
  after(() => service.kill('SIGTERM'));

  const logged = () =>
    service
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'));

  it('each answered request is one JSON line with the request’s id', () => {
    const entries = logged().map((line) => JSON.parse(line));
    const requests = entries.filter(({ msg }) => msg === 'request');
    for (const id of ids) {
      assert.match(id, /^[0-9a-f-]{36}$/);
      const own = requests.filter(({ requestId }) => requestId === id);
      assert.equal(own.length, 1);
      const [{ method, path, status, ms, ip, time }] = own;
      assert.match(method, /^(GET|POST)$/);
      assert.match(path, /^\/[^?]*$/);
      assert.ok(status >= 200 && status < 500);
      assert.equal(typeof ms, 'number');
      assert.equal(ip, CLIENT);
      assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    assert.ok(requests.length >= ids.length);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('everything on standard output is one JSON object per line', () => {
    for (const line of service.stdout().trim().split('\n')) {
      assert.equal(typeof JSON.parse(line), 'object', line);
    }
  });

  it('metrics have their own port, and labels by route, not by path', async () => {
    const response = await fetch(metricsUrl);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.match(response.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    const text = await response.text();
    assert.match(
      text,
      /^briefs_http_request_duration_seconds_count\{.*route="\/api\/user".*\} [1-9]/m,
    );
    assert.match(
      text,
      new RegExp(`_count\\{.*"GET",route="/:owner/:name",status="200"\\} ${HOT_READS}$`, 'm'),
    );
    assert.match(text, /route="none"/);
    assert.match(text, /^process_cpu_seconds_total /m);
    assert.doesNotMatch(text, /ada|hot|nothing|%zz/);
    for (const address of [`${service.webUrl}/metrics`, `${service.renderUrl}/metrics`]) {
      assert.equal((await fetch(address)).status, 404);
    }
    assert.equal((await fetch(new URL('/', metricsUrl))).status, 404);
  });

  it('tokens are in no log, metric or file', async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
    assert.ok(files.length >= 2);
    const places = [service.stdout(), service.stderr(), metrics, ...files];
    for (const secret of [token, mistyped, btoa(`ada:${token}`)]) {
      // Half of it is a secret too.
      const half = secret.slice(4, 24);
      for (const place of places) assert.ok(!place.includes(half));
    }
    assert.ok(
      files.some((file) => file.includes('ada@example.com')),
      'the search can find something',
    );
  });

  const loggedOnce = async (id: string) => {
    const own = () =>
      logged()
        .map((line) => JSON.parse(line))
        // A warning about a blocked event loop names the request too.
        .filter((one) => one.requestId === id && one.msg === 'request');
    await until(`a line of ${id}`, () => own().length > 0);
    assert.equal(own().length, 1);
    return own()[0];
  };

  it('a request’s line names the account, with a token or a session', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const own = await fetch(`${service.baseUrl}/user`, { headers });
    const { id } = (await own.json()).data;
    assert.equal((await loggedOnce(own.headers.get('x-request-id') ?? '')).account, id);
    const nobody = await fetch(`${service.baseUrl}/user`);
    assert.equal((await loggedOnce(nobody.headers.get('x-request-id') ?? '')).account, undefined);

    const web = newVisitor(service, { address: CLIENT });
    const form = { username: 'grace', email: 'grace@example.com', password: 'three odd walnuts' };
    const signedUp = await web.post('/sign-up', form);
    const home = await web.get('/');
    assert.match(home.text, /grace/);
    const accounts = [signedUp, home].map(async ({ headers }) => {
      return (await loggedOnce(headers.get('x-request-id') ?? '')).account;
    });
    const [first, second] = await Promise.all(accounts);
    assert.match(first, /^[0-9a-f-]{36}$/);
    assert.equal(second, first);
  });

  it('a proxy’s request id is used if it is valid, in every response', async () => {
    const { webUrl, baseUrl, renderUrl } = service;
    const sane = ['trace-0123456789_ab.c', '8letters', 'x'.repeat(64)];
    const other = [
      '7letter',
      'x'.repeat(65),
      'with space',
      'quote"quote',
      '{"a":1}aaaa',
      'é'.repeat(9),
    ];
    const paths = [`${baseUrl}/user`, `${webUrl}/ada/hot`, `${webUrl}/nobody/none`, renderUrl];
    for (const address of [...paths, `${webUrl}/ada/%zz`, `${baseUrl}/mcp`]) {
      for (const id of [...sane, ...other]) {
        const headers = { 'x-request-id': Buffer.from(id).toString('latin1') };
        const answered = (await fetch(address, { headers })).headers.get('x-request-id') ?? '';
        if (sane.includes(id)) assert.equal(answered, id, address);
        else assert.match(answered, /^[0-9a-f]{8}-[0-9a-f-]{27}$/, `${address} ${id}`);
      }
    }
    const id = 'from-the-proxy-1';
    await fetch(paths[1] as string, { headers: { 'x-request-id': id } });
    await loggedOnce(id);
  });

  it('a response that its client did not wait for is logged and counted', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const page = { name: 'long', html: 'x'.repeat(5_000_000), visibility: 'public' };
    const made = await fetch(`${service.baseUrl}/user/pages`, {
      method: 'POST',
      headers,
      body: JSON.stringify(page),
    });
    assert.equal(made.status, 201);
    const leave = async (address: string, id: string, ...more: string[]) => {
      const { port, host, pathname } = new URL(address);
      const head = [
        `Host: ${host}`,
        `X-Request-Id: ${id}`,
        `Authorization: Bearer ${token}`,
        ...more,
      ];
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      const method = more.length > 0 ? 'POST' : 'GET';
      socket.write([`${method} ${pathname} HTTP/1.1`, ...head, '', ''].join('\r\n'));
      // The response, or `100 Continue`.
      await once(socket, 'readable');
      socket.destroy();
      return loggedOnce(id);
    };
    const inAnswer = await leave(`${service.renderUrl}/ada/long`, 'left-in-answer');
    assert.deepEqual([inAnswer.aborted, inAnswer.status], [true, 200]);
    const body = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
    const inBody = await leave(`${service.baseUrl}/user/briefs`, 'left-in-body', ...body);
    assert.deepEqual([inBody.aborted, inBody.status], [true, undefined]);
    assert.ok(inBody.account);
    assert.deepEqual([inAnswer.ip, inBody.ip], ['127.0.0.1', '127.0.0.1']);
    const text = await (await fetch(metricsUrl)).text();
    const count = 'briefs_http_requests_aborted_total';
    assert.match(
      text,
      new RegExp(`^${count}\\{surface="render",.*route="/:owner/:name"\\} 1$`, 'm'),
    );
    assert.match(
      text,
      new RegExp(`^${count}\\{surface="rest",.*route="/api/user/briefs"\\} 1$`, 'm'),
    );
  });
});

describe('Output that cannot be written', () => {
  it('is lost, and everything else continues', { skip: !existsSync('/dev/full') }, async () => {
    const [port = 0, renderPort = 0] = await freePorts(2);
    const settings = {
      DATA_DIR: newDataDir(),
      PORT: String(port),
      RENDER_PORT: String(renderPort),
      HOST: '127.0.0.1',
    };
    const service = startBriefs(['serve'], settings, '', openSync('/dev/full', 'w'));
    const address = `http://127.0.0.1:${port}/readyz`;
    await until(
      'it answers',
      async () => (await fetch(address).catch(() => undefined))?.ok === true,
    );
    // Twice as long as lines are buffered.
    for (let request = 0; request < 10; request += 1) {
      await sleep(30);
      assert.equal((await fetch(address)).status, 200);
    }
    assert.equal((await service.kill('SIGTERM')).code, 0);
  });
});

describe('The port of METRICS_PORT', () => {
  it('doesn’t delay a stop because of an idle connection', async () => {
    const [metricsPort = 0] = await freePorts(1);
    const service = await startServe({
      DATA_DIR: newDataDir(),
      METRICS_PORT: String(metricsPort),
    });
    const socket = connect(metricsPort, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    const { code, stderr } = await service.kill('SIGTERM');
    assert.deepEqual([code, stderr], [0, '']);
    socket.destroy();
  });
});

describe('Without METRICS_PORT', () => {
  it('nothing is measured and no port is open', async () => {
    const service = await startService();
    try {
      assert.equal(service.config.metricsPort, undefined);
      for (const url of [service.webUrl, service.renderUrl]) {
        assert.equal((await fetch(`${url}/metrics`)).status, 404);
      }
    } finally {
      await service.stop();
    }
  });
});

describe('The database handles', () => {
  it('write a log, which is synced apart from commits, and enforce foreign keys', async () => {
    const service = await startService();
    try {
      const { read, transaction } = service.app.context.sql;
      for (const [pragma, value] of [
        ['journal_mode', 'wal'],
        ['synchronous', 1],
        ['foreign_keys', 1],
        ['application_id', 0x42726673],
      ] as const) {
        const query = sql<Record<string, unknown>>`${sql.raw(`pragma ${pragma}`)}`;
        const reader = await query.execute(read);
        const writer = await transaction((tx) => query.execute(tx));
        for (const { rows } of [reader, writer]) assert.equal(rows[0]?.[pragma], value, pragma);
      }
    } finally {
      await service.stop();
    }
  });
});
