import type { Kind } from '../../base/schema/kind.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { OwnedName } from './document-alias-store.ts';
import { type LibraryRow, libraryRows } from './library-row-store.ts';

/** The documents that a document links to, by the names that its text has for them. */
export interface References {
  documentId: string;
  targets: readonly OwnedName[];
}

/** Replaces what documents link to. Skips documents that are gone. */
export async function replaceReferences(db: Writer, all: readonly References[]): Promise<void> {
  if (all.length === 0) return;
  const ids = all.map(({ documentId }) => documentId);
  await db.deleteFrom('document_reference').where('document_id', 'in', ids).execute();
  const withTargets = all.filter(({ targets }) => targets.length > 0);
  if (withTargets.length === 0) return;
  const found = await db.selectFrom('document').where('id', 'in', ids).select('id').execute();
  const left = new Set(found.map(({ id }) => id));
  for (const { documentId, targets } of withTargets) {
    if (!left.has(documentId)) continue;
    const rows = targets.map(({ ownerId, kind, name }) => ({
      document_id: documentId,
      owner_id: ownerId,
      kind,
      name,
    }));
    await db.insertInto('document_reference').values(rows).execute();
  }
}

/** Finds the ids of owners by namespace. */
export async function listOwnerIds(
  db: Reader,
  namespaces: readonly string[],
): Promise<Map<string, string>> {
  if (namespaces.length === 0) return new Map();
  const rows = await db
    .selectFrom('owner')
    .where('namespace', 'in', namespaces)
    .select(['namespace', 'id'])
    .execute();
  return new Map(rows.map(({ namespace, id }) => [namespace, id]));
}

/** How many documents that link to one are considered, the newest first. */
const CONSIDERED = 500;

const referrers = prepared<{ id: string; actorId: string }, LibraryRow>((db, parameter) => {
  const names = db
    .selectFrom('document')
    .where('document.id', '=', parameter('id'))
    .select(['owner_id', 'kind', 'name'])
    .unionAll(
      db
        .selectFrom('document_alias')
        .where('document_id', '=', parameter('id'))
        .select(['owner_id', (each) => each.ref('kind').$castTo<Kind>().as('kind'), 'name']),
    );
  const ids = db
    .selectFrom(names.as('named'))
    .innerJoin('document_reference', (join) =>
      join
        .onRef('document_reference.owner_id', '=', 'named.owner_id')
        .onRef('document_reference.kind', '=', 'named.kind')
        .onRef('document_reference.name', '=', 'named.name'),
    )
    .where('document_reference.document_id', '<>', parameter('id'))
    .select('document_reference.document_id')
    .orderBy('document_reference.document_id', 'desc')
    .limit(CONSIDERED);
  return libraryRows(db, parameter('actorId'))
    .where('document.id', 'in', db.selectFrom(ids.as('found')).select('found.document_id'))
    .orderBy('document.updated_at', 'desc');
});

/**
 * Lists the documents that link to a document by its name or a former one, last changed first, with
 * the actor's standing: also those that the actor can't read.
 */
export async function listReferrers(
  db: Reader,
  id: string,
  actorId: string,
): Promise<readonly LibraryRow[]> {
  return referrers(db, { id, actorId });
}
