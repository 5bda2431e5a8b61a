import type { Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

export type ExportedRow = RowOf<typeof exportedById>;

const nextIds = prepared<
  { ownerId: string; kind: Kind; after: string; limit: number },
  { id: string }
>((db, parameter) => {
  // An index returns each part in the order of ids.
  const parts = VISIBILITIES.map((visibility) =>
    db
      .selectFrom('document')
      .where('ownerId', '=', parameter('ownerId'))
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

const exportedById = prepared((db, parameter: Parameter<{ id: string }>) =>
  db
    .selectFrom('document')
    .where('id', '=', parameter('id'))
    .select([
      'id',
      'kind',
      'name',
      'visibility',
      'createdAt',
      'updatedAt',
      'storagePath',
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
    .innerJoin('owner', 'owner.id', 'collaborator.accountId')
    .where('collaborator.documentId', 'in', documentIds)
    .select(['collaborator.documentId', 'owner.namespace as username'])
    .select('collaborator.permission')
    .orderBy('collaborator.id')
    .execute();
}
