import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

const signingKeys = lookup<Record<string, never>, { id: string; secret: string }>((db) =>
  db.selectFrom('signing_key').select(['id', 'secret']).orderBy('id', 'desc'),
);

/** Lists the keys, newest first. */
export async function listSigningKeys(db: Reader): Promise<Uint8Array[]> {
  const rows = await signingKeys(db, {});
  return rows.map(({ secret }) => Buffer.from(secret, 'base64'));
}

/** Adds a key, unless one with this id exists. */
export async function insertSigningKey(
  db: Writer,
  key: { id: string; secret: Uint8Array; createdAt: string },
): Promise<void> {
  const secret = Buffer.from(key.secret).toString('base64');
  await db
    .insertInto('signing_key')
    .values({ id: key.id, secret, createdAt: key.createdAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Deletes the keys replaced by `time`: all older than the newest one created by then. */
export async function deleteSigningKeysReplacedBy(db: Writer, time: string): Promise<void> {
  const newest = db
    .selectFrom('signing_key')
    .select((key) => key.fn.max('id').as('id'))
    .where('createdAt', '<=', time);
  await db.deleteFrom('signing_key').where('id', '<', newest).execute();
}

export async function deleteSigningKeys(db: Writer): Promise<void> {
  await db.deleteFrom('signing_key').execute();
}
