import type { Kysely } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Records which admin asked a reviewer in the web app, so that only the approvals of those count for
 * the protection, and who wrote the words of a suggestion that somebody else has moved since. For
 * older requests no admin is known, so they count once they are asked again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  for (const [table, column] of [
    ['review_request', 'appointed_by'],
    ['thread', 'words_by'],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn(column, text, (added) => added.references('account.id').onDelete('set null'))
      .execute();
    await db.schema
      .createIndex(`${table}_by_${column}`)
      .on(table)
      .column(column)
      .where(column as never, 'is not', null)
      .execute();
  }
}
