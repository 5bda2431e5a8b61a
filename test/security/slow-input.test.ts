import { strict as assert } from 'node:assert';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hostileInputs } from '../markdown/hostile-inputs.ts';
import { createUser, type ServeProcess, startServe } from '../process.ts';
import { exchange, lines } from '../raw-http.ts';
import { clientMissing } from '../web/built-client.ts';

/** `HOSTILE_INPUTS=all`: every class at both sizes, which takes minutes. */
const ALL = process.env.HOSTILE_INPUTS === 'all';

/** Of how many classes one is sent, by size: other ones each time. */
const STEPS: readonly (readonly [bytes: number, step: number])[] = [
  [90_000, ALL ? 1 : 14],
  [900_000, ALL ? 1 : 25],
];

/** The most that one request may carry (`document/kind.ts`). */
const MAX_BODY = 1_000_000;

/** How many hostile authors and readers there are at once. */
const LANES = 3;

/** Far more than any of it takes; what takes longer hangs. */
const ANSWER_WITHIN_MS = 60_000;
/** The longest that anybody else may wait: the event loop was never held for long. */
const OTHERS_WAIT_MS = 3_000;
/** Two threads at their limits, and the process around them. */
const MOST_MEMORY_MB = 1_200;

describe('slow input', { skip: clientMissing }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-slow-'));
  let service: ServeProcess;
  let token: string;

  before(async () => {
    token = await createUser(dataDir, 'ada');
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

  async function write(method: string, path: string, body: object | string) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: {
        ...bearer(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Others read something else all the while; gives the longest that one of them waited, ms. */
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
        // As people do, who are not all the load that there is.
        await new Promise((resolve) => setTimeout(resolve, 5));
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

  /** The most memory that the process ever had, MB. */
  function peakMemory(): number {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** As much of a source as one request carries. */
  function fit(source: string, bytes: number): string {
    let content = Buffer.from(source.replaceAll('\0', '')).subarray(0, bytes).toString();
    while (JSON.stringify(content).length > MAX_BODY - 200) {
      content = content.slice(0, content.length * 0.9);
    }
    return content;
  }

  for (const [bytes, step] of STEPS) {
    it(`hostile Markdown of ${bytes / 1000} KB is written and read, and nobody waits for it`, async (t) => {
      const inputs = Object.entries(hostileInputs(bytes)).filter(([name]) => name !== 'nul');
      const first = randomInt(step);
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
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
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
      // On a busy machine none of the long ones may be finished in time.
      if (bytes < 100_000) assert.ok(outcomes.shown > 0, 'some can be shown');
      assert.ok(worst < OTHERS_WAIT_MS, `somebody else waited ${Math.round(worst)} ms`);
      assert.ok(memory < MOST_MEMORY_MB, `${memory} MB`);
    });
  }

  it('JSON that nests without end is refused on every surface, and nobody waits for it', async (t) => {
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

  it('JSON of very many values is refused on every surface, and nobody waits for it', async (t) => {
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
          assert.match(text, /"body: has more than 500 values\."/, `${path}, ${what}`);
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

  it('headers of the greatest length that is read, in every shape, take nobody’s time', async (t) => {
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
