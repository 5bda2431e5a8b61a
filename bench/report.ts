import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../test/servers/server-process.ts';
import { type Figures, median, type Result } from './measure.ts';
import type { Amount } from './resources.ts';
import type { Goal, Workload } from './workloads.ts';

/** The results of one workload. */
export interface Measured {
  workload: string;
  results: Result[];
}

/** Formats a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const HEAD = [
  'workload',
  'side',
  'requests/s',
  'µs CPU',
  'p50 ms',
  'p99 ms',
  'requests/s, of the first',
  'per CPU-second, of the first',
  'p99, of the first',
  'goal',
];

/** Formats the workloads' figures as a table. */
export function workloadsTable(
  workloads: Record<string, Workload>,
  measured: readonly Measured[],
): string {
  const rows = measured.flatMap(({ workload: name, results }) => {
    const workload = workloads[name] as Workload;
    return results.map(({ name: side, figures, ratios }, index) => [
      index === 0 ? workload.title : '',
      side,
      ...[figures.requestsPerSecond, figures.cpu].map((value) => value.toFixed(0)),
      ...[figures.p50, figures.p99].map((micros) => (micros / 1000).toFixed(2)),
      ...(ratios
        ? [ratios.requestsPerSecond, 1 / ratios.cpu, ratios.p99].map(round)
        : ['', '', '']),
      workload.goals
        .filter((goal) => goal.side === side && ratios)
        .map((goal) => judge(goal, ratios as Figures))
        .join(', '),
    ]);
  });
  return table(HEAD, rows);
}

function judge(goal: Goal, ratios: Figures): string {
  const value = {
    'requests per second': ratios.requestsPerSecond,
    'requests per CPU-second': 1 / ratios.cpu,
    p99: ratios.p99,
  }[goal.figure];
  const [bound, reached] =
    goal.atLeast === undefined
      ? [`at most ${round(goal.atMost ?? 0)}`, value <= (goal.atMost ?? 0)]
      : [`at least ${round(goal.atLeast)}`, value >= goal.atLeast];
  return `${reached ? '✔' : '✖'} ${goal.figure} ${bound}`;
}

function round(ratio: number): string {
  return ratio.toFixed(2);
}

/** Formats single figures as a table. */
export function amountsTable(amounts: readonly Amount[]): string {
  const rows = amounts.map(({ name, value, unit, atMost }) => [
    name,
    `${value.toFixed(0)} ${unit}`,
    atMost === undefined ? '' : `${value <= atMost ? '✔' : '✖'} at most ${atMost} ${unit}`,
  ]);
  return table(['figure', 'measured', 'goal'], rows);
}

const VERSIONS = {
  wrk: ['wrk', '-v'],
  nginx: ['/usr/sbin/nginx', '-v'],
  PostgreSQL: ['psql', '--version'],
} as const;

/** Describes the date, commit, command and machine. */
export function describeRun(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const sync = `a disk that takes ${syncMs().toFixed(2)} ms to sync 4 KB`;
  const machine = `${cpus().length} × ${cpu?.model}, ${memory}, ${sync}, Linux ${release()}`;
  const versions = Object.entries(VERSIONS).flatMap(([name, [program, flag]]) => {
    const found = findProgram(program) ?? program;
    const number = firstNumber(found, flag);
    return number ? [`${name} ${number}`] : [];
  });
  const command = ['npm run', process.env.npm_lifecycle_event ?? 'bench', '--'].join(' ');
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}${commit()} with`,
    `\`${[command, ...process.argv.slice(2)].join(' ')}\``,
    `on ${machine}; Node ${process.versions.node}, ${versions.join(', ')}.`,
  ].join(' ');
}

/** Measures how long the disk takes to sync 4 KB. */
function syncMs(): number {
  const path = join(tmpdir(), `briefs-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const times = Array.from({ length: 200 }, () => {
    const begin = performance.now();
    writeSync(file, Buffer.alloc(4_096));
    fsyncSync(file);
    return performance.now() - begin;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}

/** Returns the commit, if known, and whether the code has changed since. */
function commit(): string {
  const script =
    'cd "$0" && git rev-parse --short HEAD && (git diff --quiet HEAD -- src bench || echo -dirty)';
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = spawnSync('sh', ['-c', script, root], { encoding: 'utf8' });
  const found = stdout.replaceAll('\n', '');
  return found && ` at ${found}`;
}

/** Returns the first version number a program prints. Some exit with an error after it. */
function firstNumber(program: string, flag: string): string | undefined {
  const command = '"$0" "$1" 2>&1 || true';
  const said = execFileSync('sh', ['-c', command, program, flag], { encoding: 'utf8' });
  return /\d+(\.\d+)+/.exec(said)?.[0];
}
