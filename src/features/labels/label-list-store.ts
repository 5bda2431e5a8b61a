import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { type OwnerRole, VISIBLE_TO } from '../../base/schema/visibility.ts';
import { type DocumentRow, documents } from '../../core/document/document-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** A label, and how many documents that the reader can see have it. */
export interface CountedLabel {
  label: string;
  documents: number;
}

/** Whose labels are listed, for whom. */
interface List {
  ownerId: string;
  actorId: string;
  /** The actor's role. */
  role: OwnerRole;
}

/** Lists the labels of an owner's documents that the actor can see, by key. */
export async function listOwnerLabels(db: Reader, list: List): Promise<CountedLabel[]> {
  const counted = db
    .selectFrom('document_label')
    .where('ownerId', '=', list.ownerId)
    .where('visibility', 'in', VISIBLE_TO[list.role])
    .groupBy(['ownerId', 'key'])
    .select(({ fn }) => [
      'key',
      fn.countAll<number>().as('documents'),
      fn.min('documentId').as('example'),
    ]);
  const rows = await db
    .selectFrom(counted.as('counted'))
    // Shows one document's spelling, because documents can differ in case.
    .innerJoin('document_label', (join) =>
      join
        .onRef('document_label.documentId', '=', 'counted.example')
        .onRef('document_label.key', '=', 'counted.key'),
    )
    .select(['document_label.key', 'document_label.label', 'counted.documents'])
    .execute();
  const byKey = new Map<string, CountedLabel>();
  for (const { key, label, documents } of rows) {
    byKey.set(key, { label, documents: Number(documents) });
  }
  for (const { key, label } of await collaborations(db, list).select(['key', 'label']).execute()) {
    const found = byKey.get(key) ?? { label, documents: 0 };
    byKey.set(key, { ...found, documents: found.documents + 1 });
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
}

/** Lists an owner's documents with a label that the actor can see, newest first. */
export async function listLabelledDocuments(
  db: Reader,
  list: List & { kind: Kind; key: string },
  page: PageRequest,
): Promise<Page<DocumentRow>> {
  const { ownerId, actorId, role, kind, key } = list;
  const { documents: counted } = await db
    .selectFrom('document_label')
    .where('ownerId', '=', ownerId)
    .where('key', '=', key)
    .where('kind', '=', kind)
    .where('visibility', 'in', VISIBLE_TO[role])
    .select(({ fn }) => fn.countAll<number>().as('documents'))
    .executeTakeFirstOrThrow();
  const shared = collaborations(db, list).where('kind', '=', kind).where('key', '=', key);
  const { documents: others } = await shared
    .select(({ fn }) => fn.countAll<number>().as('documents'))
    .executeTakeFirstOrThrow();
  const total = Number(counted) + Number(others);
  const offset = offsetOf(page);
  if (offset >= total) return { items: [], total };
  // An index returns each part newest first.
  const parts = VISIBLE_TO[role].map((visibility) =>
    db
      .selectFrom('document_label')
      .where('ownerId', '=', ownerId)
      .where('key', '=', key)
      .where('kind', '=', kind)
      .where('visibility', '=', visibility)
      .select('documentId as id'),
  );
  const ids = [...parts, shared.select('document_label.documentId as id')]
    .map((part) => part.orderBy('id', 'desc').limit(offset + page.size))
    .map((part) => db.selectFrom(part.as('part')).select('part.id'))
    .reduce((all, part) => all.unionAll(part));
  const shown = db
    .selectFrom(ids.as('shown'))
    .select('shown.id')
    .orderBy('shown.id', 'desc')
    .limit(page.size)
    .offset(offset);
  const items = await documents(db, sql<string>`${actorId}`)
    .where('document.id', 'in', shown)
    // Labels only narrow the list: the document decides who can see it.
    .where('document.ownerId', '=', ownerId)
    .where((where) =>
      where.or([
        where('document.visibility', 'in', VISIBLE_TO[role]),
        where.exists(
          where
            .selectFrom('collaborator')
            .whereRef('collaborator.documentId', '=', 'document.id')
            .where('collaborator.accountId', '=', actorId)
            .select('collaborator.id'),
        ),
      ]),
    )
    .orderBy('document.id', 'desc')
    .execute();
  return { items, total };
}

/**
 * Selects the labels of documents that the list shows only because the actor collaborates on them.
 */
function collaborations(db: Reader, { ownerId, actorId, role }: List) {
  return db
    .selectFrom('collaborator')
    .innerJoin('document_label', 'document_label.documentId', 'collaborator.documentId')
    .where('collaborator.accountId', '=', actorId)
    .where('document_label.ownerId', '=', ownerId)
    .where('document_label.visibility', 'not in', VISIBLE_TO[role])
    .where(sql<boolean>`${sql.lit(role === 'member')}`);
}
