import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServeProcess, startServe, succeed } from '../process.ts';
import { lines } from '../raw-http.ts';
import { signUp, type Visitor } from '../sign-in/visitor.ts';
import { until } from '../until.ts';
import { clientMissing } from '../web/built-client.ts';
import { besideBystander } from './bystander.ts';

/** As many connections of one account. */
const CONNECTIONS = 120;
/** A sign that isn't Latin makes a text take twice the memory. */
const HTML = `<title>Large</title>\n${'<p>one line of many</p>\n'.repeat(190_000)}€`;
const small = { type: 'page', owner: 'mal', name: 'small' };
/** What `docs/operate/sizing.md` promises. */
const MOST_MEMORY_MIB = 1024;
/** What Node chooses in a container of that size. */
const NODE_OPTIONS = `--max-old-space-size=${MOST_MEMORY_MIB / 2}`;
/** The longest that anyone else may wait, on a slow machine. */
const OTHERS_WAIT_MS = 1_500;
/** How long an attack goes on after all has been sent. */
const ATTACK_MS = 3_000;

describe('Large answers that one account doesn’t read', { skip: clientMissing }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-unread-'));
  let service: ServeProcess;
  let mal: Visitor;
  let token: string;
  let documentId: string;
  let client: string;
  let sockets: Socket[] = [];

  before(async () => {
    service = await startServe({ DATA_DIR: dataDir, NODE_OPTIONS });
    mal = await signUp(service, 'mal');
    token = (await succeed(['tokens', 'create', 'mal'], { DATA_DIR: dataDir })).trim();
    const made = await api('POST', '/user/pages', { name: 'large', html: HTML });
    assert.equal(made.status, 201, JSON.stringify(made.data));
    documentId = made.data.id;
    const half = HTML.slice(0, 500_000);
    assert.equal((await api('POST', '/user/pages', { name: 'small', html: half })).status, 201);
    client = `${(await api('GET', '/user')).data.id}/c0`;
    const html = HTML.replace('one line', 'One line');
    assert.equal((await api('PATCH', '/pages/mal/large', { html })).status, 200);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  const bearer = () => `Authorization: Bearer ${token}`;
  const cookie = () =>
    `Cookie: ${Array.from(mal.cookies, ([name, value]) => `${name}=${value}`).join('; ')}`;

  async function api(method: string, path: string, body?: object) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data } = (await response.json()) as { data: Record<string, string> & { id: string } };
    return { status: response.status, data };
  }

  /** Opens connections that send bytes and read only the start of what comes. */
  async function flood(count: number, bytes: string, after = ''): Promise<string[]> {
    const heads: string[] = [];
    sockets = Array.from({ length: count }, (_, at) => {
      const socket = connect(service.port, '127.0.0.1');
      socket.setEncoding('latin1').on('error', () => {});
      socket.once('data', (text) => {
        heads[at] = `${text}`;
        socket.pause();
        socket.write(after);
      });
      socket.once('connect', () => socket.write(bytes, 'latin1'));
      return socket;
    });
    await until('all have an answer', () => heads.filter(Boolean).length === count);
    return heads;
  }

  /** Ends all connections, some before they are answered. Afterwards there is room again, for all. */
  async function leave(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await until('there is room again', async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, isAnswered));
      return answers.every(Boolean);
    });
  }

  const isAnswered = async () => (await api('GET', '/pages/mal/large')).status === 200;

  const memory = () => {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
  };

  const get = (path: string, ...headers: string[]) =>
    lines(`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers);
  const post = (path: string, body: object, ...headers: string[]) => {
    const text = JSON.stringify(body);
    const length = `Content-Length: ${text.length}`;
    const type = 'Content-Type: application/json';
    return lines(`POST ${path} HTTP/1.1`, 'Host: localhost', type, length, ...headers) + text;
  };
  const fromPage = () => [cookie(), `Origin: ${service.webUrl}`, 'Sec-Fetch-Site: same-origin'];

  const requests: Record<string, () => string> = {
    'a page over the API': () => get('/api/pages/mal/large', bearer()),
    'a revision': () => get('/api/pages/mal/large/revisions/1', bearer()),
    'several pages over the API': () =>
      post('/api/documents/read', { documents: Array(100).fill(small) }, bearer()),
    'a tool': () =>
      post(
        '/api/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'read_document', arguments: { kind: 'page', document: 'mal/large' } },
        },
        bearer(),
        'Accept: application/json, text/event-stream',
      ),
    'the editor’s screen': () => get('/edit/mal/pages/large', cookie(), 'Accept: text/html'),
    'the text for the editor': () =>
      post(`/live/edit/${documentId}`, { client, known: {} }, ...fromPage()),
  };

  for (const [name, request] of Object.entries(requests)) {
    it(`don’t stop others or fill the memory: ${name}`, async (test) => {
      let heads: string[] = [];
      const longest = await besideBystander(service, async () => {
        heads = await flood(CONNECTIONS, request());
        await sleep(ATTACK_MS);
      });
      const of = Map.groupBy(heads, (head) => head.slice(9, 12));
      const counts = Object.fromEntries([...of].map(([status, all]) => [status, all.length]));
      test.diagnostic(`${JSON.stringify(counts)}, ${longest} ms, ${memory()} MiB`);
      assert.ok(of.has('200'), 'some are answered');
      // A tool answers with a part of the text, and several pages have 1 MB, which the system's buffers take.
      const isSmall = ['a tool', 'several pages over the API'].includes(name);
      assert.ok(of.has('429') || isSmall, 'too many are refused');
      assert.ok([...of.keys()].every((status) => ['200', '429'].includes(status)));
      for (const head of of.get('429') ?? []) assert.match(head, /\r\nretry-after: /i);
      assert.ok(longest < OTHERS_WAIT_MS, `${longest} ms`);
      assert.ok(memory() < MOST_MEMORY_MIB, `${memory()} MiB`);
      await leave();
    });
  }

  it('refuse the editor’s form, whose answer can be as large, but not settings', async () => {
    await flood(CONNECTIONS, get('/api/pages/mal/large', bearer()));
    const headers = {
      cookie: cookie().slice('Cookie: '.length),
      accept: 'text/html',
      origin: service.webUrl,
    };
    const body = new FormData();
    // Without the tag of what was read, it conflicts.
    const was = {
      name: 'large',
      fromName: 'large',
      visibility: 'public',
      fromVisibility: 'public',
    };
    const ids = { document: documentId, account: client.slice(0, -3) };
    const fields = { content: 'x', etag: '', ...was, ...ids };
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const address = `${service.webUrl}/edit/mal/pages/large`;
    const send = () => fetch(address, { method: 'POST', headers, body });
    assert.equal((await send()).status, 429);
    const settings = await fetch(`${service.webUrl}/settings/tokens`, { headers });
    assert.equal(settings.status, 200, 'where one revokes the token that does this');
    await leave();
    assert.equal((await send()).status, 412);
  });

  const bodies: Record<string, () => string[]> = {
    'a page over the API': () => ['POST /api/user/pages HTTP/1.1', bearer()],
    'a tool': () => ['POST /api/mcp HTTP/1.1', bearer()],
    'changes for the editor': () => [`POST /live/edit/${documentId} HTTP/1.1`, ...fromPage()],
    'the editor’s form': () => ['POST /edit/mal/pages/large HTTP/1.1', ...fromPage()],
    'the editor’s form, signed out': () => [
      'POST /edit/mal/pages/large HTTP/1.1',
      `Origin: ${service.webUrl}`,
    ],
  };

  for (const [name, head] of Object.entries(bodies)) {
    it(`don’t fill the memory with bodies that never end: ${name}`, async () => {
      const [start = '', ...headers] = head();
      const isForm = name.includes('form');
      const type = isForm ? 'multipart/form-data; boundary=x' : 'application/json';
      const length = 4_500_000;
      const content = ['Host: localhost', `Content-Type: ${type}`, `Content-Length: ${length}`];
      const heads: string[] = [];
      sockets = Array.from({ length: CONNECTIONS }, (_, at) => {
        const socket = connect(service.port, '127.0.0.1').setEncoding('latin1');
        socket
          .on('error', () => {})
          .on('data', (text) => {
            heads[at] ??= `${text}`;
          });
        socket.once('connect', () => socket.write(lines(start, ...content, ...headers)));
        return socket;
      });
      // As many as fit into 48 MiB wait for the rest of theirs.
      const refused = CONNECTIONS - Math.ceil((48 * 1024 * 1024) / length);
      await until('the others are refused', () => heads.filter(Boolean).length >= refused);
      assert.deepEqual(
        [...new Set(heads.filter(Boolean).map((text) => text.slice(9, 12)))],
        ['429'],
      );
      await leave();
    });
  }

  it('don’t stop others or fill the memory: joins of editors', async (test) => {
    const handshake = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${Buffer.from('0123456789abcdef').toString('base64')}`,
    ];
    const message = JSON.stringify({ type: 'join', client, known: {} });
    // A masked frame whose mask is zero.
    const frame = `\x81\xfe${String.fromCharCode(message.length >> 8, message.length & 255)}\0\0\0\0${message}`;
    const longest = await besideBystander(service, async () => {
      const asked = get(`/live/edit/${documentId}`, ...handshake, ...fromPage());
      await flood(64, asked, frame.repeat(30));
      await sleep(2 * ATTACK_MS);
    });
    test.diagnostic(`${longest} ms, ${memory()} MiB`);
    assert.ok(longest < OTHERS_WAIT_MS, `${longest} ms`);
    assert.ok(memory() < MOST_MEMORY_MIB, `${memory()} MiB`);
    await leave();
  });
});
