/**
 * Finds what the tests don't notice: breaks the compiled code in one small place at a time and runs
 * the quick tests that reach it; docs/develop/tests.md explains.
 *
 *   npm run bench:mutations -- [options]
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newChance, SEED } from '../test/chance.ts';
import { filesOf, SUITES } from '../test/suites.ts';
import { type Mutation, mutationsOf } from './mutation-kinds.ts';

const USAGE = `npm run bench:mutations -- [options]

  --count 100          how many mutations
  --in "core/**"       which files of src/ to break
  --most 12            the most test files to run for each
  --coverage           measure again which test file reaches what

  TEST_SEED=7          other mutations`;

const DIST = resolve(import.meta.dirname, '..');
const SRC = join(DIST, 'src');
const COVERAGE = join(DIST, 'bench/coverage.json');

/** Longer than a mutation needs that doesn't make its test hang. */
const PATIENCE_MS = 20_000;

/** Where code ran, as offsets in a compiled file: each start, then its end. */
type Ranges = number[];

/** What one test file reaches. */
interface Reach {
  ms: number;
  /** By path below `dist`. */
  files: Record<string, Ranges>;
}

type Coverage = Record<string, Reach>;

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const coverage = await readCoverage(options.coverage);
  const mutations = choose(options);
  console.log(`${mutations.length} mutations, with TEST_SEED=${SEED}\n`);
  const survivors: string[] = [];
  const unreached: string[] = [];
  for (const [index, mutation] of mutations.entries()) {
    const where = describe(mutation);
    const tests = testsOf(mutation, coverage).slice(0, options.most);
    const noticed = tests.length > 0 && (await isNoticed(mutation, tests, coverage));
    if (tests.length === 0) unreached.push(where);
    else if (!noticed) survivors.push(`${where}\n    ${tests.length} files: ${tests.join(' ')}`);
    const result = tests.length === 0 ? 'unreached' : noticed ? 'noticed' : 'SURVIVED';
    console.log(`${index + 1}. ${result.padEnd(9)}  ${where}`);
  }
  console.log(`\nNo quick test reaches ${unreached.length}; ${survivors.length} survived:\n`);
  for (const survivor of survivors) console.log(`- ${survivor}`);
  return 0;
}

interface Options {
  count: number;
  within: string;
  most: number;
  coverage: boolean;
}

/** @throws Error with one line about the wrong argument */
function readArguments(): Options {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '100' },
      in: { type: 'string', default: '**' },
      most: { type: 'string', default: '12' },
      coverage: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'count' | 'most') => {
    if (/^[1-9]\d*$/.test(values[name])) return Number(values[name]);
    throw new Error(`--${name}: must be a whole number`);
  };
  return {
    count: whole('count'),
    within: values.in,
    most: whole('most'),
    coverage: values.coverage,
  };
}

/** A mutation of a file. */
interface Placed extends Mutation {
  /** The path of the compiled file. */
  path: string;
  source: string;
}

function choose({ count, within }: Options): Placed[] {
  const chance = newChance('mutations');
  const paths = globSync(within, { cwd: SRC })
    .filter((path) => path.endsWith('.js') && !/\.(test|testing)\.js$/.test(path))
    .sort();
  const every = paths.flatMap((name) => {
    const path = join(SRC, name);
    const source = readFileSync(path, 'utf8');
    return mutationsOf(source).map((mutation): Placed => ({ ...mutation, path, source }));
  });
  if (every.length === 0) throw new Error(`No code in src/${within} can be broken.`);
  const chosen: Placed[] = [];
  while (chosen.length < count && every.length > 0) {
    chosen.push(...every.splice(chance.below(every.length), 1));
  }
  return chosen;
}

/** Names the place in the source and what is broken there. */
function describe({ path, source, start, end, replacement, kind }: Placed): string {
  const before = source.slice(0, start).split('\n');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const column = before.at(-1)?.length ?? 0;
  const entry = map.findEntry(before.length - 1, column);
  const line = 'originalLine' in entry ? entry.originalLine + 1 : '?';
  const file = globSync(`${relative(DIST, path).slice(0, -3)}.{ts,tsx}`, { cwd: dirname(DIST) })[0];
  const code = (before.at(-1) ?? '') + (/^.*/.exec(source.slice(start))?.[0] ?? '');
  const change = `${short(source.slice(start, end))} → ${short(replacement)}`;
  return `${file}:${line}  ${kind}: ${change}   in: ${short(code)}`;
}

function short(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 77)}…` : line || 'nothing';
}

/** The test files that reach a mutation, the quickest first. */
function testsOf({ path, start }: Placed, coverage: Coverage): string[] {
  const name = relative(DIST, path);
  return Object.entries(coverage)
    .filter(([, { files }]) => covers(files[name] ?? [], start))
    .sort(([, one], [, other]) => one.ms - other.ms)
    .map(([test]) => test);
}

function covers(ranges: Ranges, offset: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if (offset >= (ranges[at] as number) && offset < (ranges[at + 1] as number)) return true;
  }
  return false;
}

/** Whether one of the tests fails while the mutation is in the code. */
async function isNoticed(
  { path, source, start, end, replacement }: Placed,
  tests: string[],
  coverage: Coverage,
): Promise<boolean> {
  const restore = () => writeFileSync(path, source);
  process.once('exit', restore);
  writeFileSync(path, source.slice(0, start) + replacement + source.slice(end));
  try {
    for (const test of tests) {
      const within = Math.ceil(3 * (coverage[test]?.ms ?? 0) + PATIENCE_MS);
      if (!(await run(test, within, {})).success) return true;
    }
    return false;
  } finally {
    restore();
    process.off('exit', restore);
  }
}

/** Runs a test file by itself. */
async function run(
  test: string,
  withinMs: number,
  environment: Record<string, string>,
): Promise<{ success: boolean; ms: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, [join(DIST, test)], {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
    timeout: withinMs,
    killSignal: 'SIGKILL',
  });
  const code = await new Promise((settle) => child.once('close', settle));
  return { success: code === 0, ms: performance.now() - start };
}

/** Reads what each quick test reaches, and measures what isn't known yet. */
async function readCoverage(again: boolean): Promise<Coverage> {
  const known: Coverage =
    again || !existsSync(COVERAGE) ? {} : JSON.parse(readFileSync(COVERAGE, 'utf8'));
  const files = SUITES.quick
    .flatMap((pass) => filesOf(pass.files, pass.except, DIST))
    .map((file) => relative(DIST, file))
    .filter((file) => !file.endsWith('.browser.test.js'));
  for (const [index, file] of files.entries()) {
    if (known[file]) continue;
    console.log(`Measuring what ${file} reaches (${index + 1} of ${files.length})`);
    known[file] = await measure(file);
    mkdirSync(dirname(COVERAGE), { recursive: true });
    writeFileSync(COVERAGE, JSON.stringify(known));
  }
  return Object.fromEntries(files.map((file) => [file, known[file] as Reach]));
}

async function measure(test: string): Promise<Reach> {
  const directory = mkdtempSync(join(tmpdir(), 'briefs-coverage-'));
  try {
    const { success, ms } = await run(test, 600_000, { NODE_V8_COVERAGE: directory });
    // What fails anyway notices nothing.
    return { ms, files: success ? reachedIn(directory) : {} };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Script {
  url: string;
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[];
}

/** Reads V8's reports of a process, its threads and its children. */
function reachedIn(directory: string): Record<string, Ranges> {
  const reached: Record<string, Ranges> = {};
  for (const name of readdirSync(directory)) {
    const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as {
      result: Script[];
    };
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue;
      const path = relative(DIST, fileURLToPath(url));
      if (!path.startsWith('src/') || /\.(test|testing)\.js$/.test(path)) continue;
      reached[path] = [...(reached[path] ?? []), ...ranThrough(functions)];
    }
  }
  return reached;
}

/** The stretches whose innermost range ran. */
function ranThrough(functions: Script['functions']): Ranges {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const edges = [...new Set(ranges.flatMap((one) => [one.startOffset, one.endOffset]))];
  edges.sort((a, b) => a - b);
  const ran: Ranges = [];
  const open: typeof ranges = [];
  let next = 0;
  for (const [index, edge] of edges.entries()) {
    while ((open.at(-1)?.endOffset ?? Number.POSITIVE_INFINITY) <= edge) open.pop();
    while (ranges[next]?.startOffset === edge) open.push(ranges[next++] as (typeof ranges)[number]);
    const end = edges[index + 1];
    if (end === undefined || !open.at(-1)?.count) continue;
    if (ran.at(-1) === edge) ran[ran.length - 1] = end;
    else ran.push(edge, end);
  }
  return ran;
}
