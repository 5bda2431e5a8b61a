import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError } from '../../base/errors.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  type RepeatableRequest,
  RepeatedRequest,
  refuseRepeated,
} from '../../core/revision/repeated-request.ts';
import type { WriteRow } from '../../core/revision/revision-store.ts';

export const IDEMPOTENCY_KEY =
  'Any text of up to 255 characters, unique to this request. If you repeat the request with the ' +
  'same key, it isn’t carried out again, and the response is that of the first one.';

/** The part of a call that {@link answerOnce} needs. */
interface RepeatableCall {
  context: Context;
  actor: Actor;
  body: unknown;
  request: FastifyRequest;
  repeatable?: RepeatableRequest;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Runs a request once, however often it is sent with the same `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header). The transaction of the write stores the key, so a
 * request whose answer was lost can be sent again.
 *
 * @param repeat answers a repeated request from what the first one wrote
 * @throws BAD_REQUEST for an invalid key; UNPROCESSABLE if another request had this key
 */
export async function answerOnce<C extends RepeatableCall, Answer>(
  call: C,
  handle: (call: C) => Promise<Answer>,
  repeat: (call: C, write: WriteRow) => Promise<Answer>,
): Promise<Answer> {
  const repeatable = readKey(call.request, call.body);
  if (!repeatable) return handle(call);
  try {
    await refuseRepeated(call.context.sql.read, call.actor, repeatable);
    return await handle({ ...call, repeatable });
  } catch (error) {
    if (error instanceof RepeatedRequest) return repeat(call, error.write);
    throw error;
  }
}

function readKey(request: FastifyRequest, body: unknown): RepeatableRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    const problem = 'must be 1 to 255 printable ASCII characters.';
    throw new FieldError('BAD_REQUEST', 'Idempotency-Key', problem);
  }
  const { method, url } = request;
  return { key: hashSecret(key), hash: hashSecret(`${method} ${url}\n${JSON.stringify(body)}`) };
}
