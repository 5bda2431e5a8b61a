import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A device that waits for a person, or that somebody has answered. */
export type DeviceRow = Omit<Row<'oauth_device'>, 'userHash'>;

export async function insertDevice(
  db: Writer,
  device: Row<'oauth_device', 'deviceHash' | 'userHash' | 'payload' | 'expiresAt'>,
): Promise<void> {
  await db.insertInto('oauth_device').values(device).execute();
}

/** @param by which of its codes the hash is of */
export async function findDevice(
  db: Reader,
  by: 'deviceHash' | 'userHash',
  hash: string,
): Promise<DeviceRow | undefined> {
  return db
    .selectFrom('oauth_device')
    .where(by, '=', hash)
    .select(['deviceHash', 'payload', 'answer', 'grantId', 'expiresAt', 'consumedAt'])
    .executeTakeFirst();
}

/**
 * Changes a device unless that was done before: only one of several concurrent callers gets `true`.
 *
 * @param once what must be empty
 */
export async function updateDevice(
  db: Writer,
  deviceHash: string,
  once: 'answer' | 'consumedAt',
  change: { answer: string; grantId: string | null } | { consumedAt: string },
): Promise<boolean> {
  const updated = await db
    .updateTable('oauth_device')
    .set(change)
    .where('deviceHash', '=', deviceHash)
    .where(once, 'is', null)
    .returning('deviceHash')
    .execute();
  return updated.length === 1;
}

/** Deletes those that expired before a time. @returns how many */
export async function deleteExpiredDevices(db: Writer, before: string): Promise<number> {
  const removed = await db
    .deleteFrom('oauth_device')
    .where('expiresAt', '<=', before)
    .returning('deviceHash')
    .execute();
  return removed.length;
}
