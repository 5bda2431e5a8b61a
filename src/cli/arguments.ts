import { InvalidArgumentError } from 'commander';
import { parseScopes, type Scope } from '../account/scope.ts';
import { parseDuration } from '../time/duration.ts';

/** Reads a span of time from the command line. @returns milliseconds */
export function readSpan(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Reads what a token may be used for from the command line. */
export function readScopes(text: string): Scope[] {
  const parsed = parseScopes(text);
  if ('problem' in parsed) throw new InvalidArgumentError(parsed.problem);
  return parsed.scopes;
}
