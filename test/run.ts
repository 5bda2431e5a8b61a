import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import * as reporters from 'node:test/reporters';
import { inspect, parseArgs } from 'node:util';
import { faultsMissing } from './durability/disk-faults.ts';
import { missingBackEnds, startBackEnds } from './servers/back-ends.ts';

const USAGE =
  'node dist/test/run.js [--suite features|security|access|fuzz|durability] [--stack embedded|servers] [files or globs…]';

const HERE = import.meta.dirname;
const SOURCES = resolve(HERE, '../../test');

const NODE_COMPILE_CACHE = resolve(HERE, '.compile-cache');

/** More files than these do not fail by chance. */
const MOST_REPEATED = 3;

/** What these find they may not find a second time: they do something else in each run. */
const NEVER_REPEATED = /[/\\](durability|fuzz|model)[/\\]/;

/** A file that takes longer hangs; the others should still run. */
const FILE_WITHIN_MS = 240_000;

/** Have more done than usual, which takes what it takes. */
const MORE = ['DURABILITY_ROUNDS', 'FUZZ_RUNS', 'HOSTILE_INPUTS', 'MODEL_RUNS', 'XSS_PAYLOADS'];

const SECURITY_OF_SERVERS = [
  'security/{cross-site,existence-leaks,races}.test.js',
  'security/{signed-addresses,stale-grants,upload-sniffing}.test.js',
  'security/{fuzz,model}/*.test.js',
];

/** What runs where, in globs below the compiled tests. */
const SUITES = {
  features: {
    embedded: ['!(migrate-data).test.js', '!(durability|replicas)/**/*.test.js'],
    /** What a caller can tell back ends apart by; the rest has been seen by then. */
    servers: [
      // What a browser makes of an answer does not depend on where it was kept.
      '{files,http,mcp,oauth,pages,replicas,sign-in}/**/!(*.browser).test.js',
      // Nor does what is refused before a row is read.
      'rest/!(bad-address|bad-input|errors|formats|limits|openapi|random-input).test.js',
      'web-app/{delete-account,edit,invitations,organizations,sharing}.test.js',
      'account/{delete-account,email,own-tokens,suggest-people}.test.js',
      'document/{document-list,export,history,import,library,packing,search}.test.js',
      'migrate-data.test.js',
      'rate-limit-processes.test.js',
      'schema.test.js',
      ...SECURITY_OF_SERVERS,
      'storage/migrate-data.test.js',
      'storage/schema-changes.test.js',
    ],
  },
  /** What hostile input and callers come to (docs/develop/security.md): these are among the features, too. */
  security: { embedded: ['security/**/*.test.js'], servers: SECURITY_OF_SERVERS },
  /** The same, held against a model of who may see what, and with input made at random. */
  access: { embedded: ['security/model/*.test.js'], servers: ['security/model/*.test.js'] },
  fuzz: { embedded: ['security/fuzz/*.test.js'], servers: ['security/fuzz/*.test.js'] },
  /** What becomes of data when processes, servers and disks fail (docs/develop/durability.md). */
  durability: {
    embedded: ['durability/{backup,disk,disk-full,kill,stop}.test.js'],
    servers: ['durability/{database,kill,stop}.test.js'],
  },
};

type Suite = keyof typeof SUITES;
type Stack = keyof (typeof SUITES)[Suite];

/** What is to run on a stack. */
interface Pass {
  stack: Stack;
  files: string[];
  /** What this machine would need, and has not. */
  missing: string[];
}

/** What became of it, in words. */
interface Outcome {
  stack: Stack;
  success: boolean;
  text: string;
  /** What failed and why: the tests' own output is long, and the end of it is what is kept. */
  failures: string[];
}

const LONGEST_FAILURE = 3_000;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort());
}

process.exitCode = await main();

/**
 * Runs a suite on the embedded back ends, and what servers have a part in again on those: a
 * PostgreSQL, a Redis and an S3 of its own, or those that `TEST_DATABASE_URL`, `TEST_REDIS_URL` and
 * `TEST_BLOB_URL` name. Where this machine has no such servers, that is skipped, or fails with
 * `REQUIRE_BACKENDS=1`. `TEST_REPORTER` is one of Node's, `spec` when absent.
 *
 * With `TEST_REPEAT=1` the few files that failed run once more, one by one, and the summary names
 * them: for machines whose other work makes tests late. What fails then, too, is broken. Those that
 * choose at random what they do are never repeated.
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
    if (pass.stack === 'embedded') outcomes.push(await runTests(pass, {}));
    else if (pass.missing.length === 0) outcomes.push(await runOnServers(pass));
    else outcomes.push({ stack: pass.stack, success: true, text: 'SKIPPED', failures: [] });
  }
  printSummary(outcomes, missing);
  if (interrupted.signal.aborted) return 130;
  return outcomes.every(({ success }) => success) ? 0 : 1;
}

/** @throws Error with one line about what is wrong with the arguments */
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
  const named = positionals.length > 0 ? filesOf(positionals, process.cwd()) : undefined;
  return values.stack.map((stack) => {
    if (!isKey(SUITES[suite], stack)) throw new Error(`There is no stack "${stack}".`);
    const files = named ?? filesOf(SUITES[suite][stack], HERE);
    return { stack, files, missing: missingFor(stack, files) };
  });
}

/** Servers that a stack stands on; what makes a disk fail, without which those tests skip themselves. */
function missingFor(stack: Stack, files: string[]): string[] {
  if (stack === 'servers') return missingBackEnds();
  const faults = files.some((file) => file.endsWith('durability/disk.test.js')) && faultsMissing();
  return faults ? [faults] : [];
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
  const { stack } = pass;
  console.log(`\nTests on the stack "${stack}":\n`);
  // Tests wait as much as they work, so there is one more file than cores.
  const first = await runFiles(pass, environment, availableParallelism() + 1);
  const failed = [...first.failedFiles];
  const isRepeated =
    process.env.TEST_REPEAT === '1' &&
    failed.length <= MOST_REPEATED &&
    !failed.some((file) => NEVER_REPEATED.test(file));
  if (first.success || failed.length === 0 || !isRepeated) return { stack, ...first };
  const names = failed.map((file) => relative(HERE, file)).join(', ');
  console.log(`\nOnce more, one by one: ${names}\n`);
  const second = await runFiles({ ...pass, files: failed }, environment, 1);
  const text = `${first.text}\n  REPEATED  ${second.text}: ${names}`;
  const failures = [...first.failures, ...second.failures];
  return { stack, success: second.success, text, failures };
}

async function runFiles(
  { stack, files }: Pass,
  environment: Record<string, string>,
  concurrency: number,
) {
  const tests = run({
    files,
    concurrency,
    timeout: MORE.some((name) => process.env[name]) ? Number.POSITIVE_INFINITY : FILE_WITHIN_MS,
    execArgv: ['--enable-source-maps'],
    // Nearly every file loads the whole service; compiled once, it is there at once.
    env: { NODE_COMPILE_CACHE, ...process.env, ...environment, TEST_STACK: stack },
    signal: interrupted.signal,
  });
  const failures: string[] = [];
  const outcome = { success: false, text: 'did not end', failedFiles: new Set<string>(), failures };
  let failedSuites = 0;
  tests.on('test:fail', ({ name, file, details }) => {
    if (file !== undefined) outcome.failedFiles.add(compiledOf(file));
    const { failureType, cause } = details.error as { failureType?: string; cause?: unknown };
    if (failureType === 'subtestsFailed') return;
    // A hook's failure is the suite's own, and no test's.
    if (details.type === 'suite') failedSuites += 1;
    const reason = inspect(cause ?? details.error).slice(0, LONGEST_FAILURE);
    failures.push(
      `${file === undefined ? '' : `${relative(HERE, compiledOf(file))}: `}${name}\n${reason}`,
    );
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
  return outcome;
}

/** A test's file as it runs; failures name its source, where there is a map. */
function compiledOf(file: string): string {
  const source = relative(SOURCES, file);
  return source.startsWith('..') ? file : resolve(HERE, source.replace(/\.ts$/, '.js'));
}

/** @throws Error naming a pattern that no file matches: the file may have been renamed */
function filesOf(patterns: string[], directory: string): string[] {
  const files = patterns.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: directory });
    if (found.length === 0) throw new Error(`No test file matches ${pattern}.`);
    return found.map((path) => resolve(directory, path));
  });
  // Those in a browser take longest; what begins last should be short.
  const isLong = (path: string) => path.endsWith('.browser.test.js');
  return [...new Set(files)].sort(
    (a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1),
  );
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

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
