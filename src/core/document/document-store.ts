import { type AliasedExpression, type RawBuilder, sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { type OwnerRole, VISIBLE_TO } from '../../base/schema/visibility.ts';
import { widened } from '../../storage/sql/narrowed.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Standing } from './access-rules.ts';
import { preparedList } from './document-list-store.ts';
import type { DocumentRef } from './document-ref.ts';

/** A document without its content, and the actor's standing. */
export type DocumentRow = RowOf<typeof documents> & Standing;

export interface StoredDocument extends DocumentRow {
  /** `null` if the blob store has it. */
  content: string | null;
}

type ReadParameters = { kind: Kind; owner: string; name: string; actorId: string };

const documentRow = lookup<ReadParameters, DocumentRow>((db, parameter) =>
  documents(db, parameter('actorId'))
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name')),
);

const documentWithContent = lookup<ReadParameters, StoredDocument>((db, parameter) =>
  documents(db, parameter('actorId'))
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name'))
    .select('document.content'),
);

/** Finds a document with the actor's standing, in one query. */
export async function findDocument(
  db: Reader,
  ref: DocumentRef,
  actorId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await documentRow(db, { ...ref, actorId });
  return row;
}

/** Finds a document with the standing of the person behind a program, whatever the program reaches. */
export async function findDocumentOfPerson(
  db: Reader,
  ref: DocumentRef,
  actorId: string,
): Promise<DocumentRow | undefined> {
  return findDocument(widened(db), ref, actorId);
}

const documentById = prepared<{ id: string; actorId: string }, DocumentRow>((db, parameter) =>
  documents(db, parameter('actorId')).where('document.id', '=', parameter('id')),
);

const takenDown = lookup<ReadParameters, DocumentRow>((db, parameter) =>
  documents(db, parameter('actorId'), 'stored_document as document')
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name'))
    .where(sql.ref('document.deletedAt'), 'is', null)
    .where('document.takenDownAt', 'is not', null),
);

/** Finds a document that is taken down, with the actor's standing. */
export async function findTakenDown(
  db: Reader,
  ref: DocumentRef,
  actorId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await takenDown(db, { ...ref, actorId });
  return row;
}

/** Finds a document by id, with the actor's standing. */
export async function findDocumentById(
  db: Reader,
  id: string,
  actorId: string,
): Promise<DocumentRow | undefined> {
  const [row] = await documentById(db, { id, actorId });
  return row;
}

/** Finds a document once for each of several accounts, with their standings (`actorId`). */
export async function listStandings(
  db: Reader,
  id: string,
  accountIds: readonly string[],
): Promise<DocumentRow[]> {
  if (accountIds.length === 0) return [];
  const asked = db
    .selectFrom('document')
    .innerJoin('account', (join) => join.on('account.id', 'in', accountIds))
    .where('document.id', '=', id)
    .selectAll('document')
    .select('account.id as asked_by')
    .as('document');
  return documents(db, sql.ref('document.asked_by'), asked).execute();
}

/** Finds a document's version and the content in its row. */
export async function findStoredContent(
  db: Reader,
  id: string,
): Promise<Pick<StoredDocument, 'version' | 'content' | 'storagePath'> | undefined> {
  return db
    .selectFrom('document')
    .where('id', '=', id)
    .select(['version', 'content', 'storagePath'])
    .executeTakeFirst();
}

/** Finds a document with the content in its row and the actor's standing. */
export async function findDocumentWithContent(
  db: Reader,
  ref: DocumentRef,
  actorId: string,
): Promise<StoredDocument | undefined> {
  const [row] = await documentWithContent(db, { ...ref, actorId });
  return row;
}

const LISTS = {
  brief: listsOf('brief'),
  page: listsOf('page'),
} satisfies Record<Kind, unknown>;

function listsOf(kind: Kind) {
  const listFor = (role: OwnerRole) => {
    const shown = { kinds: [kind], visibilities: VISIBLE_TO[role] };
    return preparedList<DocumentRow>(
      { ...shown, collaborations: role === 'member' },
      (db, isOnPage, actorId) =>
        documents(db, actorId).where(isOnPage).orderBy('document.id', 'desc'),
    );
  };
  return { admin: listFor('admin'), member: listFor('member'), none: listFor('none') };
}

/**
 * Lists an owner's documents, newest first.
 *
 * @param list.role the actor's role; a member also sees private ones they collaborate on
 */
export async function listDocuments(
  db: Reader,
  list: { kind: Kind; ownerId: string; actorId: string; role: OwnerRole },
  page: PageRequest,
): Promise<Page<DocumentRow>> {
  return LISTS[list.kind][list.role](db, list, page);
}

type TakenName = { ownerId: string; kind: Kind; name: string; exceptId: string };

const namesake = prepared<TakenName, { id: string }>((db, parameter) =>
  db
    .selectFrom('stored_document')
    .select('id')
    .where('deletedAt', 'is', null)
    .where('ownerId', '=', parameter('ownerId'))
    .where('kind', '=', parameter('kind'))
    .where('name', '=', parameter('name'))
    .where('id', '!=', parameter('exceptId')),
);

/** Tells whether an owner has another document of this kind and name, even one that is taken down. */
export async function isNameTaken(db: Reader, name: TakenName): Promise<boolean> {
  return (await namesake(widened(db), name)).length > 0;
}

/** Returns which of these names an owner's documents of a kind have. */
export async function listTakenNames(
  db: Reader,
  { ownerId, kind, names }: { ownerId: string; kind: Kind; names: readonly string[] },
): Promise<string[]> {
  const rows = await widened(db)
    .selectFrom('stored_document')
    .select('name')
    .where('deletedAt', 'is', null)
    .where('ownerId', '=', ownerId)
    .where('kind', '=', kind)
    .where('name', 'in', names)
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * Starts a query with the document, its owner, and the actor's standing.
 *
 * @param from where to look; the second has documents that are deleted or taken down, too
 */
export function documents(
  db: Reader,
  actorId: RawBuilder<string>,
  from:
    | 'document'
    | 'stored_document as document'
    | AliasedExpression<object, 'document'> = 'document',
) {
  return db
    .selectFrom(from as 'document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('organization', 'organization.id', 'document.ownerId')
    .leftJoin('account as owner_account', 'owner_account.id', 'document.ownerId')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'document.ownerId')
        .on('membership.accountId', '=', actorId),
    )
    .leftJoin('collaborator', (join) =>
      join
        .onRef('collaborator.documentId', '=', 'document.id')
        .on('collaborator.accountId', '=', actorId),
    )
    .select([
      'document.id',
      'document.kind',
      'document.name',
      'document.visibility',
      'document.version',
      'document.sizeBytes',
      'document.createdBy',
      'document.updatedBy',
      'document.createdAt',
      'document.updatedAt',
      'document.ownerId',
      'document.ownerType',
      'owner.namespace as ownerNamespace',
      'document.title',
      'document.storagePath',
      'document.takenDownAt',
      'document.takenDownReason',
      'membership.role',
      'collaborator.permission',
      'organization.defaultBriefPermission',
      'owner_account.disabledAt as ownerDisabledAt',
      actorId.as('actorId'),
    ]);
}
