import { readJson } from '../http/json.ts';

/**
 * The protocol's library validates a message several times, at microseconds for each value. The
 * largest call, a hundred edits, has a few hundred.
 */
const MAX_VALUES = 2_000;

/** A body that is no message of the protocol, as the protocol says so (JSON-RPC 2.0, section 5.1). */
export interface ProtocolFault {
  code: -32700 | -32600;
  message: string;
}

/**
 * The one JSON-RPC message of a body. Lists of messages are refused: the revisions since 2025-06-18
 * have none, and a list would count as one request.
 */
export function readMessage(
  body: Buffer | undefined,
): { message: unknown } | { fault: ProtocolFault } {
  const read = readJson(body ?? Buffer.alloc(0), MAX_VALUES);
  if ('problem' in read) return { fault: { code: -32700, message: `The body ${read.problem}.` } };
  const message = read.value;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { fault: { code: -32600, message: 'The body must be one JSON-RPC message.' } };
  }
  return { message };
}
