import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../chance.ts';
import { zip } from '../document/zip.ts';
import { hostileInputs } from '../markdown/hostile-inputs.ts';
import { createUser, type ServeProcess, startServe } from '../process.ts';
import { exchange, lines } from '../raw-http.ts';
import { newVisitor, signUp, type Visitor } from '../sign-in/visitor.ts';
import { clientMissing } from '../web/built-client.ts';
import { besideBystander, HELD_AT_MOST_MS } from './bystander.ts';

/** `HOSTILE_INPUTS=all`: every class at both sizes, which takes minutes. */
const ALL = process.env.HOSTILE_INPUTS === 'all';

/** How many classes are sent, by size: a different sample with each seed. */
const STEPS: readonly (readonly [bytes: number, step: number])[] = [
  [90_000, ALL ? 1 : 14],
  [900_000, ALL ? 1 : 25],
];

/** The largest content of one request (`base/schema/kind.ts`). */
const MAX_BODY = 1_000_000;

/** How many hostile authors and readers are active at once. */
const LANES = 3;

/** Far more than any request takes; longer means a hang. */
const ANSWER_WITHIN_MS = 60_000;
/** The longest that anyone else may wait. */
const OTHERS_WAIT_MS = 3_000;
/** How soon a search must find a new document, whatever else is being indexed. */
const FOUND_WITHIN_MS = 15_000;
/** Two threads at their limits, plus the rest of the process. */
const MOST_MEMORY_MB = 1_200;

describe('Slow input', { skip: clientMissing }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-slow-'));
  let service: ServeProcess;
  let token: string;
  let edsToken: string;

  before(async () => {
    token = await createUser(dataDir, 'ada');
    edsToken = await createUser(dataDir, 'ed');
    service = await startServe({ DATA_DIR: dataDir });
    await write('POST', '/user/briefs', { name: 'quiet', content: '# Quiet' });
    await read(`${service.webUrl}/ada/quiet`, { accept: 'text/html' });
  });
  after(async () => {
    await service?.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const bearer = () => ({ authorization: `Bearer ${token}` });

  async function read(url: string, headers: Record<string, string> = {}) {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(url, { headers, signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function write(
    method: string,
    path: string,
    body: object | string,
    headers: Record<string, string> = bearer(),
  ) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Others read another document in the meantime; returns their longest wait in ms. */
  async function besideOthers(
    work: () => Promise<void>,
  ): Promise<{ worst: number; reads: number }> {
    let isOver = false;
    let [worst, reads] = [0, 0];
    const others = [
      () => read(`${service.webUrl}/ada/quiet`, { accept: 'text/html' }),
      () => read(`${service.webUrl}/ada/quiet.md`),
      () => read(`${service.baseUrl}/briefs/ada/quiet`, bearer()),
    ].map(async (other) => {
      while (!isOver) {
        const start = performance.now();
        const { status, text } = await other();
        worst = Math.max(worst, performance.now() - start);
        reads++;
        assert.equal(status, 200);
        assert.match(text, /Quiet/);
        // Often enough to detect a blocked event loop, with little load of its own.
        await sleep(50);
      }
    });
    try {
      await work();
    } finally {
      isOver = true;
    }
    await Promise.all(others);
    return { worst, reads };
  }

  /** The peak memory of the process, in MB. */
  function peakMemory(): number {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** As much of a source as one request can contain. */
  function fit(source: string, bytes: number): string {
    let content = Buffer.from(source.replaceAll('\0', '')).subarray(0, bytes).toString();
    while (JSON.stringify(content).length > MAX_BODY - 200) {
      content = content.slice(0, content.length * 0.9);
    }
    return content;
  }

  for (const [bytes, step] of STEPS) {
    it(`hostile Markdown of ${bytes / 1000} KB is written and read without delaying others`, async (t) => {
      const inputs = Object.entries(hostileInputs(bytes)).filter(([name]) => name !== 'nul');
      const first = newChance(`hostile inputs of ${bytes}`).below(step);
      const chosen = inputs.filter((_, index) => index % step === first).entries();
      const outcomes = { shown: 0, source: 0, later: 0 };
      let slowest: [ms: number, what: string] = [0, ''];
      const lane = async () => {
        for (const [index, [what, source]] of chosen) {
          const name = `hostile-${bytes}-${index}`;
          const content = fit(source, bytes);
          const made = await write('POST', '/user/briefs', { name, content });
          assert.equal(made.status, 201, `${what}: ${made.text.slice(0, 200)}`);
          const start = performance.now();
          const page = await read(`${service.webUrl}/ada/${name}`, { accept: 'text/html' });
          const ms = performance.now() - start;
          if (ms > slowest[0]) slowest = [ms, what];
          assert.equal(page.status, 200, what);
          assert.match(page.text, /^<!doctype html>/, what);
          assert.match(page.text, /<\/html>\s*$/, what);
          const isProvisional = page.headers.get('cache-control') === 'no-store';
          if (page.text.includes('class="prose"')) outcomes.shown++;
          else if (isProvisional) outcomes.later++;
          else {
            assert.match(page.text, /<pre class="plain-source">/, what);
            outcomes.source++;
          }
          const raw = await read(`${service.webUrl}/ada/${name}.md`);
          assert.equal(raw.text, content, what);
          const call = {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'read_document', arguments: { owner: 'ada', name } },
          };
          assert.equal((await write('POST', '/mcp', call)).status, 200, what);
          assert.equal((await write('DELETE', `/briefs/ada/${name}`, {})).status, 204, what);
        }
      };
      const { worst, reads } = await besideOthers(async () => {
        await Promise.all(Array.from({ length: LANES }, lane));
      });
      const memory = Math.round(peakMemory());
      t.diagnostic(
        `${JSON.stringify(outcomes)}; slowest page ${Math.round(slowest[0])} ms (${slowest[1]}); ` +
          `${reads} other reads, the worst ${Math.round(worst)} ms; at most ${memory} MB`,
      );
      // On a busy machine, none of the long ones may be finished in time.
      if (bytes < 100_000) assert.ok(outcomes.shown > 0, 'some can be shown');
      assert.ok(worst < OTHERS_WAIT_MS, `somebody else waited ${Math.round(worst)} ms`);
      assert.ok(memory < MOST_MEMORY_MB, `${memory} MB`);
    });
  }

  it('endlessly nested JSON is refused on every surface without delaying others', async (t) => {
    const deep = [
      '['.repeat(900_000),
      `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`,
      `{"content":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    ];
    const { worst } = await besideOthers(async () => {
      for (const body of deep) {
        for (const path of [
          '/user/briefs',
          '/user/pages',
          '/user/orgs',
          '/mcp',
          '/oauth/register',
        ]) {
          const { status } = await write('POST', path, body);
          assert.ok(status >= 400 && status < 500, `${status} ${path}`);
        }
      }
    });
    t.diagnostic(`others waited ${Math.round(worst)} ms at most`);
    assert.ok(worst < OTHERS_WAIT_MS, `somebody else waited ${Math.round(worst)} ms`);
  });

  it('JSON with very many values is refused on every surface without delaying others', async (t) => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`);
    const many = {
      lists: (bytes: number) => `[${'[],'.repeat(bytes / 3)}[]]`,
      keys: (bytes: number) => `{"a":{${keys(bytes / 12)}}}`,
      numbers: (bytes: number) => `{"content":[${'1,'.repeat(bytes / 2)}1]}`,
    };
    const message = (bytes: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${keys(bytes / 12)}}}}`;
    const long = message(5_900_000);
    const { worst } = await besideOthers(async () => {
      for (const [what, make] of Object.entries(many)) {
        for (const [path, bytes] of [
          ['/user/briefs', 900_000],
          ['/user/orgs', 900_000],
          ['/user/pages', 5_900_000],
        ] as const) {
          const { status, text } = await write('POST', path, make(bytes));
          assert.equal(status, 400, `${path}, ${what}`);
          assert.match(text, /"body: has more than 1,000 values\."/, `${path}, ${what}`);
        }
      }
      const calls = Array.from({ length: 8 }, () => write('POST', '/mcp', long));
      for (const { status, text } of await Promise.all(calls)) {
        assert.equal(status, 400);
        assert.match(text, /The body has more than 2,000 values/);
      }
    });
    t.diagnostic(`others waited ${Math.round(worst)} ms at most`);
    assert.ok(worst < OTHERS_WAIT_MS, `somebody else waited ${Math.round(worst)} ms`);
  });

  it('marks that take quadratic time to normalise delay neither searches nor the index', async (t) => {
    const bob = await signUp(service, 'bob');
    const find = async (word: string) => (await bob.get(`/search?q=${word}`)).text;
    const marks = '\u0300\u0316';
    const publish = (content: string) => ({ content, visibility: 'public' });
    const worst = await besideBystander(service, async () => {
      for (let index = 0; index < 10; index++) {
        const content = `quarry a${marks.repeat(20_000)}`;
        const brief = { name: `marks-${index}`, ...publish(content) };
        assert.equal((await write('POST', '/user/briefs', brief)).status, 201);
      }
      for (const name of ['one', 'two']) {
        const content = `a${marks.repeat(220_000)}`;
        const brief = { name: `marks-${name}`, content };
        assert.equal((await write('POST', '/user/briefs', brief)).status, 201);
      }
      const late = { name: 'late', ...publish('latecomer') };
      assert.equal((await write('POST', '/user/briefs', late)).status, 201);
      const until = Date.now() + FOUND_WITHIN_MS;
      while (!(await find('latecomer')).includes('ada/late') && Date.now() < until) await sleep(50);
      assert.match(await find('latecomer'), /ada\/late/);
      while (!(await find('quarry')).includes('marks-9') && Date.now() < until) await sleep(50);
      const start = performance.now();
      assert.match(await find('quarry'), /marks-0/);
      t.diagnostic(`the search took ${Math.round(performance.now() - start)} ms`);
    });
    t.diagnostic(`the event loop was held for ${Math.round(worst)} ms at most`);
    assert.ok(worst < HELD_AT_MOST_MS, `the event loop was held for ${Math.round(worst)} ms`);
  });

  it('a document gets its name before another account’s slow ones', async () => {
    const slow = `${'>'.repeat(30)} a\n${'a\n'.repeat(30_000)}`;
    const named = async () => {
      const path = `${service.baseUrl}/user/briefs?per_page=100`;
      const { data } = await (await fetch(path, { headers: bearer() })).json();
      return data.filter(({ name }: { name: string }) => name.startsWith('untitled-')).length;
    };
    const before = await named();
    // One fewer than are answered at once.
    const flood = Array.from({ length: 7 }, async (_, index) => {
      const { status } = await write('POST', '/user/briefs', { content: `${slow}${index}` });
      assert.equal(status, 201);
    });
    // One has its name, another is being named, and the others wait.
    while ((await named()) === before) await sleep(5);
    const page = { html: '<title>Quick</title>' };
    const eds = { authorization: `Bearer ${edsToken}` };
    assert.equal((await write('POST', '/user/pages', page, eds)).status, 201);
    const done = (await named()) - before;
    assert.ok(done <= 4, `${done} of the slow ones came first`);
    await Promise.all(flood);
  });

  it('the longest headers accepted, in every shape, delay no one', async (t) => {
    const most = 14_000;
    const fill = (unit: string) => unit.repeat(Math.floor(most / unit.length));
    const heads = {
      'many of them': Array.from({ length: 900 }, (_, index) => `X-${index}: x`),
      'one of them': [`X: ${fill('x')}`],
      'types to choose from': [`Accept: ${fill('text/html;q=0.1,')}*/*`],
      'parameters of a type': [`Accept: text/html;${fill('a="\\"",')}`],
      'tags to compare': [`If-None-Match: ${fill('"a", ')}"b"`],
      'half a tag': [`If-None-Match: ${fill('W/"')}`],
      ranges: [`Range: bytes=${fill('0-0,')}1-1`],
      cookies: [`Cookie: ${fill('a=b; ')}briefs-session=x`],
      'equal signs': [`Cookie: ${fill('=')}`],
      proxies: [`X-Forwarded-For: ${fill('10.0.0.1, ')}10.0.0.2`],
      'a token': [`Authorization: Bearer ${fill('a')}`],
      'white space': [`Authorization: Bearer${fill(' ')}x`],
      'a date': [`If-Modified-Since: ${fill('1')}`],
      'a type': ['Content-Length: 2', `Content-Type: application/json;${fill(' a=b;')}`],
    };
    const { worst } = await besideOthers(async () => {
      for (const [what, head] of Object.entries(heads)) {
        const ports = [service.port, Number(new URL(service.renderUrl).port)];
        for (const port of ports) {
          for (const path of ['/ada/quiet', '/', '/api/briefs/ada/quiet', '/api/mcp', '/sign-in']) {
            const bytes = lines(`GET ${path} HTTP/1.1`, 'Host: localhost', ...head);
            const body = head.length === 2 ? '{}' : '';
            const { answers } = await exchange(port, bytes + body);
            assert.ok((answers[0]?.status ?? 599) < 500, `${what}: ${answers[0]?.status} ${path}`);
          }
        }
      }
    });
    t.diagnostic(`others waited ${Math.round(worst)} ms at most`);
    assert.ok(worst < OTHERS_WAIT_MS, `somebody else waited ${Math.round(worst)} ms`);
  });
});

/** Takes quadratic time to normalise. */
const marks = (units: number) => `a${'\u0300\u0316'.repeat(units / 2)}`;

describe('Text that is slow to process delays no one else', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-marks-'));
  let service: ServeProcess;
  let token: string;
  let grace: Visitor;

  before(async () => {
    service = await startServe({ DATA_DIR: dataDir, TRUST_PROXY: 'loopback' });
    token = await createUser(dataDir, 'ada');
    grace = await signUp(service, 'grace');
    // These surfaces are loaded at their first request.
    await call('whoami', {});
    await fetch(`${service.webUrl}/.well-known/oauth-authorization-server`);
  });
  after(async () => {
    await service?.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function send(method: string, path: string, body: object) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  /**
   * Reads a response without storing it: the bystander is in this process and must not wait for us.
   */
  async function countBytes(path: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    const asked = get(service.baseUrl + path, { headers });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(response, 'end');
    return bytes;
  }

  async function importFiles(
    files: Record<string, string>,
    visibility: 'private' | 'public',
  ): Promise<void> {
    const form = new FormData();
    const choice = { owner: 'grace', visibility, ifTaken: 'number' };
    for (const [key, value] of Object.entries(choice)) form.append(key, value);
    form.append('files', new Blob([new Uint8Array(await zip(files))]), 'all.zip');
    const { status, text } = await grace.post('/import', form);
    assert.equal(status, 200, text);
    const created = text.match(/data-outcome="created"/g)?.length;
    assert.equal(created, Object.keys(files).length);
  }

  async function call(name: string, args: object): Promise<string> {
    const params = { name, arguments: args };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { status, text } = await send('POST', '/mcp', message);
    assert.equal(status, 200, text.slice(0, 200));
    return text;
  }

  const refusedLength = /name: must have 1 to 100 characters/;

  const cases: Record<string, () => Promise<void>> = {
    async 'names of documents, over the API'() {
      const made = await send('POST', '/user/briefs', { name: 'plain', content: '# Plain' });
      assert.ok([201, 422].includes(made.status));
      for (const [method, path, body] of [
        ['POST', '/user/briefs', { name: marks(60_000), content: 'x' }],
        ['POST', '/user/pages', { name: marks(60_000), html: '<p>x</p>' }],
        ['PATCH', '/briefs/ada/plain', { name: marks(60_000) }],
      ] as const) {
        const { status, text } = await send(method, path, body);
        assert.equal(status, 400, text.slice(0, 200));
        assert.match(text, refusedLength);
      }
    },
    async 'names of documents, by tools'() {
      assert.match(
        await call('publish_document', { name: marks(60_000), content: 'x' }),
        refusedLength,
      );
      const read = await call('read_document', { owner: 'ada', name: marks(60_000) });
      assert.match(read, /NOT_FOUND|not found|There is no/i);
    },
    async 'names of files'() {
      const uploaded = await call('files', {
        action: 'upload',
        name: `${marks(60_000)}.txt`,
        text: 'x',
      });
      assert.match(uploaded, /name: must have at most 255 characters/);
    },
    async 'names of files in an archive'() {
      const name = (index: number) => `${index}${marks(30_000)}.md`;
      const files = Array.from({ length: 5 }, (_, index) => [name(index), `# ${index}`]);
      await importFiles(Object.fromEntries(files), 'private');
    },
    async 'a page of 5 MB that JSON escapes, read by many'() {
      const html = '\u0001'.repeat(5 * 1024 * 1024);
      await importFiles({ 'escaped.html': html }, 'public');
      const reads = Array.from({ length: 4 }, () => countBytes('/pages/grace/escaped'));
      for (const bytes of await Promise.all(reads)) assert.ok(bytes > 6 * html.length);
    },
    async 'names of clients'() {
      const client = { client_name: marks(25_000), redirect_uris: ['https://example.com/back'] };
      const { status, text } = await send('POST', '/oauth/register', client);
      assert.equal(status, 201, text.slice(0, 200));
      assert.equal(
        JSON.parse(text).client_name,
        `a${'\u0316'.repeat(15)}${'\u0300'.repeat(15)}`.normalize('NFC'),
      );
    },
    async 'backticks in comments, where mentions are looked for'() {
      await send('POST', '/user/briefs', { name: 'discussed', content: '# Discussed' });
      const bodies = {
        'code that never ends': `@grace \`\`\`${'``a'.repeat(3_400)}`,
        'runs of every length': Array.from({ length: 140 }, (_, n) => '`'.repeat(n)).join(' '),
        'a fence in one line': '`'.repeat(10_240),
        'a fence of tildes in one line': '~'.repeat(10_240),
      };
      for (const [what, body] of Object.entries(bodies)) {
        const { status, text } = await send('POST', '/briefs/ada/discussed/threads', { body });
        assert.equal(status, 201, `${what}: ${text.slice(0, 200)}`);
      }
    },
    async 'passwords to sign up with, which are counted first'() {
      const visitor = newVisitor(service, { address: '203.0.113.1' });
      const form = { username: 'new', email: 'new@example.com', password: marks(5_000) };
      const statuses: number[] = [];
      for (let times = 0; times < 60; times++) {
        statuses.push((await visitor.post('/sign-up', form)).status);
      }
      assert.deepEqual(statuses, [...Array(30).fill(422), ...Array(30).fill(429)]);
    },
  };

  for (const [what, send] of Object.entries(cases)) {
    it(what, async (t) => {
      const longest = await besideBystander(service, send);
      t.diagnostic(`the event loop was held for ${Math.round(longest)} ms at most`);
      assert.ok(longest < HELD_AT_MOST_MS, `the event loop was held for ${Math.round(longest)} ms`);
    });
  }
});
