/**
 * Measures whether anything becomes slower with the number of briefs; docs/develop/performance.md explains.
 *
 *   npm run bench:growth -- [options]
 */
import { parseArgs } from 'node:util';
import { OPERATIONS, type Operation } from './growth-operations.ts';
import { openSite, type Site } from './growth-site.ts';
import { createInstallation, missingFor, readStack } from './installation.ts';
import { median } from './measure.ts';
import { describeRun, table } from './report.ts';
import type { Amount } from './resources.ts';

const USAGE = `npm run bench:growth -- [options]

  --stack embedded|servers    the back ends (embedded)
  --sizes 1000,100000,1000000 numbers of briefs, smallest first
  --owners 1,100000           numbers of owners
  --median-bytes 600          the median size of a brief
  --rounds 20                 rounds of 20 calls per operation
  --quick                     a smoke test: few briefs, one round`;

const REQUESTS_PER_ROUND = 20;
const WARM_UP = 10;

/** The largest accepted growth. */
const MOST_GROWTH = 2;

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const missing = missingFor(options.stack);
  if (missing.length > 0) {
    console.error(['This machine lacks', ...missing].join('\n- '));
    return 1;
  }
  console.log(`${describeRun()}\n`);
  for (const owners of options.owners) console.log(await measureGrowth(owners, options));
  return 0;
}

type Options = ReturnType<typeof readArguments>;

/** @throws Error with one line about what is wrong with the arguments */
function readArguments() {
  const { values } = parseArgs({
    options: {
      stack: { type: 'string', default: 'embedded' },
      sizes: { type: 'string' },
      owners: { type: 'string', default: '1,100000' },
      'median-bytes': { type: 'string', default: '600' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const numbers = (text: string) => text.split(',').map(Number);
  return {
    stack: readStack(values.stack),
    sizes: numbers(values.sizes ?? (values.quick ? '1000,5000' : '1000,100000,1000000')),
    owners: numbers(values.owners),
    medianBytes: Number(values['median-bytes']),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 20)),
    starts: values.quick ? 1 : 3,
    restMs: values.quick ? 1_000 : 10_000,
  };
}

/** A row of the table, with one value per size. */
interface Row {
  name: string;
  unit: Amount['unit'];
  values: number[];
}

/** Measures all sizes alternately, so that other load on the machine affects all. */
async function measureGrowth(owners: number, options: Options): Promise<string> {
  await using cleanup = new AsyncDisposableStack();
  const installation = await createInstallation(options.stack);
  cleanup.defer(() => installation.remove());
  const sites: Site[] = [];
  for (const briefs of options.sizes) {
    console.error(`${briefs} briefs of ${owners} …`);
    const plan = { briefs, owners, medianBytes: options.medianBytes };
    const site = await openSite(await installation.another(), plan, options);
    cleanup.defer(() => site.close());
    sites.push(site);
  }
  const rows: Row[] = (sites[0] as Site).amounts.map(({ name, unit }, index) => ({
    name,
    unit,
    values: sites.map(({ amounts }) => amounts[index]?.value ?? 0),
  }));
  for (const [name, prepare] of Object.entries(OPERATIONS)) {
    console.error(`${name} …`);
    const work = await Promise.all(
      sites.map(async (site) => ({ site, operation: await prepare(site) })),
    );
    rows.push({ name, unit: 'ms', values: await timeInTurns(work, options.rounds) });
  }
  return growthTable(owners, options.sizes, rows);
}

/** A timed operation on one site. */
interface SiteWork {
  site: Site;
  operation: Operation;
}

/** Returns the median of each operation, in milliseconds. */
async function timeInTurns(work: readonly SiteWork[], rounds: number): Promise<number[]> {
  const times: number[][] = work.map(() => []);
  for (const each of work) await repeat(each, WARM_UP);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, each] of work.entries()) {
      times[index]?.push(...(await repeat(each, REQUESTS_PER_ROUND)));
    }
  }
  return times.map(median);
}

/** Makes every repetition query the database: cached rows would be equally fast at any size. */
async function repeat({ site, operation }: SiteWork, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time < count; time += 1) {
    await site.commitSomething();
    const begin = performance.now();
    await operation();
    times.push(performance.now() - begin);
  }
  return times;
}

function growthTable(owners: number, sizes: readonly number[], rows: readonly Row[]): string {
  const whose = owners === 1 ? 'one user' : `up to ${inThousands(owners)} owners`;
  const head = [`briefs of ${whose}`, ...sizes.map(inThousands), 'growth'];
  const body = rows.map(({ name, unit, values }) => {
    const growth = (values.at(-1) ?? 0) / (values[0] ?? 1);
    const mark = growth > MOST_GROWTH ? ' ✖' : '';
    const digits = Math.min(...values) < 100 ? 2 : 0;
    return [
      `${name}, ${unit}`,
      ...values.map((value) => value.toFixed(digits)),
      `${growth.toFixed(2)}${mark}`,
    ];
  });
  return table(head, body);
}

function inThousands(count: number): string {
  return count.toLocaleString('en');
}
