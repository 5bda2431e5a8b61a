import { FieldError } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor } from '../context.ts';
import { findRequest, type WriteRow } from './revision-store.ts';

/** A request that its sender can repeat, identified by the `Idempotency-Key` header. */
export interface RepeatableRequest {
  /** SHA-256 of the key. */
  key: string;
  /** SHA-256 of the request's method, URL and body. */
  hash: string;
}

/** Ends a write that an earlier request with the same key already did. */
export class RepeatedRequest extends Error {
  readonly write: WriteRow;

  constructor(write: WriteRow) {
    super('The request was answered before.');
    this.write = write;
  }
}

/**
 * Checks, in the transaction of a write, that its request has not been answered before.
 *
 * @throws RepeatedRequest if it has; UNPROCESSABLE if the key was used for something else
 */
export async function refuseRepeated(
  db: Reader,
  actor: Actor,
  request: RepeatableRequest | undefined,
): Promise<void> {
  if (!request) return;
  const write = await findRequest(db, actor.id, request.key);
  if (!write) return;
  if (write.requestHash === request.hash) throw new RepeatedRequest(write);
  throw new FieldError(
    'UNPROCESSABLE',
    'Idempotency-Key',
    'you used this key for another request. Send a new key.',
  );
}
