import type { Reader, Writer } from '../../storage/sql/sql.ts';

export async function isUnsubscribed(db: Reader, addressHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('unsubscribed_address')
    .where('addressHash', '=', addressHash)
    .select('addressHash')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteUnsubscribed(db: Writer, addressHash: string): Promise<void> {
  await db.deleteFrom('unsubscribed_address').where('addressHash', '=', addressHash).execute();
}

export async function insertUnsubscribed(
  db: Writer,
  { addressHash, at }: { addressHash: string; at: string },
): Promise<void> {
  await db
    .insertInto('unsubscribed_address')
    .values({ addressHash, createdAt: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
