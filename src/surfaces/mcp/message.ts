import { readJson } from '../http/json.ts';

/**
 * The most values in a message. The library validates each several times, which takes some
 * microseconds. The largest call, a hundred edits, has about 600.
 */
const MAX_VALUES = 2_000;

/** The protocol's error for a body that is not a message (JSON-RPC 2.0, section 5.1). */
export interface ProtocolFault {
  code: -32700 | -32600;
  message: string;
}

/**
 * Parses the one JSON-RPC message of a body. Refuses batches: the protocol has none since
 * 2025-06-18, and a batch would count as one request.
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
