import type { RawBuilder } from 'kysely';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Standing } from './access-rules.ts';
import { documents } from './document-store.ts';
import { labelLines } from './label-store.ts';

/** A document in its reader's lists. */
export type LibraryRow = RowOf<typeof libraryRows> & Standing;

/** Queries documents with all fields of a list. */
export function libraryRows(db: Reader, actorId: RawBuilder<string>) {
  return documents(db, actorId)
    .leftJoin('owner as updater', 'updater.id', 'document.updatedBy')
    .leftJoin('revision', (join) =>
      join
        .onRef('revision.documentId', '=', 'document.id')
        .onRef('revision.version', '=', 'document.version'),
    )
    .leftJoin('pinned_document', 'pinned_document.documentId', 'document.id')
    .select([
      // A username; `null` if the account is gone.
      'updater.namespace as updatedByUsername',
      'revision.via',
      'revision.viaName',
      'pinned_document.pinnedAt',
      // Its labels, one per line.
      labelLines(db).as('labelLines'),
      (document) =>
        document
          .selectFrom('collaborator as other')
          .whereRef('other.documentId', '=', 'document.id')
          .where('other.accountId', '<>', actorId)
          // Number of collaborators besides the actor.
          .select((other) => other.fn.countAll<number>().as('collaborators'))
          .$asScalar()
          .$notNull()
          .as('collaborators'),
    ]);
}
