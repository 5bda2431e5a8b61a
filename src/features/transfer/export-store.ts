import type { Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';

export interface ExportedRow {
  id: string;
  kind: Kind;
  name: string;
  visibility: Visibility;
  createdAt: string;
  updatedAt: string;
  /** The key of its content in the blob store; `null` if the row has it. */
  storagePath: string | null;
  content: string | null;
}

const nextIds = prepared<
  { ownerId: string; kind: Kind; after: string; limit: number },
  { id: string }
>((db, parameter) => {
  // An index returns each part in the order of ids.
  const parts = VISIBILITIES.map((visibility) =>
    db
      .selectFrom('document')
      .where('owner_id', '=', parameter('ownerId'))
      .where('kind', '=', parameter('kind'))
      .where('visibility', '=', visibility)
      .where('id', '>', parameter('after'))
      .select('id')
      .orderBy('id')
      .limit(parameter('limit')),
  ).map((part) => db.selectFrom(part.as('part')).select('part.id'));
  const ids = parts.reduce((all, part) => all.unionAll(part));
  return db
    .selectFrom(ids.as('next'))
    .select('next.id')
    .orderBy('next.id')
    .limit(parameter('limit'));
});

/** Lists the ids of an owner's documents after an id, oldest first. */
export async function listNextIds(
  db: Reader,
  from: { ownerId: string; kind: Kind; after: string; limit: number },
): Promise<string[]> {
  return (await nextIds(db, from)).map(({ id }) => id);
}

const exportedById = prepared<{ id: string }, ExportedRow>((db, parameter) =>
  db
    .selectFrom('document')
    .where('id', '=', parameter('id'))
    .select([
      'id',
      'kind',
      'name',
      'visibility',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'storage_path as storagePath',
      'content',
    ]),
);

export async function findExported(db: Reader, id: string): Promise<ExportedRow | undefined> {
  const [row] = await exportedById(db, { id });
  return row;
}

/** Lists the collaborators of documents, in the order they were added. */
export async function listCollaboratorsOf(
  db: Reader,
  documentIds: string[],
): Promise<{ documentId: string; username: string; permission: Permission }[]> {
  return db
    .selectFrom('collaborator')
    .innerJoin('owner', 'owner.id', 'collaborator.account_id')
    .where('collaborator.document_id', 'in', documentIds)
    .select(['collaborator.document_id as documentId', 'owner.namespace as username'])
    .select('collaborator.permission')
    .orderBy('collaborator.id')
    .execute();
}
