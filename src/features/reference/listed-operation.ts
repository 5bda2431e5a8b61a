import { isDeepStrictEqual } from 'node:util';
import type { Method, Operation, Parameter } from './openapi.ts';

/** An operation with its method, its path, and the path's parameters. */
export interface ListedOperation {
  id: string;
  method: Method;
  path: string;
  operation: Operation;
  parameters: Parameter[];
}

/** Returns an operation's summary, else its method and path. */
export function nameOf({ operation, method, path }: ListedOperation): string {
  return operation.summary ?? `${method.toUpperCase()} ${path}`;
}

/** Returns the statuses of the responses that all operations have alike. */
export function sharedStatuses(operations: readonly ListedOperation[]): string[] {
  const each = operations.map(({ operation }) => operation.responses ?? {});
  const [first = {}] = each;
  const isShared = ([status, response]: [string, unknown]) =>
    each.every((responses) => isDeepStrictEqual(responses[status], response));
  return Object.entries(first)
    .filter(isShared)
    .map(([status]) => status);
}
