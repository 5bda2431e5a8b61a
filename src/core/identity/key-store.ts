import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

export type KeyPurpose = Tables['oauth_key']['purpose'];

/** Lists the keys of one purpose, newest first. */
export async function listKeys(db: Reader, purpose: KeyPurpose): Promise<Row<'oauth_key'>[]> {
  return db
    .selectFrom('oauth_key')
    .where('purpose', '=', purpose)
    .selectAll()
    .orderBy('generation', 'desc')
    .execute();
}

/** Adds a key, unless another process has added one of the same generation. */
export async function insertKey(db: Writer, key: Row<'oauth_key'>): Promise<void> {
  await db
    .insertInto('oauth_key')
    .values(key)
    .onConflict((conflict) => conflict.columns(['purpose', 'generation']).doNothing())
    .execute();
}

export async function deleteKeysBefore(
  db: Writer,
  purpose: KeyPurpose,
  generation: number,
): Promise<void> {
  await db
    .deleteFrom('oauth_key')
    .where('purpose', '=', purpose)
    .where('generation', '<', generation)
    .execute();
}
