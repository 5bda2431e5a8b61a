import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { adjustUsage } from '../../core/quota/usage-store.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { FileType } from './content-type.ts';

/** An uploaded file; its bytes are in the blob store. */
export type FileRow = Row<'file'> & { contentType: FileType };

const fileByAddress = lookup<{ address: string }, FileRow>((db, parameter) =>
  files(db).where('address', '=', parameter('address')),
);

export async function findFileByAddress(db: Reader, address: string): Promise<FileRow | undefined> {
  const [row] = await fileByAddress(db, { address });
  return row;
}

/** Lists a user's files, newest first. */
export async function listFiles(
  db: Reader,
  accountId: string,
  page: PageRequest,
): Promise<Page<FileRow>> {
  return paginate(files(db).where('accountId', '=', accountId), 'id', page);
}

/** Finds a user's file; `undefined` if the user doesn't have it. */
export async function findOwnFile(
  db: Reader,
  accountId: string,
  id: string,
): Promise<FileRow | undefined> {
  return files(db).where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst();
}

/** Lists a user's files after an id, oldest first. */
export async function listNextFiles(
  db: Reader,
  accountId: string,
  after: string,
  limit: number,
): Promise<FileRow[]> {
  return files(db)
    .where('accountId', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Lists the blob keys of a user's files. */
export async function listFilePaths(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('file')
    .where('accountId', '=', accountId)
    .select('storagePath as path')
    .execute();
  return rows.map(({ path }) => path);
}

/** Stores a file. Its owner must have been charged for it. */
export async function insertFile(db: Writer, file: FileRow): Promise<void> {
  await db.insertInto('file').values(file).execute();
}

/** Deletes a user's file. @returns its blob key, or `undefined` if the user doesn't have it */
export async function deleteFile(
  db: Writer,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('file')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(['storagePath', 'sizeBytes as bytes'])
    .executeTakeFirst();
  if (!row) return undefined;
  await adjustUsage(db, accountId, { bytes: -row.bytes, fileBytes: -row.bytes });
  return row.storagePath;
}

function files(db: Reader) {
  return db.selectFrom('file').selectAll().$narrowType<{ contentType: FileType }>();
}
