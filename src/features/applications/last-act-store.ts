import type { EventType } from '../../base/schema/event.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** The last event that a token or application caused for a user. */
export interface LastActRow {
  via: 'token' | 'application';
  viaName: string | null;
  type: EventType;
  version: number | null;
  documentId: string;
  at: string;
}

/**
 * Lists the last event of each of a user's tokens and applications. Tells them apart by means and
 * name.
 */
export async function listLastActs(db: Reader, accountId: string): Promise<LastActRow[]> {
  const latest = db
    .selectFrom('event')
    .where('account_id', '=', accountId)
    .where('via', 'in', ['token', 'application'])
    .groupBy(['via', 'via_name'])
    .select((event) => event.fn.max('id').as('id'));
  return db
    .selectFrom('event')
    .where('id', 'in', latest)
    .select(['via', 'via_name as viaName', 'type', 'version', 'document_id as documentId', 'at'])
    .$narrowType<{ via: 'token' | 'application' }>()
    .execute();
}
