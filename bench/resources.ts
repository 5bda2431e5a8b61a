import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_PLAN, generate } from './generate.ts';
import { median } from './measure.ts';
import { OWNER } from './scene.ts';
import { type Service, startService } from './service.ts';
import type { Stage } from './stage.ts';
import { memoryOf } from './usage.ts';
import { sendLoad } from './wrk.ts';

/** One figure and its upper limit. */
export interface Amount {
  name: string;
  value: number;
  unit: 'ms' | 'MB';
  atMost?: number;
}

/** How thoroughly to measure. */
export interface Patience {
  starts: number;
  /** How long after its start a service counts as idle. */
  restMs: number;
  /** The number of briefs in the large database. */
  briefs: number;
}

/** Measurements of the service alone, by name. */
export const AMOUNTS: Record<string, (stage: Stage, patience: Patience) => Promise<Amount[]>> = {
  'slow-readers': measureSlowReaders,
  start: measureStarts,
};

const MB = 1_000_000;

/** Readers are slow: a page of 5 MB takes half a minute. */
const READ_EVERY_MS = 100;
const READ_BYTES = 16 * 1024;
const READ_FOR_MS = 8_000;

const HUNDREDS_OF_READERS = 3;

/** Fast clients first, so that only the memory for slow ones is measured. */
const WARM_UP = { connections: 8, seconds: 3 };

/** Measures the additional memory per hundred slow readers of 5 MB. */
async function measureSlowReaders({ services }: Stage): Promise<Amount[]> {
  const [service] = services as [Service];
  const url = `${service.renderUrl}/${OWNER}/slow`;
  await sendLoad({ url, connections: WARM_UP.connections }, WARM_UP.seconds);
  const before = memoryOf(service.pid).resident;
  let most = before;
  const look = () => {
    most = Math.max(most, memoryOf(service.pid).resident);
  };
  const readers: IncomingMessage[] = [];
  while (readers.length < 100 * HUNDREDS_OF_READERS) {
    readers.push(await openSlowly(url));
    look();
  }
  for (const end = Date.now() + READ_FOR_MS; Date.now() < end; await sleep(READ_EVERY_MS)) {
    for (const reader of readers) reader.read(READ_BYTES);
    look();
  }
  for (const reader of readers) reader.destroy();
  const value = (most - before) / HUNDREDS_OF_READERS / MB;
  return [{ name: 'memory for each 100 slow readers of 5 MB', value, unit: 'MB', atMost: 16 }];
}

/** Sends a request and returns at the first bytes; the body is read on demand. */
function openSlowly(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      // The request fails when the reader disconnects.
      response.once('error', () => {});
      if (response.statusCode === 200) resolve(response.pause());
      else reject(new Error(`${url} answered ${response.statusCode}.`));
    }).once('error', reject);
  });
}

/** Measures the time to start and the memory at rest. */
async function measureStarts(
  { another }: Stage,
  { starts, restMs, briefs }: Patience,
): Promise<Amount[]> {
  const first: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const service = await startService((await another()).settings);
    first.push(service.startMs);
    await service.stop();
  }
  const empty = (await another()).settings;
  await (await startService(empty)).stop();
  const filled = (await another()).settings;
  await generate(filled, { ...DEFAULT_PLAN, briefs, owners: Math.ceil(briefs / 10) });
  return [
    {
      name: 'first start, which creates the database',
      value: median(first),
      unit: 'ms',
      atMost: 1_000,
    },
    ...(await measureStart('an empty database', empty, starts, restMs)),
    ...(await measureStart(`${briefs} briefs`, filled, starts, restMs)),
  ];
}

/** How many starts also measure memory at rest. */
const RESTS = 3;

/** Measures starts with existing data, and memory at rest after the last ones. */
export async function measureStart(
  data: string,
  settings: Record<string, string>,
  starts: number,
  restMs: number,
): Promise<Amount[]> {
  const times: number[] = [];
  const cpu: number[] = [];
  const resident: number[] = [];
  for (let start = 1; start <= starts; start += 1) {
    const service = await startService(settings);
    times.push(service.startMs);
    cpu.push(service.startCpuMs);
    if (start > starts - RESTS) {
      await sleep(restMs);
      resident.push(memoryOf(service.pid).resident);
    }
    await service.stop();
  }
  return [
    { name: `start with ${data}`, value: median(times), unit: 'ms', atMost: 1_000 },
    { name: `processor time of that`, value: median(cpu), unit: 'ms' },
    { name: `memory at rest with ${data}`, value: median(resident) / MB, unit: 'MB', atMost: 120 },
  ];
}
