import type { Row } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** The last event that a token or application caused for a user. */
export type LastActRow = Row<'event', 'viaName' | 'type' | 'version' | 'documentId' | 'at'> & {
  via: 'token' | 'application';
};

/**
 * Lists the last event of each of a user's tokens and applications. Tells them apart by means and
 * name.
 */
export async function listLastActs(db: Reader, accountId: string): Promise<LastActRow[]> {
  const latest = db
    .selectFrom('event')
    .where('accountId', '=', accountId)
    .where('via', 'in', ['token', 'application'])
    .groupBy(['via', 'viaName'])
    .select((event) => event.fn.max('id').as('id'));
  return db
    .selectFrom('event')
    .where('id', 'in', latest)
    .select(['via', 'viaName', 'type', 'version', 'documentId', 'at'])
    .$narrowType<{ via: 'token' | 'application' }>()
    .execute();
}
