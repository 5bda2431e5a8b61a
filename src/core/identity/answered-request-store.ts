import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A request with an `Idempotency-Key`: whose it is, and the hash of the key. */
export type RequestId = { accountId: string; key: string };

/** A request that was carried out. */
export type AnsweredRequest = Row<'answered_request', 'requestHash' | 'answer'>;

const found = prepared<RequestId & { since: string }, AnsweredRequest>((db, parameter) =>
  db
    .selectFrom('answered_request')
    .where('accountId', '=', parameter('accountId'))
    .where('requestKey', '=', parameter('key'))
    .where('at', '>', parameter('since'))
    .select(['requestHash', 'answer']),
);

/** Finds a request that was carried out after `since`. */
export async function findAnsweredRequest(
  db: Reader,
  id: RequestId,
  since: string,
): Promise<AnsweredRequest | undefined> {
  const [row] = await found(db, { ...id, since });
  return row;
}

/**
 * Records that a request is carried out, in the transaction that does it; `false` if another one with
 * this key was, after `since`. Then the transaction must not be committed.
 */
export async function insertAnsweredRequest(
  db: Writer,
  { accountId, key }: RequestId,
  { requestHash, answer }: AnsweredRequest,
  { at, since }: { at: string; since: string },
): Promise<boolean> {
  const values = { requestHash, answer, at };
  const inserted = await db
    .insertInto('answered_request')
    .values({ accountId, requestKey: key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'requestKey'])
        .doUpdateSet(values)
        .where('answered_request.at', '<=', since),
    )
    .returning('at')
    .execute();
  return inserted.length === 1;
}

/** Stores the sealed answer of a request that was carried out. */
export async function updateAnswer(
  db: Writer,
  { accountId, key }: RequestId,
  answer: string,
): Promise<void> {
  await db
    .updateTable('answered_request')
    .set({ answer })
    .where('accountId', '=', accountId)
    .where('requestKey', '=', key)
    .execute();
}

/** Forgets a request, because it was refused after all. */
export async function deleteAnsweredRequest(
  db: Writer,
  { accountId, key }: RequestId,
): Promise<void> {
  await db
    .deleteFrom('answered_request')
    .where('accountId', '=', accountId)
    .where('requestKey', '=', key)
    .execute();
}

/** Forgets the requests that were carried out by a time. @returns how many */
export async function deleteAnsweredUntil(db: Writer, at: string): Promise<number> {
  const deleted = await db
    .deleteFrom('answered_request')
    .where('at', '<=', at)
    .returning('at')
    .execute();
  return deleted.length;
}
