import type { Reader, Writer } from '../../storage/sql/sql.ts';

export type KeyPurpose = 'signing' | 'cookie';

export interface KeyRow {
  purpose: KeyPurpose;
  /** Starts at 1. */
  generation: number;
  secret: string;
}

/** Lists the keys of one purpose, newest first. */
export async function listKeys(db: Reader, purpose: KeyPurpose): Promise<KeyRow[]> {
  return db
    .selectFrom('oauth_key')
    .where('purpose', '=', purpose)
    .select(['purpose', 'generation', 'secret'])
    .orderBy('generation', 'desc')
    .execute();
}

/** Adds a key, unless another process has added one of the same generation. */
export async function insertKey(db: Writer, key: KeyRow & { createdAt: string }): Promise<void> {
  await db
    .insertInto('oauth_key')
    .values({
      purpose: key.purpose,
      generation: key.generation,
      secret: key.secret,
      created_at: key.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['purpose', 'generation']).doNothing())
    .execute();
}

/** Deletes the keys of one purpose below a generation. */
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
