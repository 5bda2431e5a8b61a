import { createHash } from 'node:crypto';

/** The seed if `TEST_SEED` names no other, so that the same code always gets the same inputs. */
export const USUAL_SEED = 20261125;

/** What all random choices of this run come from; the runner prints it. */
export const SEED = readNumber('TEST_SEED') ?? USUAL_SEED;

/** Random choices, which the same seed repeats. Their timing it doesn't. */
export interface Chance {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns an integer from 0 to below `end`. */
  below(end: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns bytes that can't be compressed. */
  bytes(length: number): Buffer;
}

/**
 * Creates a source of random choices from `TEST_SEED`.
 *
 * @param name of what draws from it, so that what another file draws changes nothing here
 */
export function newChance(name: string): Chance {
  const next = mulberry32(createHash('sha256').update(`${SEED} ${name}`).digest().readUInt32LE());
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => below(256))),
  };
}

/** Returns a whole number in the environment; `undefined` if there is none. */
export function readNumber(name: string): number | undefined {
  const text = process.env[name];
  if (!text) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`${name}: must be a whole number (it is "${text}")`);
  return Number(text);
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
