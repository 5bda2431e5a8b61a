import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { USUAL_SEED } from './chance.ts';
import { faultsMissing } from './durability/disk-faults.ts';
import { runFiles, seconds } from './run-files.ts';
import { useMemoryForFiles } from './scratch.ts';
import { missingBackEnds, startBackEnds } from './servers/back-ends.ts';
import { filesOf, type Pass, SUITES } from './suites.ts';
import { toolsMissing } from './tools.ts';

const USAGE = `node dist/test/run.js [--suite ${Object.keys(SUITES).join('|')}] [--stack embedded|servers] [files or globs…]`;

const DIST = resolve(import.meta.dirname, '..');

/** If more files fail, it isn't by chance. */
const MOST_REPEATED = 3;

/** Tests of what happens when disks fail; what they lose once is lost. */
const DURABILITY = /[/\\]durability[/\\]/;

type Stack = Pass['stack'];

/** The files to run on a stack. */
interface Run {
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
  seed: string;
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
 * Runs a suite: each of its passes on the embedded back ends or on servers, which are a PostgreSQL,
 * a Redis and an S3 of its own, or those of `TEST_DATABASE_URL`, `TEST_REDIS_URL` and
 * `TEST_BLOB_URL`. If this machine has no such servers, a pass is skipped, or fails with
 * `REQUIRE_BACKENDS=1`. `TEST_REPORTER` is one of Node's; the default is `spec`. `TEST_TIMES=1` says
 * what each file took.
 *
 * With `TEST_REPEAT=1` the few files that failed run once more, one by one, and the summary names
 * them. This is for machines whose other load delays tests; a test that fails twice is broken. Tests
 * of durability are never repeated.
 *
 * `TEST_SEED` is the seed of random inputs, a number or `random`. The suites `quick` and `all` always
 * get the same inputs, so that only a change of the code can make them fail; the others look for new
 * faults.
 *
 * @returns the exit code
 */
async function main(): Promise<number> {
  let passes: Run[];
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
    const tidy = pass.files.some((file) => DURABILITY.test(file)) ? () => {} : useMemoryForFiles();
    if (pass.stack === 'embedded') outcomes.push(await runTests(pass, {}));
    else if (pass.missing.length === 0) outcomes.push(await runOnServers(pass));
    else outcomes.push(outcomeOf(pass, true, 'SKIPPED'));
    tidy();
  }
  printSummary(outcomes, missing);
  if (interrupted.signal.aborted) return 130;
  return outcomes.every(({ success }) => success) ? 0 : 1;
}

/** @throws Error with one line about the wrong argument or seed */
function readArguments(): Run[] {
  const { values, positionals } = parseArgs({
    options: {
      suite: { type: 'string', default: 'quick' },
      stack: { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  });
  const { suite, stack: stacks } = values;
  if (!isKey(SUITES, suite)) throw new Error(`There is no suite "${suite}".`);
  const wrong = stacks.find((stack) => stack !== 'embedded' && stack !== 'servers');
  if (wrong !== undefined) throw new Error(`There is no stack "${wrong}".`);
  const seed = readSeed(suite);
  const run = (stack: Stack, files: string[]): Run => {
    return { stack, files, seed, missing: missingFor(stack, files) };
  };
  if (positionals.length > 0) {
    const named = filesOf(positionals, [], process.cwd());
    return (stacks.length > 0 ? stacks : ['embedded']).map((stack) => run(stack as Stack, named));
  }
  const every: Pass[] = SUITES[suite];
  const passes = every.filter(({ stack }) => stacks.length === 0 || stacks.includes(stack));
  if (passes.length === 0) throw new Error(`The suite "${suite}" has no tests on this stack.`);
  return passes.map(({ stack, files, except = [] }) => run(stack, filesOf(files, except, DIST)));
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

function outcomeOf(
  { stack, seed }: Run,
  success: boolean,
  text: string,
  failures: string[] = [],
): Outcome {
  return { stack, seed, success, text, failures };
}

function isKey<Table extends object>(table: Table, text: string): text is keyof Table & string {
  return Object.hasOwn(table, text);
}

async function runOnServers(pass: Run): Promise<Outcome> {
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
    return outcomeOf(pass, false, text, [inspect(error)]);
  }
}

async function runTests(pass: Run, environment: Record<string, string>): Promise<Outcome> {
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
    !failed.some((file) => DURABILITY.test(file));
  if (first.success || failed.length === 0 || !isRepeated) return { stack, seed, ...first };
  const names = failed.map((file) => relative(DIST, file)).join(', ');
  console.log(`\nOnce more, one by one: ${names}\n`);
  const second = await runFiles(failed, settings, 1, signal);
  const text = `${first.text}\n  REPEATED  ${second.text}: ${names}`;
  const failures = [...first.failures, ...second.failures];
  return { stack, seed, success: second.success, text, failures };
}

function readSeed(suite: keyof typeof SUITES): string {
  const usual = suite === 'quick' || suite === 'all' ? String(USUAL_SEED) : 'random';
  const { TEST_SEED: seed = usual } = process.env;
  if (seed === 'random') return String(randomInt(2 ** 31));
  if (/^\d{1,10}$/.test(seed)) return seed;
  throw new Error(`TEST_SEED: must be a number or "random" (it is "${seed}")`);
}

function printSummary(outcomes: Outcome[], missing: string[]): void {
  console.log('\nTests:');
  for (const { stack, seed, success, text, failures } of outcomes) {
    console.log(`${success ? '√' : '×'} ${stack.padEnd(8)}  ${text}`);
    if (!success) console.log(`  Its random inputs: TEST_SEED=${seed}`);
    for (const failure of failures) console.log(`\n${failure}\n`.replaceAll('\n', '\n    '));
  }
  if (missing.length === 0) return;
  const lines = ['Tests were SKIPPED. This machine lacks', ...missing];
  const width = Math.max(...lines.map((line) => line.length));
  console.log(`\n┏━${'━'.repeat(width)}━┓`);
  for (const line of lines) console.log(`┃ ${line.padEnd(width)} ┃`);
  console.log(`┗━${'━'.repeat(width)}━┛`);
}
