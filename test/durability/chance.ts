import { randomInt } from 'node:crypto';

/** Returns how many rounds a random test runs: `DURABILITY_ROUNDS`, or else `usually`. */
export function rounds(usually: number): number {
  return readNumber('DURABILITY_ROUNDS') ?? usually;
}

/**
 * The random choices of what to write and when to stop. The same seed gives the same choices, but
 * not the same timing.
 */
export interface Chance {
  /** Returns an integer from 0 to below `end`. */
  below(end: number): number;
  pick<T>(items: readonly T[]): T;
}

/** Creates the random source of this run and reports its seed. `DURABILITY_SEED` repeats a run's choices. */
export function newChance(report: (line: string) => void): Chance {
  const seed = readNumber('DURABILITY_SEED') ?? randomInt(2 ** 31);
  report(`DURABILITY_SEED=${seed}`);
  const next = mulberry32(seed);
  const below = (end: number) => Math.floor(next() * end);
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

/** Mulberry32, Tommy Ettinger's 32-bit generator: numbers from 0 to below 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function readNumber(name: string): number | undefined {
  const text = process.env[name];
  if (!text) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`${name}: must be a whole number (it is "${text}")`);
  return Number(text);
}
