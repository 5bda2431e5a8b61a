import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.ts';
import { within } from './process.ts';

const LAUNCHER = new URL('../../bin/briefs.js', import.meta.url);

describe('The launcher on an old Node', () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));

  /** Creates a checkout whose bundled Node is a script with a known exit. */
  before(() => {
    for (const folder of ['bin', 'dist/server', 'node_modules/.bin']) {
      mkdirSync(join(home, folder), { recursive: true });
    }
    const launcher = readFileSync(LAUNCHER, 'utf8');
    const demanding = launcher.replace(/const NEEDED = \[.*\];/, 'const NEEDED = [1_000, 0];');
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
    it(`${signal} that ends the service ends the launcher the same way`, async () => {
      const child = await handOverTo('echo started; exec sleep 30');
      const ended = once(child, 'exit');
      child.kill(signal);
      assert.deepEqual(await within(ended, 'the end'), [null, signal]);
    });
  }

  it('passes on the exit code, even after a signal', async () => {
    const child = await handOverTo('trap "exit 7" TERM; echo started; read line');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await within(ended, 'the end'), [7, null]);
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`${signal} to the launcher also ends the service`, async () => {
      const child = await handOverTo(
        `exec ${process.execPath} --input-type=module -e "
          process.channel || process.exit(9);
          process.once('disconnect', () => process.exit());
          process.channel.unref();
          setInterval(() => {}, 1_000);
          console.log(process.pid);"`,
      );
      child.kill(signal);
      if (child.stdout)
        await within(once(child.stdout.resume(), 'close'), 'the end of the service');
    });
  }
});

describe('A service started by npm', () => {
  it('ends with npm, even without a signal', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    const [port, renderPort] = await freePorts(2);
    const env = {
      PATH: process.env.PATH,
      npm_lifecycle_event: 'start',
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      RENDER_PORT: String(renderPort),
    };
    // Represents npm and its shell.
    const npm = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawn(process.execPath, [${JSON.stringify(
          fileURLToPath(LAUNCHER),
        )}, 'serve'], { stdio: 'inherit' })`,
      ],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      if (npm.stdout) await within(once(npm.stdout, 'data'), 'the start');
      npm.kill('SIGKILL');
      if (npm.stdout) await within(once(npm.stdout.resume(), 'close'), 'the end of the service');
      await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
