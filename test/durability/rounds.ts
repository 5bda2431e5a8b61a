import { readNumber } from '../chance.ts';

/** Returns how many rounds a random test runs: `DURABILITY_ROUNDS`, or else `usually`. */
export function rounds(usually: number): number {
  return readNumber('DURABILITY_ROUNDS') ?? usually;
}
