import { type RawBuilder, sql } from 'kysely';
import type { Label } from '../../base/schema/label.ts';
import { batchQueries } from '../../storage/sql/batch-queries.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

// Label rows copy columns of their document, so that an index can return the documents with a label
// in each order (decision 005). `label_count` counts them. Every write of an existing document
// calls one of the functions below in its own transaction, which has locked the owner
// (core/owner/owner-service.ts).

const labelsOf = prepared<{ documentId: string }, { label: string }>((db, parameter) =>
  db
    .selectFrom('document_label')
    .where('document_id', '=', parameter('documentId'))
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
    .where('document_id', 'in', documentIds)
    .select(['document_id as documentId', 'label'])
    .orderBy('document_id')
    .orderBy('key')
    .execute();
}

type OfDocument = { documentId: string };

/** Adds a document's labels to the counts, or subtracts them. */
const counted = { up: preparedCount(1), down: preparedCount(-1) };

function preparedCount(by: 1 | -1) {
  return prepared<OfDocument, unknown>((db, parameter) => ({
    compile: () =>
      sql`insert into label_count (owner_id, key, kind, visibility, documents)
      select owner_id, key, kind, visibility, ${sql.lit(by)} from document_label
      where document_id = ${parameter('documentId')} and visibility is not null
      on conflict (owner_id, key, kind, visibility)
      do update set documents = label_count.documents + excluded.documents`.compile(db),
  }));
}

/** Deletes the counts of a document's labels that no document has any more. */
const zeroesDeleted = prepared<OfDocument, unknown>((db, parameter) => ({
  compile: () =>
    sql`delete from label_count where documents = 0
    and (owner_id, key, kind, visibility) in (
      select owner_id, key, kind, visibility from document_label
      where document_id = ${parameter('documentId')})`.compile(db),
}));

const copied = prepared<OfDocument, unknown>((db, parameter) => ({
  compile: () =>
    sql`update document_label
    set owner_id = document.owner_id, kind = document.kind,
      visibility = case when document.deleted_at is null and document.taken_down_at is null
        then document.visibility end,
      updated_at = document.updated_at, title_key = lower(coalesce(document.title, document.name))
    from stored_document as document
    where document_label.document_id = ${parameter('documentId')}
      and document.id = document_label.document_id`.compile(db),
}));

/** Updates the copied columns after a change of a document's text or name. */
export async function touchLabels(db: Writer, documentId: string): Promise<void> {
  await copied(db, { documentId });
}

/**
 * Updates the copied columns and the counts after a change of a document's owner or visibility, its
 * deletion, takedown or restoration. Lists and counts have no labels of documents that aren't there.
 */
export async function relistLabels(db: Writer, documentId: string): Promise<void> {
  await uncountLabels(db, documentId);
  await batchQueries([copied(db, { documentId }), counted.up(db, { documentId })]);
}

/** Does the same as {@link relistLabels} for all documents of an owner. */
export async function relistLabelsOf(db: Writer, ownerId: string): Promise<void> {
  await sql`update document_label set visibility = document.visibility
    from stored_document as document
    where document_label.owner_id = ${ownerId} and document_label.visibility is not null
      and document.id = document_label.document_id`.execute(db);
  await sql`delete from label_count where owner_id = ${ownerId}`.execute(db);
  await sql`insert into label_count (owner_id, key, kind, visibility, documents)
    select owner_id, key, kind, visibility, count(*) from document_label
    where owner_id = ${ownerId} and visibility is not null
    group by owner_id, key, kind, visibility`.execute(db);
}

async function uncountLabels(db: Writer, documentId: string): Promise<void> {
  await batchQueries([counted.down(db, { documentId }), zeroesDeleted(db, { documentId })]);
}

/** Replaces a document's labels. */
export async function replaceLabels(
  db: Writer,
  { documentId, ownerId }: { documentId: string; ownerId: string },
  labels: readonly Label[],
): Promise<void> {
  await uncountLabels(db, documentId);
  await db.deleteFrom('document_label').where('document_id', '=', documentId).execute();
  if (labels.length === 0) return;
  const rows = labels.map((label) => ({ document_id: documentId, owner_id: ownerId, ...label }));
  await db.insertInto('document_label').values(rows).execute();
  await relistLabels(db, documentId);
}

/** Selects the labels of the row's document as one text, one per line; `null` if there are none. */
export function labelLines(db: Reader): RawBuilder<string | null> {
  const all = capabilitiesOf(db).choose({
    sqlite: sql`group_concat(document_label.label, char(10))`,
    postgres: sql`string_agg(document_label.label, chr(10))`,
  });
  return sql`(select ${all} from document_label where document_label.document_id = document.id)`;
}
