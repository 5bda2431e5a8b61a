import { InvalidArgumentError } from 'commander';
import { parseScopes, type Scope } from '../account/scope.ts';
import { parseDuration } from '../time/duration.ts';

/** Parses a duration argument. @returns milliseconds */
export function parseDurationArgument(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Parses a token's scopes. */
export function parseScopesArgument(text: string): Scope[] {
  const parsed = parseScopes(text);
  if ('problem' in parsed) throw new InvalidArgumentError(parsed.problem);
  return parsed.scopes;
}
