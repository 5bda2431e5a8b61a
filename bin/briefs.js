#!/usr/bin/env node
// Runs under any Node version. If it is too old, starts the bundled one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The first version whose zstd supports dictionaries, which compress old texts. */
const NEEDED = [24, 6];
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const entry = path('../dist/server/briefs.js');
const command = `.bin/node${process.platform === 'win32' ? '.cmd' : ''}`;
// In a checkout, and beside the installed package.
const bundled = [path(`../node_modules/${command}`), path(`../../${command}`)].find(existsSync);

endWithParent();

if (!existsSync(entry)) {
  fail('this checkout is not built. Run "npm ci --include=dev" in it (or "npm run build").');
} else if (isNewEnough()) {
  // Without source maps: the first error would parse megabytes of them while requests wait.
  await import(new URL('../dist/server/briefs.js', import.meta.url));
} else if (bundled) {
  handOver();
} else {
  fail(
    `Node.js ${NEEDED.join('.')} or newer is needed; this is ${process.version}. "npm install" ` +
      'without "--omit=optional" installs one.',
  );
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/**
 * Runs the same command under the bundled Node, and forwards signals and the exit code. The IPC
 * channel tells the child when this process has ended.
 */
function handOver() {
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the child too.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  // After the listeners, so that no signal can end only this process.
  const child = spawn(bundled, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // Without our listener, the signal ends this process like the child.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Stops this process when its launcher or npm has ended, which may not have forwarded a signal.
 * Otherwise the service would keep running and hold its ports.
 */
function endWithParent() {
  const stop = () => process.kill(process.pid, 'SIGTERM');
  if (process.channel) {
    process.once('disconnect', stop);
    process.channel.unref();
  }
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}

function fail(message) {
  console.error(`briefs: ${message}`);
  process.exitCode = 1;
}
