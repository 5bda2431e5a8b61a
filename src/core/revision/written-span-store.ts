import type { Means } from '../../base/schema/means.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A part of a revision's text, and who wrote it: in the editor, or with an accepted suggestion. */
export interface WrittenSpan {
  /** In UTF-16 code units; every line break counts as one. */
  start: number;
  length: number;
  accountId: string | null;
  via: Means | null;
  viaName: string | null;
}

/** The most parts recorded for a revision. Those after them count as its author's. */
const MAX_SPANS = 1_000;

/** Records who wrote which parts of a revision. */
export async function insertWrittenSpans(
  db: Writer,
  { documentId: document_id, version }: { documentId: string; version: number },
  spans: readonly WrittenSpan[],
): Promise<void> {
  const values = spans
    .slice(0, MAX_SPANS)
    .map(({ start, length, accountId: account_id, via, viaName: via_name }) => {
      return { document_id, version, start, length, account_id, via, via_name };
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
    .leftJoin('owner', 'owner.id', 'written_span.account_id')
    .where('document_id', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .select([
      'version',
      'start',
      'length',
      'account_id as accountId',
      'owner.namespace as author',
      'via',
      'via_name as viaName',
    ])
    .orderBy('version')
    .orderBy('start')
    .execute();
}
