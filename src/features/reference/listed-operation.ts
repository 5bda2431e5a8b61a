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
