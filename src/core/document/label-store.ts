import { type RawBuilder, sql } from 'kysely';
import type { Label } from '../../base/schema/label.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

// Label rows copy columns of their document, so that an index can count the documents with a label,
// and return them in each order (decision 005). Every write of an existing document calls one of the
// functions below in its own transaction, which has locked the owner (core/owner/owner-service.ts).

const labelsOf = prepared<{ documentId: string }, { label: string }>((db, parameter) =>
  db
    .selectFrom('document_label')
    .where('documentId', '=', parameter('documentId'))
    .select('label')
    .orderBy('key'),
);

/** Lists a document's labels, by key. */
export async function listLabelsOf(db: Reader, documentId: string): Promise<string[]> {
  return (await labelsOf(db, { documentId })).map(({ label }) => label);
}

/** Lists the labels of documents, by key. */
export async function listLabelsOfAll(
  db: Reader,
  documentIds: readonly string[],
): Promise<{ documentId: string; label: string }[]> {
  return db
    .selectFrom('document_label')
    .where('documentId', 'in', documentIds)
    .select(['documentId', 'label'])
    .orderBy('documentId')
    .orderBy('key')
    .execute();
}

const copied = prepared<{ documentId: string }, unknown>((db, parameter) => ({
  compile: () =>
    sql`update document_label
    set "ownerId" = document."ownerId", kind = document.kind,
      visibility = case when document."deletedAt" is null and document."takenDownAt" is null
        then document.visibility end,
      "updatedAt" = document."updatedAt", "titleKey" = lower(coalesce(document.title, document.name))
    from stored_document as document
    where document_label."documentId" = ${parameter('documentId')}
      and document.id = document_label."documentId"`.compile(db),
}));

/**
 * Updates the copied columns after a change of a document, its deletion, takedown or restoration.
 * Lists have no labels of documents that aren't there.
 */
export async function touchLabels(db: Writer, documentId: string): Promise<void> {
  await copied(db, { documentId });
}

/** Does the same after a change of all documents of an owner. */
export async function touchLabelsOf(db: Writer, ownerId: string): Promise<void> {
  await sql`update document_label set visibility = document.visibility
    from stored_document as document
    where document_label."ownerId" = ${ownerId} and document_label.visibility is not null
      and document.id = document_label."documentId"`.execute(db);
}

export async function replaceLabels(
  db: Writer,
  { documentId, ownerId }: { documentId: string; ownerId: string },
  labels: readonly Label[],
): Promise<void> {
  await db.deleteFrom('document_label').where('documentId', '=', documentId).execute();
  if (labels.length === 0) return;
  const rows = labels.map((label) => ({ documentId, ownerId, ...label }));
  await db.insertInto('document_label').values(rows).execute();
  await touchLabels(db, documentId);
}

/** Selects the labels of the row's document as one text, one per line; `null` if there are none. */
export function labelLines(db: Reader): RawBuilder<string | null> {
  const all = capabilitiesOf(db).choose({
    sqlite: sql`group_concat(document_label.label, char(10))`,
    postgres: sql`string_agg(document_label.label, chr(10))`,
  });
  return sql`(select ${all} from document_label where document_label."documentId" = document.id)`;
}
