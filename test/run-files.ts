import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import * as reporters from 'node:test/reporters';
import { inspect } from 'node:util';

const HERE = import.meta.dirname;
const WORKER = resolve(HERE, 'worker.js');

const NODE_COMPILE_CACHE = resolve(HERE, '.compile-cache');

/** A file that takes longer hangs; the others should still run. */
const FILE_WITHIN_MS = 240_000;

/** Have more done than usual, which takes what it takes. */
const MORE = ['DURABILITY_ROUNDS', 'FUZZ_RUNS', 'HOSTILE_INPUTS', 'MODEL_RUNS', 'XSS_PAYLOADS'];

const LONGEST_FAILURE = 3_000;

/** What came of a run of test files. */
export interface FilesOutcome {
  success: boolean;
  text: string;
  failedFiles: Set<string>;
  /** What failed, and why. */
  failures: string[];
}

interface Report {
  name: string;
  nesting: number;
  details: { type?: string | undefined };
  skip?: string | boolean | undefined;
}

/** Runs files in as many workers as `concurrency` says, which take them from one list. */
export async function runFiles(
  files: string[],
  environment: Record<string, string>,
  concurrency: number,
  signal: AbortSignal,
): Promise<FilesOutcome> {
  const queue = mkdtempSync(join(tmpdir(), 'briefs-queue-'));
  const list = files.map((path) => ({ name: relative(HERE, path), path }));
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
      // A hook's failure is the suite's own, and no test's.
      if (details.type === 'suite') failedSuites += 1;
      reasons.push(`${name}\n${inspect(cause ?? details.error).slice(0, LONGEST_FAILURE)}`);
    }
    if (nesting > 0) return;
    // A worker that crashes leaves its file unseen.
    if (name !== WORKER) outcome.failedFiles.add(resolve(HERE, name));
    failures.push(...reasons.map((reason) => `${name}: ${reason}`));
    reasons = [];
  });
  tests.on('test:summary', ({ file, counts, duration_ms, success }) => {
    // Only the summary of all files names none.
    if (file !== undefined) return;
    const skipped = counts.skipped + counts.todo;
    const failed = counts.tests - counts.passed - skipped;
    const took = seconds(duration_ms);
    outcome.success = success && counts.tests > 0;
    const suites = failedSuites > 0 ? ` (besides, hooks of suites: ${failedSuites})` : '';
    outcome.text = `${counts.passed} passed, ${failed} failed${suites}, ${skipped} skipped in ${took}`;
  });
  for await (const text of tests.compose(reporter())) process.stdout.write(text);
  rmSync(queue, { recursive: true, force: true });
  // Nothing passes because it was never run.
  for (const name of signal.aborted ? [] : unseen) {
    outcome.success = false;
    outcome.failedFiles.add(resolve(HERE, name));
    failures.push(`${name}: none of its tests ran`);
  }
  return outcome;
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
