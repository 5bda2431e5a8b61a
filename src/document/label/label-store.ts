import { type RawBuilder, sql } from 'kysely';
import type { Page, PageRequest } from '../../pagination/result-page.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { type OwnerRole, VISIBLE_TO } from '../access.ts';
import { type DocumentRow, documents } from '../document-store.ts';
import type { Kind } from '../kind.ts';
import type { Label } from './label.ts';

/**
 * How many documents with a label, and how many labels of an owner, a query reads: those of the
 * documents created last. An index can't provide their order and access.
 */
export const LOOKED_THROUGH = 5000;

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

/** Replaces a document's labels. */
export async function replaceLabels(
  db: Writer,
  { documentId, ownerId }: { documentId: string; ownerId: string },
  labels: readonly Label[],
): Promise<void> {
  await db.deleteFrom('document_label').where('document_id', '=', documentId).execute();
  if (labels.length === 0) return;
  const rows = labels.map((label) => ({ document_id: documentId, owner_id: ownerId, ...label }));
  await db.insertInto('document_label').values(rows).execute();
}

/** Gives a document's labels to its new owner. */
export async function moveLabels(db: Writer, documentId: string, ownerId: string): Promise<void> {
  await db
    .updateTable('document_label')
    .set({ owner_id: ownerId })
    .where('document_id', '=', documentId)
    .execute();
}

/** A label, and how many documents that the reader can see have it. */
export interface CountedLabel {
  label: string;
  documents: number;
}

/** The owner of the labels, and the reader. */
interface List {
  ownerId: string;
  actorId: string;
  /** The actor's role. */
  role: OwnerRole;
}

/** Lists the labels of an owner's documents that the actor can see, by key. */
export async function listOwnerLabels(db: Reader, list: List): Promise<CountedLabel[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('document_label')
        .where('owner_id', '=', list.ownerId)
        .select(['document_id', 'key', 'label'])
        .orderBy('document_id', 'desc')
        .limit(LOOKED_THROUGH)
        .as('latest'),
    )
    .innerJoin('document', 'document.id', 'latest.document_id')
    .where(isListed(list))
    .groupBy('latest.key')
    .orderBy('latest.key')
    .select(({ fn }) => [
      fn.min<string>('latest.label').as('label'),
      fn.countAll<number>().as('documents'),
    ])
    .execute();
  return rows.map(({ label, documents }) => ({ label, documents: Number(documents) }));
}

/** Lists an owner's documents with a label that the actor can see, newest first. */
export async function listLabelledDocuments(
  db: Reader,
  list: List & { kind: Kind; key: string },
  page: PageRequest,
): Promise<Page<DocumentRow>> {
  const labelled = sql`select document_id from document_label
    where owner_id = ${list.ownerId} and key = ${list.key}
    order by document_id desc limit ${sql.lit(LOOKED_THROUGH)}`;
  const rows = documents(db, sql<string>`${list.actorId}`)
    .where('document.kind', '=', list.kind)
    .where('document.id', 'in', sql<string>`(${labelled})`)
    .where(isListed(list));
  return paginate(rows, 'document.id', page);
}

/** Builds the condition that an owner's list shows a document to the actor. */
function isListed({ ownerId, actorId, role }: List): RawBuilder<boolean> {
  const seen = sql.join(VISIBLE_TO[role].map((visibility) => sql.lit(visibility)));
  const collaborates =
    role === 'member'
      ? sql`exists (select 1 from collaborator as own
          where own.document_id = document.id and own.account_id = ${actorId})`
      : sql`false`;
  return sql<boolean>`document.owner_id = ${ownerId} and (document.visibility in (${seen}) or ${collaborates})`;
}

/** Selects the labels of the row's document as one text, one per line; `null` if there are none. */
export function labelLines(db: Reader): RawBuilder<string | null> {
  const all = capabilitiesOf(db).choose({
    sqlite: sql`group_concat(document_label.label, char(10))`,
    postgres: sql`string_agg(document_label.label, chr(10))`,
  });
  return sql`(select ${all} from document_label where document_label.document_id = document.id)`;
}
