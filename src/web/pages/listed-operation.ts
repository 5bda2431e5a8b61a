import type { Method, Operation, Parameter } from './openapi.ts';

/** An operation with what the document says of it elsewhere: its place and its path's parameters. */
export interface ListedOperation {
  /** Of the element on the page. */
  id: string;
  method: Method;
  path: string;
  operation: Operation;
  parameters: Parameter[];
}

/** An operation's name: its summary, else its method and path. */
export function nameOf({ operation, method, path }: ListedOperation): string {
  return operation.summary ?? `${method.toUpperCase()} ${path}`;
}
