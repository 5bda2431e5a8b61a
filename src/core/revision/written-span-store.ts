import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A part of a revision's text, and who wrote it: in the editor, or with an accepted suggestion. */
export type WrittenSpan = Omit<Row<'written_span'>, 'documentId' | 'version'>;

/** The most parts recorded for a revision. Those after them count as its author's. */
const MAX_SPANS = 1_000;

/** Records who wrote which parts of a revision. */
export async function insertWrittenSpans(
  db: Writer,
  { documentId, version }: { documentId: string; version: number },
  spans: readonly WrittenSpan[],
): Promise<void> {
  const values = spans.slice(0, MAX_SPANS).map(({ start, length, accountId, via, viaName }) => {
    return { documentId, version, start, length, accountId, via, viaName };
  });
  if (values.length > 0) await db.insertInto('written_span').values(values).execute();
}

/** Lists the parts of revisions whose writers are recorded, in order. */
export async function listWrittenSpans(
  db: Reader,
  documentId: string,
  { from, to }: { from: number; to: number },
): Promise<(WrittenSpan & { version: number; author: string | null })[]> {
  return db
    .selectFrom('written_span')
    .leftJoin('owner', 'owner.id', 'written_span.accountId')
    .where('documentId', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .select([
      'version',
      'start',
      'length',
      'accountId',
      'owner.namespace as author',
      'via',
      'viaName',
    ])
    .orderBy('version')
    .orderBy('start')
    .execute();
}
