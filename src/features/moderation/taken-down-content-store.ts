import type { StoredDocument } from '../../core/document/document-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** Finds the content of a document that is taken down, also in the trash. */
export async function findTakenDownContent(
  db: Reader,
  id: string,
): Promise<Pick<StoredDocument, 'version' | 'content' | 'storagePath'> | undefined> {
  return db
    .selectFrom('stored_document')
    .where('id', '=', id)
    .where('taken_down_at', 'is not', null)
    .select(['version', 'content', 'storage_path as storagePath'])
    .executeTakeFirst();
}
