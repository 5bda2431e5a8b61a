import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { WatchLevel } from './concerned.ts';

type Watcher = { documentId: string; accountId: string };

export async function findWatch(
  db: Reader,
  { documentId, accountId }: Watcher,
): Promise<WatchLevel | undefined> {
  const row = await db
    .selectFrom('watch')
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .select('level')
    .executeTakeFirst();
  return row?.level;
}

export async function upsertWatch(
  db: Writer,
  { documentId, accountId }: Watcher,
  level: WatchLevel,
): Promise<void> {
  await db
    .insertInto('watch')
    .values({ document_id: documentId, account_id: accountId, level })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'account_id']).doUpdateSet({ level }),
    )
    .execute();
}

export async function deleteWatch(db: Writer, { documentId, accountId }: Watcher): Promise<void> {
  await db
    .deleteFrom('watch')
    .where('document_id', '=', documentId)
    .where('account_id', '=', accountId)
    .execute();
}
