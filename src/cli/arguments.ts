import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/time/duration.ts';
import { parseScopes, type Scope } from '../core/identity/scope.ts';

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
