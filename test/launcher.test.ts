import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { within } from './process.ts';

const LAUNCHER = new URL('../../bin/briefs.js', import.meta.url);

describe('The launcher, under a Node that is too old', () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));

  /** A checkout whose bundled Node is a script, so that its end is known. */
  before(() => {
    for (const folder of ['bin', 'dist/server', 'node_modules/.bin']) {
      mkdirSync(join(home, folder), { recursive: true });
    }
    const launcher = readFileSync(LAUNCHER, 'utf8');
    const demanding = launcher.replace(/const NEEDED = \d+;/, 'const NEEDED = 1_000;');
    assert.notEqual(demanding, launcher);
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(home, 'bin/briefs.js'), demanding);
    writeFileSync(join(home, 'dist/server/briefs.js'), '');
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  async function handOverTo(script: string): Promise<ChildProcess> {
    const bundled = join(home, 'node_modules/.bin/node');
    writeFileSync(bundled, `#!/bin/sh\n${script}\n`);
    chmodSync(bundled, 0o755);
    const child = spawn(process.execPath, [join(home, 'bin/briefs.js')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (child.stdout) await within(once(child.stdout, 'data'), 'the start');
    return child;
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`${signal} that ends the service ends the launcher in the same way`, async () => {
      const child = await handOverTo('echo started; exec sleep 30');
      const ended = once(child, 'exit');
      child.kill(signal);
      assert.deepEqual(await within(ended, 'the end'), [null, signal]);
    });
  }

  it('an exit code is passed on, also after a signal', async () => {
    const child = await handOverTo('trap "exit 7" TERM; echo started; read line');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await within(ended, 'the end'), [7, null]);
  });
});
