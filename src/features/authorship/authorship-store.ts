import type { Span } from '../../base/text/authorship.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/**
 * Where words come from: a revision, which is its author's (`12`), a part of one that someone else
 * wrote (`12+340`: the part that starts there), or unknown (empty).
 */
export type Origin = string;

export type TextWriteRow = Row<
  'revision',
  'version' | 'via' | 'viaName' | 'restoredFrom' | 'sittingId' | 'at'
> & { author: string | null };

/** Lists the writes of texts after a version, oldest first. */
export async function listWrites(
  db: Reader,
  documentId: string,
  { after, to }: { after: number; to: number },
): Promise<TextWriteRow[]> {
  return db
    .selectFrom('revision')
    .leftJoin('owner', 'owner.id', 'revision.accountId')
    .where('documentId', '=', documentId)
    .where('version', '>', after)
    .where('version', '<=', to)
    .where('changed', 'like', '%content%')
    .select([
      'version',
      'owner.namespace as author',
      'via',
      'viaName',
      'restoredFrom',
      'sittingId',
      'at',
    ])
    .orderBy('version')
    .execute();
}

/** Lists the versions up to one whose spans are known, the last first. */
export async function listKnownVersions(
  db: Reader,
  documentId: string,
  upTo: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('authorship')
    .where('documentId', '=', documentId)
    .where('version', '<=', upTo)
    .select('version')
    .orderBy('version', 'desc')
    .execute();
  return rows.map(({ version }) => version);
}

export async function findSpans(
  db: Reader,
  documentId: string,
  version: number,
): Promise<Span<Origin>[] | undefined> {
  const row = await db
    .selectFrom('authorship')
    .where('documentId', '=', documentId)
    .where('version', '=', version)
    .select('spans')
    .executeTakeFirst();
  return row && (JSON.parse(row.spans) as Span<Origin>[]);
}

/** How many versions' spans are kept for a document. */
const MAX_KEPT = 20;

/** The longest spans that are kept, in characters of JSON: many more than texts of people have. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Stores the spans of a version, unless they are very many. Deletes those of the oldest versions, so
 * that few are kept.
 */
export async function insertSpans(
  db: Writer,
  documentId: string,
  { version, spans }: { version: number; spans: readonly Span<Origin>[] },
): Promise<void> {
  const json = JSON.stringify(spans);
  if (json.length > MAX_LENGTH) return;
  await db
    .insertInto('authorship')
    .columns(['documentId', 'version', 'spans'])
    .expression(({ selectFrom }) =>
      selectFrom('revision')
        .where('documentId', '=', documentId)
        .where('version', '=', version)
        .select(({ cast, val }) => [
          'documentId',
          'version',
          cast<string>(val(json), 'text').as('spans'),
        ]),
    )
    .onConflict((conflict) => conflict.columns(['documentId', 'version']).doNothing())
    .execute();
  const kept = db
    .selectFrom('authorship')
    .where('documentId', '=', documentId)
    .select('version')
    .orderBy('version', 'desc')
    .limit(MAX_KEPT);
  await db
    .deleteFrom('authorship')
    .where('documentId', '=', documentId)
    .where('version', 'not in', kept)
    .execute();
}
