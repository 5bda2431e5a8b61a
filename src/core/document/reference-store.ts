import { prepared } from '../../storage/sql/prepared.ts';
import { inParts } from '../../storage/sql/row-list.ts';
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
  await db.deleteFrom('document_reference').where('documentId', 'in', ids).execute();
  const withTargets = all.filter(({ targets }) => targets.length > 0);
  if (withTargets.length === 0) return;
  const found = await db.selectFrom('document').where('id', 'in', ids).select('id').execute();
  const left = new Set(found.map(({ id }) => id));
  const rows = withTargets
    .filter(({ documentId }) => left.has(documentId))
    .flatMap(({ documentId, targets }) =>
      targets.map(({ ownerId, kind, name }) => ({
        documentId,
        ownerId,
        kind,
        name,
      })),
    );
  for (const part of inParts(rows)) {
    await db.insertInto('document_reference').values(part).execute();
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

/** How many documents that link to one name are considered, the newest first. */
const CONSIDERED = 500;

const referrers = prepared<{ id: string; actorId: string }, LibraryRow>((db, parameter) => {
  // The index has each name's in order, so that only as many are read.
  const byName = db
    .selectFrom('document')
    .innerJoin('document_reference', (join) =>
      join
        .onRef('document_reference.ownerId', '=', 'document.ownerId')
        .onRef('document_reference.kind', '=', 'document.kind')
        .onRef('document_reference.name', '=', 'document.name'),
    )
    .where('document.id', '=', parameter('id'))
    .select('document_reference.documentId')
    .orderBy('document_reference.documentId', 'desc')
    .limit(CONSIDERED);
  const actorId = parameter('actorId');
  // Only names that would lead the actor to it (`refuseMoved` in `authorize.ts`). Otherwise a text with
  // guesses would find out what it was called while it was private.
  const byFormerName = db
    .selectFrom('document_alias')
    .innerJoin('document', 'document.id', 'document_alias.documentId')
    .innerJoin('document_reference', (join) =>
      join
        .onRef('document_reference.ownerId', '=', 'document_alias.ownerId')
        .onRef('document_reference.kind', '=', 'document_alias.kind')
        .onRef('document_reference.name', '=', 'document_alias.name'),
    )
    .where('document_alias.documentId', '=', parameter('id'))
    .where(({ or, eb, exists, selectFrom }) => {
      const memberships = selectFrom('membership').where('accountId', '=', actorId);
      return or([
        eb('document_alias.visibility', '=', 'public'),
        eb('document_alias.ownerId', '=', actorId),
        eb('document.ownerId', '=', actorId),
        exists(
          selectFrom('collaborator')
            .whereRef('collaborator.documentId', '=', 'document_alias.documentId')
            .where('collaborator.accountId', '=', actorId)
            .select('collaborator.documentId'),
        ),
        exists(
          memberships
            .whereRef('organizationId', '=', 'document_alias.ownerId')
            .where((member) =>
              member.or([
                member('role', '=', 'admin'),
                member('document_alias.visibility', '=', 'internal'),
              ]),
            )
            .select('organizationId'),
        ),
        exists(
          memberships
            .whereRef('organizationId', '=', 'document.ownerId')
            .where('role', '=', 'admin')
            .select('organizationId'),
        ),
      ]);
    })
    .select('document_reference.documentId')
    .orderBy('document_reference.documentId', 'desc')
    .limit(CONSIDERED);
  const ids = db
    .selectFrom(byName.as('by_name'))
    .select('by_name.documentId')
    .unionAll(db.selectFrom(byFormerName.as('by_former')).select('by_former.documentId'));
  return libraryRows(db, actorId)
    .where('document.id', 'in', ids)
    .where('document.id', '<>', parameter('id'))
    .orderBy('document.updatedAt', 'desc');
});

/**
 * Lists the documents that link to a document by its name or a former one that leads the actor to it,
 * last changed first, with the actor's standing: also those that the actor can't read.
 */
export async function listReferrers(
  db: Reader,
  id: string,
  actorId: string,
): Promise<readonly LibraryRow[]> {
  return referrers(db, { id, actorId });
}
