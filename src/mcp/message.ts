import { parse as parseJson } from 'secure-json-parse';

/** A body that is no message of the protocol, as the protocol says so (JSON-RPC 2.0, section 5.1). */
export interface ProtocolFault {
  code: -32700 | -32600;
  message: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The one JSON-RPC message of a body. Keys such as `__proto__` are refused rather than dropped.
 * Lists of messages are refused, too: the revisions since 2025-06-18 have none, and a list would
 * count as one request.
 */
export function readMessage(
  body: Buffer | undefined,
): { message: unknown } | { fault: ProtocolFault } {
  let message: unknown;
  try {
    message = parseJson(utf8.decode(body ?? new Uint8Array()), {
      protoAction: 'error',
      constructorAction: 'error',
    });
  } catch {
    return { fault: { code: -32700, message: 'The body is not well-formed JSON in UTF-8.' } };
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { fault: { code: -32600, message: 'The body must be one JSON-RPC message.' } };
  }
  return { message };
}
