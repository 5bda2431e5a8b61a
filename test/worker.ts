import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { SEED } from './chance.ts';
import { takeTime } from './file-time.ts';
import { killProcesses } from './process.ts';
import { dropInstallations } from './stack.ts';
import { atEnd } from './worker-end.ts';

// Runs test files one after another, each as its own suite. Several workers share one list, and
// each takes the next free file. A process per file would load the service's 1,500 or so modules
// each time.

/** How long open timers, sockets or processes may keep the worker alive after the last file. */
const EXIT_WITHIN_MS = 20_000;

const { TEST_QUEUE = '', TEST_FILE_TIMEOUT } = process.env;
const files: { name: string; path: string }[] = JSON.parse(
  readFileSync(join(TEST_QUEUE, 'files.json'), 'utf8'),
);
const timeout = Number(TEST_FILE_TIMEOUT);

fc.configureGlobal({ seed: SEED });

// Without it, a test that waits only for an unref'd timer would end the run. A worker whose run was
// killed ends too.
const run = process.ppid;
const keepAlive = setInterval(() => {
  if (process.ppid !== run) process.exit(1);
}, 1_000);
for (const [index, { name, path }] of files.entries()) {
  if (!take(index)) continue;
  const time = takeTime(name);
  await describe(name, { timeout }, async () => {
    await import(pathToFileURL(path).href);
    // Hooks run in this order: the file's own first.
    after(killProcesses);
    after(dropInstallations);
    after(() => appendFileSync(join(TEST_QUEUE, 'times'), `${JSON.stringify(time())}\n`));
  });
}
for (const end of atEnd) await end();
clearInterval(keepAlive);

setTimeout(() => {
  console.error(`Something keeps this worker alive: ${process.getActiveResourcesInfo()}`);
  process.exit(1);
}, EXIT_WITHIN_MS).unref();

/** @returns false if another worker has this file */
function take(index: number): boolean {
  try {
    closeSync(openSync(join(TEST_QUEUE, String(index)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
