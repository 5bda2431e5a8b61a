import { cpuMicros, settle } from './usage.ts';
import type { Outcome } from './wrk.ts';

/** A server with its load, to compare with others. */
export interface Side {
  name: string;
  /** Runs the load for some seconds. */
  run(seconds: number): Promise<Outcome & { cpu?: number }>;
  /** The processes whose processor time counts. Empty if the run reports its own. */
  pids: readonly number[];
}

/** A side's medians over all rounds. Times are in microseconds. */
export interface Figures {
  requestsPerSecond: number;
  /** Processor time per request. */
  cpu: number;
  p50: number;
  p99: number;
}

/** The result of one side, and its ratios to the first. */
export interface Result {
  name: string;
  figures: Figures;
  /** Medians of each round's ratios to the first side; `undefined` of the first. */
  ratios: Figures | undefined;
}

/** The number and length of rounds. */
export interface Rounds {
  rounds: number;
  seconds: number;
  /** Seconds before the first round. V8 keeps compiling a large program for about ten. */
  warmUp: number;
}

/**
 * Runs the sides alternately, so that other load on the machine affects all of them. Every second
 * round is in reverse order, so that load at a change of sides affects both.
 */
export async function measure(
  sides: readonly Side[],
  { rounds, seconds, warmUp }: Rounds,
): Promise<Result[]> {
  for (const side of sides) await side.run(warmUp);
  const measured: Figures[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [...sides.entries()] : [...sides.entries()].toReversed();
    for (const [index, side] of order) measured[index]?.push(await once(side, seconds));
  }
  const [first = []] = measured;
  return sides.map(({ name }, index) => {
    const own = measured[index] ?? [];
    const ratios = own.map((figures, round) => divide(figures, first[round] as Figures));
    return { name, figures: mediansOf(own), ratios: index > 0 ? mediansOf(ratios) : undefined };
  });
}

async function once(side: Side, seconds: number): Promise<Figures> {
  await settle(side.pids);
  const before = cpuMicros(side.pids);
  const outcome = await side.run(seconds);
  await settle(side.pids);
  const cpu = outcome.cpu ?? cpuMicros(side.pids) - before;
  return {
    requestsPerSecond: outcome.requests / (outcome.micros / 1e6),
    cpu: cpu / outcome.requests,
    p50: outcome.p50,
    p99: outcome.p99,
  };
}

const FIGURES = ['requestsPerSecond', 'cpu', 'p50', 'p99'] as const;

function divide(figures: Figures, by: Figures): Figures {
  return mapFigures((name) => figures[name] / by[name]);
}

function mediansOf(all: readonly Figures[]): Figures {
  return mapFigures((name) => median(all.map((figures) => figures[name])));
}

function mapFigures(value: (name: keyof Figures) => number): Figures {
  return Object.fromEntries(FIGURES.map((name) => [name, value(name)])) as unknown as Figures;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
