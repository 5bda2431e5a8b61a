import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { uploadForm } from '../files/samples.ts';
import { createUser, type ServeProcess, startServe, succeed, within } from '../process.ts';
import { namedBlobs, storedBlobs } from './stored.ts';

const ROUNDS = 6;
const PAGES = 3;

describe('Stored content outlives SIGKILL', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const settings = { DATA_DIR: dataDir };
  let token: string;
  /** Which version of each page was acknowledged last, and which was under way. */
  const pages = new Map<string, { acknowledged: number; attempted: number }>();
  /** What was acknowledged as uploaded, by id: its name and text. */
  const files = new Map<string, { name: string; text: string }>();
  let acknowledgements = 0;

  before(async () => {
    token = await createUser(dataDir, 'ada');
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const html = (version: number) => `${version} `.repeat(10_000 + ((version * 7_919) % 90_000));

  async function call(at: ServeProcess, method: string, path: string, body?: object) {
    const json = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    };
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(at.baseUrl + path, { method, headers, ...json });
    const text = await response.text();
    return { status: response.status, text, data: text ? JSON.parse(text).data : undefined };
  }

  /** Runs until the connection breaks; any answer but the expected one is a failure. */
  async function untilBroken(work: () => Promise<void>): Promise<void> {
    try {
      for (;;) await work();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async function rewrite(at: ServeProcess, name: string): Promise<void> {
    const state = pages.get(name) ?? { acknowledged: 0, attempted: 0 };
    pages.set(name, state);
    state.attempted += 1;
    const body = { html: html(state.attempted) };
    const { status, text } =
      state.acknowledged === 0
        ? await call(at, 'POST', '/user/pages', { ...body, name })
        : await call(at, 'PATCH', `/pages/ada/${name}`, body);
    assert.ok([200, 201].includes(status), `${status}: ${text}`);
    state.acknowledged = state.attempted;
    acknowledgements++;
  }

  async function upload(at: ServeProcess, name: string): Promise<void> {
    const text = `${name} `.repeat(100_000);
    const form = uploadForm({ bytes: text, name });
    const headers = { ...form.headers, authorization: `Bearer ${token}` };
    const url = `${at.baseUrl}/user/files`;
    const response = await fetch(url, { method: 'POST', body: form.body, headers });
    const answer = await response.text();
    assert.equal(response.status, 201, answer);
    files.set(JSON.parse(answer).data.id, { name, text });
    acknowledgements++;
  }

  /** Each page is the acknowledged version or the one under way, whole; each file is there whole. */
  async function verify(at: ServeProcess): Promise<void> {
    for (const [name, state] of pages) {
      const { status, data } = await call(at, 'GET', `/pages/ada/${name}`);
      const found = status === 200 ? Number.parseInt(data.html, 10) : 0;
      assert.ok([state.acknowledged, state.attempted].includes(found), `${name}: ${found}`);
      if (status === 200) assert.ok(data.html === html(found), `${name} is whole`);
      state.acknowledged = found;
      state.attempted = found;
    }
    const listed = new Map<string, { url: string; sizeBytes: number }>();
    for (let page = 1; listed.size < page * 100; page++) {
      const { data } = await call(at, 'GET', `/user/files?per_page=100&page=${page}`);
      for (const file of data) listed.set(file.id, file);
      if (data.length < 100) break;
    }
    for (const [id, { name, text }] of files) {
      const file = listed.get(id);
      assert.ok(file, `${name} was acknowledged`);
      assert.ok((await (await fetch(file.url)).text()) === text, `${name} is whole`);
    }
    for (const { url, sizeBytes } of listed.values()) {
      assert.equal((await (await fetch(url)).arrayBuffer()).byteLength, sizeBytes);
    }
  }

  it(`${ROUNDS} times, in the middle of uploads and page updates`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const service = await startServe(settings);
      const target = acknowledgements + 8 + Math.floor(Math.random() * 12);
      let uploads = 0;
      const writers = [
        ...Array.from({ length: PAGES }, (_, page) =>
          untilBroken(() => rewrite(service, `page-${page}`)),
        ),
        ...Array.from({ length: 2 }, () =>
          untilBroken(() => upload(service, `file-${round}-${uploads++}`)),
        ),
      ];
      while (acknowledgements < target) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      }
      assert.equal((await service.kill('SIGKILL')).signal, 'SIGKILL');
      await within(Promise.all(writers), 'the writers');

      const restarted = await startServe(settings);
      await verify(restarted);
      await restarted.kill('SIGKILL');
    }
    assert.ok(files.size > 0 && pages.size === PAGES);
    await succeed(['storage', 'sweep', '--older-than', '1ms'], settings);
    assert.deepEqual(storedBlobs(dataDir), namedBlobs(dataDir));
    const service = await startServe(settings);
    await verify(service);
    assert.equal((await service.kill('SIGTERM')).code, 0);
  });
});
