import { strict as assert } from 'node:assert';
import { appendFileSync } from 'node:fs';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { startService } from '../harness.ts';
import { type Desk, installCommand, openDesk } from './command.ts';
import { statusOf } from './work.ts';

const FILES = 230;

describe('Large folders', async () => {
  let desk: Desk;

  const service = await startService({ RATE_LIMIT_API: '150/4s' });
  const ada = await service.user('ada');
  after(async () => {
    await service?.stop();
  });
  beforeEach(() => {
    const { webUrl } = service;
    desk = openDesk(installCommand(), { BRIEFS_SERVER: webUrl, BRIEFS_TOKEN: ada.token as string });
  });
  afterEach(() => desk.remove());

  it('more files than the limit: waits, completes, and later reads only what changed', async () => {
    for (let index = 0; index < FILES; index++) desk.write(`v/n${index}.md`, `# Note ${index}\n`);
    const first = await desk.run('sync', 'v', '--verbose');
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.stdout.match(/^created/gm)?.length, FILES);
    assert.match(first.stderr, new RegExp(`^${FILES} files: ${FILES} created\\.$`, 'm'));
    appendFileSync(desk.path('v/n99.md'), 'More.\n');
    const left = async () => {
      for (;;) {
        const { status, headers } = await ada.get('/user');
        if (status === 200) return Number(headers.get('x-ratelimit-remaining'));
      }
    };
    // A new window, so that all requests count in it.
    while ((await left()) < 148);
    const before = await left();
    const second = await desk.run('sync', 'v');
    const used = before - (await left());
    assert.match(second.stdout, /^pushed {4}v\/n99\.md → \S+\n$/);
    assert.equal(second.stderr, `${FILES} files: ${FILES - 1} unchanged, 1 pushed.\n`);
    // Three pages of the list, the document, its revision, and this test's request.
    assert.ok(used < 10, `${used} requests`);
    const { results } = await desk.json(0, 'status', 'v');
    assert.ok(statusOf({ results }).every((status) => status === 'unchanged'));
  });
});
