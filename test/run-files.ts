import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import * as reporters from 'node:test/reporters';
import { inspect } from 'node:util';
import type { FileTime } from './file-time.ts';

const DIST = resolve(import.meta.dirname, '..');
const WORKER = resolve(import.meta.dirname, 'worker.js');

const NODE_COMPILE_CACHE = resolve(import.meta.dirname, '.compile-cache');

/** A file that takes longer counts as hanging, and the others go on. */
const FILE_WITHIN_MS = 480_000;

/** Environment variables that make tests do more than usual, without a time limit. */
const MORE = [
  'DURABILITY_ROUNDS',
  'FUZZ_RUNS',
  'HOSTILE_INPUTS',
  'MODEL_RUNS',
  'TOGETHER_SECONDS',
  'LEAVES',
  'TWO_FOLDERS_STEPS',
  'XSS_PAYLOADS',
];

const LONGEST_FAILURE = 3_000;

/** The result of running test files. */
export interface FilesOutcome {
  success: boolean;
  text: string;
  failedFiles: Set<string>;
  /** Names and errors of failed tests. */
  failures: string[];
}

interface Report {
  name: string;
  nesting: number;
  details: { type?: string | undefined };
  skip?: string | boolean | undefined;
}

/** Runs files in `concurrency` workers, which take them from one list. */
export async function runFiles(
  files: string[],
  environment: Record<string, string>,
  concurrency: number,
  signal: AbortSignal,
): Promise<FilesOutcome> {
  const queue = mkdtempSync(join(tmpdir(), 'briefs-queue-'));
  const list = files.map((path) => ({ name: relative(DIST, path), path }));
  writeFileSync(join(queue, 'files.json'), JSON.stringify(list));
  const isLonger = MORE.some((name) => process.env[name]);
  const tests = run({
    files: Array.from({ length: Math.min(concurrency, files.length) }, () => WORKER),
    concurrency,
    execArgv: ['--enable-source-maps'],
    env: {
      NODE_COMPILE_CACHE,
      ...process.env,
      ...environment,
      TEST_QUEUE: queue,
      TEST_FILE_TIMEOUT: String(isLonger ? Number.POSITIVE_INFINITY : FILE_WITHIN_MS),
    },
    signal,
  });
  const failures: string[] = [];
  const outcome = { success: false, text: 'did not end', failedFiles: new Set<string>(), failures };
  let failedSuites = 0;
  const unseen = new Set(list.map(({ name }) => name));
  // A worker reports the tests of a file before the file itself.
  let reasons: string[] = [];
  let count = 0;
  const countTests = ({ name, nesting, details, skip }: Report) => {
    if (nesting > 0) {
      if (details.type !== 'suite' || skip !== undefined) count += 1;
      return;
    }
    if (count > 0) unseen.delete(name);
    count = 0;
  };
  tests.on('test:pass', countTests);
  tests.on('test:fail', countTests);
  tests.on('test:fail', ({ name, nesting, details }) => {
    const { failureType, cause } = details.error as { failureType?: string; cause?: unknown };
    if (failureType !== 'subtestsFailed') {
      // A failed hook is reported by its suite only.
      if (details.type === 'suite') failedSuites += 1;
      reasons.push(`${name}\n${inspect(cause ?? details.error).slice(0, LONGEST_FAILURE)}`);
    }
    if (nesting > 0) return;
    // A crashed worker doesn't report its file.
    if (name !== WORKER) outcome.failedFiles.add(resolve(DIST, name));
    failures.push(...reasons.map((reason) => `${name}: ${reason}`));
    reasons = [];
  });
  tests.on('test:summary', ({ file, counts, duration_ms, success }) => {
    // Only the summary of all files has no file name.
    if (file !== undefined) return;
    const skipped = counts.skipped + counts.todo;
    const failed = counts.tests - counts.passed - skipped;
    const took = seconds(duration_ms);
    outcome.success = success && counts.tests > 0;
    const suites = failedSuites > 0 ? ` (besides, hooks of suites: ${failedSuites})` : '';
    outcome.text = `${counts.passed} passed, ${failed} failed${suites}, ${skipped} skipped in ${took}`;
  });
  for await (const text of tests.compose(reporter())) process.stdout.write(text);
  if (process.env.TEST_TIMES === '1') printTimes(join(queue, 'times'));
  rmSync(queue, { recursive: true, force: true });
  // Tests that never ran must not count as passed.
  for (const name of signal.aborted ? [] : unseen) {
    outcome.success = false;
    outcome.failedFiles.add(resolve(DIST, name));
    failures.push(`${name}: none of its tests ran`);
  }
  return outcome;
}

/** Prints what each file took, the longest first. */
function printTimes(path: string): void {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const times = lines.map((line) => JSON.parse(line) as FileTime);
  const sum = times.reduce((total, { cpuMs }) => total + cpuMs, 0);
  console.log(`\nThe files took ${seconds(sum)} of CPU, without browsers and servers:`);
  for (const { name, cpuMs, ms } of times.sort((a, b) => b.cpuMs - a.cpuMs)) {
    console.log(`${seconds(cpuMs).padStart(9)} ${seconds(ms).padStart(9)}  ${name}`);
  }
}

function reporter() {
  const name = process.env.TEST_REPORTER || 'spec';
  const { dot, junit, spec, tap } = reporters;
  const others = { dot, junit, tap };
  if (name === 'spec') return new spec();
  if (Object.hasOwn(others, name)) return others[name as keyof typeof others];
  throw new Error(
    `TEST_REPORTER: must be spec, ${Object.keys(others).join(', ')} (it is "${name}")`,
  );
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
