import { strict as assert } from 'node:assert';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, describe, it } from 'node:test';
import { zip } from '../document/zip.ts';
import { uploadForm } from '../files/samples.ts';
import { startService } from '../harness.ts';
import { connect } from '../mcp/agent.ts';
import { exchange, lines } from '../raw-http.ts';
import { clientMissing } from '../web/built-client.ts';
import { makePerson } from '../web-app/world.ts';

const FILES = ['etc/passwd', 'package.json', 'briefs.db', 'manifest.json', 'src/main.js'];

/** Path traversals in notations that could bypass a check. */
const WAYS_UP = [
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '%2E%2E%2F',
  '..\\',
  '..%5c',
  '%2e%2e%5c',
  '....//',
  '..;/',
  '.%2e/',
  '%252e%252e%252f',
  '..%c0%af',
  '..%c1%9c',
  '%c0%ae%c0%ae/',
  '..%e0%80%af',
  '..%00/',
  '%00../',
  '..%0d%0a/',
  './../',
  '/../',
  '//../',
  '..%ef%bc%8f',
  '\uff0e\uff0e/',
  '.../',
];

/** Invalid or overlong UTF-8, at every place for a name. */
const ODD = [
  '%00',
  '%',
  '%2',
  '%zz',
  '%u002e',
  '%ff',
  '%c0%80',
  '%e0%80%80',
  '%f0%80%80%80',
  '%f8%88%80%80%80',
  '%ed%a0%80',
  '%ed%bf%bf',
  '%fe%ff',
  '%ef%bf%bf',
  '%0d%0aX:%20y',
  '%7f',
  '%e2%80%ae',
  '%1b[2J',
];

describe('Traversal and odd encodings', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  await ada.client.post('/user/briefs', {
    name: 'plan',
    content: '# Plan',
    visibility: 'private',
  });

  /** Sends an unchanged path to each place; the response must show nothing. */
  async function refuse(port: number, path: string): Promise<void> {
    const bearer = `Authorization: Bearer ${ada.client.token}`;
    const bytes = lines(`GET ${path} HTTP/1.1`, 'Host: localhost', bearer, 'Connection: close');
    const { answers } = await exchange(port, Buffer.from(bytes, 'utf8'));
    const [answer] = answers;
    const { location = '' } = answer?.headers ?? {};
    const isRefused = [400, 404].includes(answer?.status ?? 0) || location.startsWith('/sign-in');
    assert.ok(answer && isRefused, `${answer?.status} ${port} ${path}`);
    assert.doesNotMatch(answer.body, /root:|SQLite format|"version"|dist\/|# Plan|Error:/, path);
    assert.equal(answer.headers.x, undefined, path);
  }

  it('no path from any address reaches a file', async () => {
    const { port, renderPort } = service.config;
    const below: [number, string[]][] = [
      [
        port,
        ['/', '/assets/', '/ada/', '/ada/pages/', '/read/ada/', '/api/briefs/ada/', '/api/users/'],
      ],
      [renderPort, ['/', '/ada/', '/files/x/', '/files/', '/s/x/']],
    ];
    const work = below.flatMap(([to, prefixes]) =>
      prefixes.flatMap((prefix) =>
        WAYS_UP.flatMap((up) => [1, 4].map((times) => [to, prefix + up.repeat(times)] as const)),
      ),
    );
    for (const [index, [to, path]] of work.entries()) {
      await refuse(to, path + FILES[index % FILES.length]);
    }
  });

  it('no path reaches another document, and invalid text is no name', async () => {
    const { port, renderPort } = service.config;
    for (const odd of ODD) {
      for (const [to, path] of [
        [port, `/ada/plan${odd}`],
        [port, `/${odd}/plan`],
        [port, `/assets/${odd}`],
        [port, `/api/briefs/ada/plan${odd}`],
        [port, `/api/briefs/${odd}/plan`],
        [port, `/api/briefs/ada/x${odd}/../plan`],
        [renderPort, `/ada/${odd}`],
        [renderPort, `/files/${odd}/x`],
        [renderPort, `/s/${odd}/1`],
      ] as const) {
        await refuse(to, path);
      }
    }
  });

  it('no tool accepts a path as a name', async () => {
    const agent = await connect(service, ada.client.token);
    for (const up of [...WAYS_UP, ...ODD, '\0', '/']) {
      for (const args of [
        { owner: 'ada', name: `${up}plan` },
        { owner: `${up}ada`, name: 'plan' },
        { owner: 'ada', name: `x/${up}plan` },
      ]) {
        const { code } = await agent.call('read_document', args);
        assert.match(code ?? '', /^(NOT_FOUND|INVALID_ARGUMENT)$/, JSON.stringify(args));
      }
      await assert.rejects(agent.client.readResource({ uri: `brief://ada/${up}plan` }), up);
    }
    await agent.close();
  });

  it('file names in uploads and archives write only to the store', async () => {
    const beside = () => readdirSync(tmpdir()).filter((name) => name.includes('traversed'));
    const names = WAYS_UP.map((up) => `${up.repeat(8)}tmp/traversed.md`);
    for (const name of [...names, '/tmp/traversed.md', 'C:\\traversed.md', '/dev/null', 'CON.md']) {
      const upload = uploadForm({ bytes: new TextEncoder().encode('x'), name, type: 'text/plain' });
      const { status } = await ada.client.request('/user/files', { method: 'POST', ...upload });
      assert.ok(status === 201 || status === 400, `${status} ${name}`);
    }
    const form = new FormData();
    for (const [name, value] of Object.entries({
      owner: 'ada',
      visibility: 'private',
      ifTaken: 'skip',
    }))
      form.append(name, value);
    const safe = names.filter((name) => !name.includes('\\'));
    const archive = await zip(
      Object.fromEntries(safe.map((name) => [name.replace(/^\/+/, ''), '# x'])),
    ).catch(() => zip({ 'x.md': '# x' }));
    form.append('files', new Blob([archive as unknown as string]), '../../tmp/traversed.zip');
    const { status } = await ada.visitor.post('/import', form);
    assert.equal(status, 200);
    assert.deepEqual(beside(), []);
  });
});
