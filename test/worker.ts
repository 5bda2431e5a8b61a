import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { killProcesses } from './process.ts';
import { dropInstallations } from './stack.ts';

// Runs test files one after another, each as a suite of its own. Several workers share one list; each
// takes the next file that no other has taken. A process per file would load the whole service again
// for each, some 1,500 modules.

/** How long after the last file open timers, sockets or processes may keep the worker alive. */
const EXIT_WITHIN_MS = 20_000;

const { TEST_QUEUE = '', TEST_FILE_TIMEOUT } = process.env;
const files: { name: string; path: string }[] = JSON.parse(
  readFileSync(join(TEST_QUEUE, 'files.json'), 'utf8'),
);
const timeout = Number(TEST_FILE_TIMEOUT);

// Without it, a test that only waits for an unref'd timer would end the run.
const keepAlive = setInterval(() => {}, 60_000);
for (const [index, { name, path }] of files.entries()) {
  if (!take(index)) continue;
  await describe(name, { timeout }, async () => {
    await import(pathToFileURL(path).href);
    // Hooks run in this order: the file's own come first.
    after(killProcesses);
    after(dropInstallations);
  });
}
clearInterval(keepAlive);

setTimeout(() => {
  console.error(`Something keeps this worker alive: ${process.getActiveResourcesInfo()}`);
  process.exit(1);
}, EXIT_WITHIN_MS).unref();

/** @returns false when another worker has this file */
function take(index: number): boolean {
  try {
    closeSync(openSync(join(TEST_QUEUE, String(index)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
