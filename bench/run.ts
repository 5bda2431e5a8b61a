/**
 * Compares the service with a minimal server (the floor); docs/develop/performance.md explains.
 *
 *   npm run bench -- [options]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findProgram, makeDirectory, removeDirectory } from '../test/servers/server-process.ts';
import { missingFor, readStack } from './installation.ts';
import { measure, type Side } from './measure.ts';
import { nginxProgram } from './nginx.ts';
import { readProfile, type Share } from './profile.ts';
import { amountsTable, describeRun, type Measured, workloadsTable } from './report.ts';
import { AMOUNTS, type Amount } from './resources.ts';
import { setStage } from './stage.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

const USAGE = `npm run bench -- [options]

  --stack embedded|servers  the back ends (embedded)
  --only name,name          of ${[...Object.keys(WORKLOADS), ...Object.keys(AMOUNTS)].join(', ')}
  --processes 1|2           processes of the service on the same data (1)
  --briefs 100000           briefs in the database besides those used
  --rounds 15 --seconds 1   number and length of rounds
  --quick                   a smoke test: one short round, few briefs
  --json file               the figures as JSON
  --profile                 show where the service's time goes instead of comparing`;

type Options = ReturnType<typeof readArguments>;

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const missing = [...missingPrograms(), ...missingFor(options.stack)];
  if (missing.length > 0) {
    console.error(['This machine lacks', ...missing].join('\n- '));
    return 1;
  }
  if (options.profile) {
    for (const name of options.workloads) await profile(name, options);
    return 0;
  }
  const { workloads, amounts } = await measureAll(options);
  const tables = [
    ...(workloads.length > 0 ? [workloadsTable(WORKLOADS, workloads)] : []),
    ...(amounts.length > 0 ? [amountsTable(amounts)] : []),
  ];
  const text = tables.join('\n\n');
  console.log(`${describeRun()}\n\n${text}`);
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ workloads, amounts }, null, 2)}\n`);
  return 0;
}

/** @throws Error with one line about what is wrong with the arguments */
function readArguments() {
  const { values } = parseArgs({
    options: {
      stack: { type: 'string', default: 'embedded' },
      only: { type: 'string' },
      processes: { type: 'string', default: '1' },
      briefs: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  });
  const processes = Number(values.processes);
  const possible = Object.keys(WORKLOADS).filter(
    (name) => processes > 1 || WORKLOADS[name]?.processes !== 'several',
  );
  const all = [...possible, ...Object.keys(AMOUNTS)];
  const names = values.only?.split(',') ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`There is no workload "${unknown}" to measure.`);
  return {
    stack: readStack(values.stack),
    workloads: names.filter((name) => Object.hasOwn(WORKLOADS, name)),
    amounts: names.filter((name) => Object.hasOwn(AMOUNTS, name)),
    processes,
    briefs: Number(values.briefs ?? (values.quick ? 1_000 : 100_000)),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 15)),
    seconds: Number(values.seconds ?? 1),
    warmUp: values.quick ? 1 : 12,
    starts: values.quick ? 1 : 7,
    restMs: values.quick ? 1_000 : 10_000,
    json: values.json,
    profile: values.profile,
  };
}

function missingPrograms(): string[] {
  return [
    ...(findProgram('wrk') ? [] : ['wrk (Debian: apt install wrk)']),
    ...(nginxProgram() ? [] : ['nginx (Debian: apt install nginx-light)']),
  ];
}

async function measureAll(options: Options): Promise<{ workloads: Measured[]; amounts: Amount[] }> {
  await using cleanup = new AsyncDisposableStack();
  const stage = await setStage(options, cleanup);
  const workloads: Measured[] = [];
  for (const name of options.workloads) {
    console.error(`${name} …`);
    const workload = WORKLOADS[name] as Workload;
    workloads.push({ workload: name, results: await measure(workload.sides(stage), options) });
  }
  const amounts: Amount[] = [];
  for (const name of options.amounts) {
    console.error(`${name} …`);
    amounts.push(...((await AMOUNTS[name]?.(stage, options)) ?? []));
  }
  return { workloads, amounts };
}

/** Prints where the service's time goes. The last side of each workload is the service. */
async function profile(name: string, options: Options): Promise<void> {
  const directory = makeDirectory('bench-profiles');
  try {
    const run = await runProfiled(WORKLOADS[name] as Workload, options, directory);
    const { functions, libraries, micros } = readProfile(directory, run.pid, run);
    const share = ({ name: what, micros: own }: Share) =>
      `${((100 * own) / micros).toFixed(1).padStart(6)} %  ${what}`;
    const each = (micros / run.requests).toFixed(0);
    console.log(`\n${WORKLOADS[name]?.title}: ${each} µs of the main thread for each request`);
    console.log([...libraries.slice(0, 20).map(share), ''].join('\n'));
    console.log([...functions.slice(0, 40).map(share), ''].join('\n'));
  } finally {
    removeDirectory(directory);
  }
}

async function runProfiled({ sides }: Workload, options: Options, directory: string) {
  await using cleanup = new AsyncDisposableStack();
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${directory}`];
  const stage = await setStage({ ...options, nodeOptions }, cleanup);
  const side = sides(stage).at(-1) as Side;
  await side.run(options.seconds);
  const from = microsNow();
  const { requests } = await side.run(options.seconds);
  return { requests, from, to: microsNow(), pid: side.pids[0] as number };
}

function microsNow(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
