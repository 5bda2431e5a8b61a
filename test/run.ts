import { randomInt } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { faultsMissing } from './durability/disk-faults.ts';
import { runFiles, seconds } from './run-files.ts';
import { useMemoryForFiles } from './scratch.ts';
import { missingBackEnds, startBackEnds } from './servers/back-ends.ts';
import { SUITES } from './suites.ts';
import { toolsMissing } from './tools.ts';

const USAGE =
  'node dist/test/run.js [--suite features|security|access|fuzz|durability] [--stack embedded|servers] [files or globs…]';

const HERE = import.meta.dirname;

/** If more files fail, it isn't by chance. */
const MOST_REPEATED = 3;

/** Files whose tests depend on chance, and may not find the same fault again. */
const NEVER_REPEATED = /[/\\]durability[/\\]/;

/** The seed of random inputs, so that the same code always gets the same inputs. */
const SEED = '20261125';

/** Suites that look for new faults, with a new seed each time. */
const SEARCHING = ['access', 'fuzz'];

type Suite = keyof typeof SUITES;
type Stack = keyof (typeof SUITES)[Suite];

/** The files to run on a stack. */
interface Pass {
  suite: keyof typeof SUITES;
  stack: Stack;
  files: string[];
  /** Of random inputs. */
  seed: string;
  /** Programs that this stack needs and this machine lacks. */
  missing: string[];
}

/** The result, for the summary. */
interface Outcome {
  stack: Stack;
  success: boolean;
  text: string;
  /** Failures, repeated at the end because the tests' output is long. */
  failures: string[];
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort());
}

process.exitCode = await main();

/**
 * Runs a suite on the embedded back ends, then the tests that involve servers on servers: a
 * PostgreSQL, a Redis and an S3 of its own, or those of `TEST_DATABASE_URL`, `TEST_REDIS_URL` and
 * `TEST_BLOB_URL`. If this machine has no such servers, that part is skipped, or fails with
 * `REQUIRE_BACKENDS=1`. `TEST_REPORTER` is one of Node's; the default is `spec`.
 *
 * With `TEST_REPEAT=1` the few files that failed run once more, one by one, and the summary names
 * them. This is for machines whose other load delays tests; a test that fails twice is broken. The
 * suite of durability is never repeated.
 *
 * `TEST_SEED` is the seed of random inputs, a number or `random`.
 *
 * @returns the exit code
 */
async function main(): Promise<number> {
  let passes: Pass[];
  try {
    passes = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const missing = passes.flatMap((pass) => pass.missing);
  if (missing.length > 0 && process.env.REQUIRE_BACKENDS === '1') {
    console.error(['REQUIRE_BACKENDS=1, and this machine lacks', ...missing].join('\n- '));
    return 1;
  }
  const outcomes: Outcome[] = [];
  for (const pass of passes) {
    if (interrupted.signal.aborted) break;
    const tidy = pass.suite === 'durability' ? () => {} : useMemoryForFiles();
    if (pass.stack === 'embedded') outcomes.push(await runTests(pass, {}));
    else if (pass.missing.length === 0) outcomes.push(await runOnServers(pass));
    else outcomes.push({ stack: pass.stack, success: true, text: 'SKIPPED', failures: [] });
    tidy();
  }
  printSummary(outcomes, missing);
  if (interrupted.signal.aborted) return 130;
  return outcomes.every(({ success }) => success) ? 0 : 1;
}

/** @throws Error with one line about the wrong argument or seed */
function readArguments(): Pass[] {
  const { values, positionals } = parseArgs({
    options: {
      suite: { type: 'string', default: 'features' },
      stack: { type: 'string', multiple: true, default: Object.keys(SUITES.features) },
    },
    allowPositionals: true,
  });
  const { suite } = values;
  if (!isKey(SUITES, suite)) throw new Error(`There is no suite "${suite}".`);
  const seed = readSeed(suite);
  const named = positionals.length > 0 ? filesOf(positionals, process.cwd()) : undefined;
  return values.stack.map((stack) => {
    if (!isKey(SUITES[suite], stack)) throw new Error(`There is no stack "${stack}".`);
    const files = named ?? filesOf(SUITES[suite][stack], HERE);
    return { suite, stack, files, seed, missing: missingFor(stack, files) };
  });
}

/**
 * Servers that a stack needs, a library that makes disks fail, and tools with packages of their own.
 * Without them, tests skip themselves.
 */
function missingFor(stack: Stack, files: string[]): string[] {
  if (stack === 'servers') return missingBackEnds();
  const runs = (pattern: RegExp) => files.some((file) => pattern.test(file));
  return [
    runs(/durability[/\\]disk\.test\.js$/) && faultsMissing(),
    runs(/(openapi|generated-clients)\.test\.js$/) && toolsMissing,
  ].filter((missing) => typeof missing === 'string');
}

function isKey<Table extends object>(table: Table, text: string): text is keyof Table & string {
  return Object.hasOwn(table, text);
}

async function runOnServers(pass: Pass): Promise<Outcome> {
  const start = Date.now();
  try {
    const servers = await startBackEnds();
    console.log(`\nThe servers started in ${seconds(Date.now() - start)}.`);
    try {
      return await runTests(pass, servers.environment);
    } finally {
      await servers.stop();
    }
  } catch (error) {
    const text = 'failed to start or to stop';
    return { stack: pass.stack, success: false, text, failures: [inspect(error)] };
  }
}

async function runTests(pass: Pass, environment: Record<string, string>): Promise<Outcome> {
  const { stack, seed } = pass;
  const { signal } = interrupted;
  const settings = { ...environment, TEST_STACK: stack, TEST_SEED: seed };
  console.log(`\nTests on the stack "${stack}", with TEST_SEED=${seed}:\n`);
  // One more worker than cores, because tests wait as much as they work.
  const first = await runFiles(pass.files, settings, availableParallelism() + 1, signal);
  const failed = [...first.failedFiles];
  const isRepeated =
    process.env.TEST_REPEAT === '1' &&
    failed.length <= MOST_REPEATED &&
    !failed.some((file) => NEVER_REPEATED.test(file));
  if (first.success || failed.length === 0 || !isRepeated) return { stack, ...first };
  const names = failed.map((file) => relative(HERE, file)).join(', ');
  console.log(`\nOnce more, one by one: ${names}\n`);
  const second = await runFiles(failed, settings, 1, signal);
  const text = `${first.text}\n  REPEATED  ${second.text}: ${names}`;
  const failures = [...first.failures, ...second.failures];
  return { stack, success: second.success, text, failures };
}

function readSeed(suite: Suite): string {
  const { TEST_SEED: seed = SEARCHING.includes(suite) ? 'random' : SEED } = process.env;
  if (seed === 'random') return String(randomInt(2 ** 31));
  if (/^\d{1,10}$/.test(seed)) return seed;
  throw new Error(`TEST_SEED: must be a number or "random" (it is "${seed}")`);
}

/** @throws Error naming a pattern that matches no file: the file may have been renamed */
function filesOf(patterns: string[], directory: string): string[] {
  const files = patterns.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: directory });
    if (found.length === 0) throw new Error(`No test file matches ${pattern}.`);
    return found.map((path) => resolve(directory, path));
  });
  // Slow files first: those with a browser, then long ones.
  const weight = (path: string) =>
    statSync(path).size * (path.endsWith('.browser.test.js') ? 1_000 : 1);
  return [...new Set(files)].sort((a, b) => weight(b) - weight(a));
}

function printSummary(outcomes: Outcome[], missing: string[]): void {
  console.log('\nTests:');
  for (const { stack, success, text, failures } of outcomes) {
    console.log(`${success ? '✔' : '✖'} ${stack.padEnd(8)}  ${text}`);
    for (const failure of failures) console.log(`\n${failure}\n`.replaceAll('\n', '\n    '));
  }
  if (missing.length === 0) return;
  const lines = ['Tests were SKIPPED. This machine lacks', ...missing];
  const width = Math.max(...lines.map((line) => line.length));
  console.log(`\n┏━${'━'.repeat(width)}━┓`);
  for (const line of lines) console.log(`┃ ${line.padEnd(width)} ┃`);
  console.log(`┗━${'━'.repeat(width)}━┛`);
}
