import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../duration.ts';

/** Reads a span of time from the command line. @returns milliseconds */
export function readSpan(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
