import type { RawBuilder } from 'kysely';
import type { Means } from '../../base/schema/means.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { type DocumentRow, documents } from './document-store.ts';
import { labelLines } from './label-store.ts';

/** A document in its reader's lists. */
export interface LibraryRow extends DocumentRow {
  /** A username; `null` if the account is gone. */
  updatedByUsername: string | null;
  /** How the last change was made, and the name of the token or application. */
  via: Means | null;
  viaName: string | null;
  /** Number of collaborators besides the actor. */
  collaborators: number;
  /** Its labels, one per line. */
  labelLines: string | null;
  /** When it was pinned to the top of its owner's lists. */
  pinnedAt: string | null;
}

/** Queries documents with all fields of a list. */
export function libraryRows(db: Reader, actorId: RawBuilder<string>) {
  return documents(db, actorId)
    .leftJoin('owner as updater', 'updater.id', 'document.updated_by')
    .leftJoin('revision', (join) =>
      join
        .onRef('revision.document_id', '=', 'document.id')
        .onRef('revision.version', '=', 'document.version'),
    )
    .leftJoin('pinned_document', 'pinned_document.document_id', 'document.id')
    .select([
      'updater.namespace as updatedByUsername',
      'revision.via',
      'revision.via_name as viaName',
      'pinned_document.pinned_at as pinnedAt',
      labelLines(db).as('labelLines'),
      (document) =>
        document
          .selectFrom('collaborator as other')
          .whereRef('other.document_id', '=', 'document.id')
          .where('other.account_id', '<>', actorId)
          .select((other) => other.fn.countAll<number>().as('collaborators'))
          .$asScalar()
          .$notNull()
          .as('collaborators'),
    ]);
}
