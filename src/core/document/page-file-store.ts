import type { Row } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** An uploaded file that a page shows. */
export type PageFile = Omit<Row<'file'>, 'accountId' | 'createdAt'>;

/** Finds pictures among uploaded files by the secret parts of their URLs, at most 1,000. */
export async function listPicturesAt(db: Reader, addresses: Iterable<string>): Promise<PageFile[]> {
  const asked = [...new Set(addresses)].slice(0, 1_000);
  if (asked.length === 0) return [];
  return db
    .selectFrom('file')
    .where('address', 'in', asked)
    .where('contentType', 'like', 'image/%')
    .select(['id', 'address', 'name', 'contentType', 'sizeBytes', 'storagePath'])
    .execute();
}
