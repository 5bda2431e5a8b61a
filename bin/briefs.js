#!/usr/bin/env node
// Runs under any Node: finds one that can run the service, and hands over to it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Since then, zstd takes dictionaries, which old texts are compressed with. */
const NEEDED = [24, 6];
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const entry = path('../dist/server/briefs.js');
const bundled = path(`../node_modules/.bin/node${process.platform === 'win32' ? '.cmd' : ''}`);

endWithParent();

if (!existsSync(entry)) {
  fail('this checkout is not built. Run "npm ci" in it (or "npm run build").');
} else if (isNewEnough()) {
  // Stacks name the lines that were written. Maps are read when a stack is.
  process.setSourceMapsEnabled(true);
  await import(new URL('../dist/server/briefs.js', import.meta.url));
} else if (existsSync(bundled)) {
  handOver();
} else {
  fail(
    `Node.js ${NEEDED.join('.')} or newer is needed, this is ${process.version}. "npm ci" without ` +
      '"--omit=optional" brings one along.',
  );
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/**
 * Runs the same command under the bundled Node, as one process to whoever watches this one. The channel
 * between the two tells the child when this process is gone.
 */
function handOver() {
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // Ctrl-C in a terminal reaches the child by itself.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  // Only now, so that no signal ends this process and leaves the child behind.
  const child = spawn(bundled, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // A listener of ours would keep the signal from ending this process as it ended the child.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Stops this process when the launcher or npm that started it is gone, which may not have passed a
 * signal on. Otherwise the service would go on and hold its ports.
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
