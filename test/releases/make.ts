import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFeedState } from '../../src/core/event/feed-store.ts';
import { startService } from '../harness.ts';
import { succeed } from '../process.ts';
import { until } from '../until.ts';
import { makeWorld } from '../web-app/world.ts';
import { observe } from './observe.ts';

// Makes the data of a release, which every later version has to take over (`releases.test.ts`). Run it
// once, with the release: `npm run build && npx node dist/test/releases/make.js`

const ROOT = new URL('../../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const to = (end: string) => fileURLToPath(new URL(`test/releases/${version}.${end}`, ROOT));

const home = mkdtempSync(join(tmpdir(), 'briefs-release-'));
try {
  const service = await startService({ DATA_DIR: home });
  const { ada } = await makeWorld(service);
  const made = async (path: string, body: object) => {
    const { status, text } = await ada.client.post(path, body);
    assert.equal(status, 201, text);
  };
  for (let step = 1; step <= 5; step++) {
    const content = `# Reading list\n\n${'- Euclid\n'.repeat(step * 20)}`;
    await ada.client.patch('/briefs/ada/reading-list', { content });
  }
  await made('/briefs/ada/plan/links', { access: 'comment' });
  // Otherwise the webhook would get the events so far, and fail at some time.
  const { read } = service.app.context.sql;
  await until('events with a place', async () => !(await findFeedState(read)).hasUnplaced);
  await made('/user/webhooks', {
    url: 'https://hooks.example.com/briefs',
    types: ['revision.created'],
  });
  const at = new Date().toISOString();
  const seen = await observe(service);
  await service.stop();
  await succeed(['backup', to('tar')], { DATA_DIR: home });
  writeFileSync(to('json'), `${JSON.stringify({ at, seen }, null, 1)}\n`);
  console.log(`Made the data of ${version}.`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
