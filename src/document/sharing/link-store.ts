import type { Page, PageRequest } from '../../pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { LinkAccess } from '../access-rules.ts';

/** A secret link to a document, without its secret. */
export interface LinkRow {
  id: string;
  documentId: string;
  access: LinkAccess;
  note: string;
  /** The creator's id; `null` if the account is gone. */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string | null;
}

/** A link with its secret, which is not stored. */
export type CreatedLink = LinkRow & { secret: string };

const COLUMNS = [
  'id',
  'document_id as documentId',
  'access',
  'note',
  'created_by as createdBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const;

const linkByHash = lookup<{ secretHash: string }, LinkRow>((db, parameter) =>
  db.selectFrom('document_link').where('secret_hash', '=', parameter('secretHash')).select(COLUMNS),
);

const linkById = lookup<{ id: string }, LinkRow>((db, parameter) =>
  db.selectFrom('document_link').where('id', '=', parameter('id')).select(COLUMNS),
);

/** Finds a link by the hash of its secret. It may have expired. */
export async function findLinkByHash(db: Reader, secretHash: string): Promise<LinkRow | undefined> {
  const [row] = await linkByHash(db, { secretHash });
  return row;
}

/** Finds a link by its id. It may have expired. */
export async function findLink(db: Reader, id: string): Promise<LinkRow | undefined> {
  const [row] = await linkById(db, { id });
  return row;
}

/** Lists a document's links that haven't expired at `now`, newest first. */
export async function listLinksOf(
  db: Reader,
  { documentId, now }: { documentId: string; now: string },
  page: PageRequest,
): Promise<Page<LinkRow>> {
  return paginate(linksAt(db, documentId, now).select(COLUMNS), 'document_link.id', page);
}

/** Counts a document's links that haven't expired at `now`: all, and those that allow commenting. */
export async function countLinksOf(
  db: Reader,
  documentId: string,
  now: string,
): Promise<{ all: number; comment: number }> {
  const rows = await linksAt(db, documentId, now)
    .groupBy('access')
    .select(({ fn }) => ['access', fn.countAll<number>().as('count')])
    .execute();
  const all = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const comment = Number(rows.find(({ access }) => access === 'comment')?.count ?? 0);
  return { all, comment };
}

function linksAt(db: Reader, documentId: string, now: string) {
  return db
    .selectFrom('document_link')
    .where('document_id', '=', documentId)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
}

export async function insertLink(
  db: Writer,
  link: LinkRow & { createdBy: string; secretHash: string },
): Promise<void> {
  await db
    .insertInto('document_link')
    .values({
      id: link.id,
      document_id: link.documentId,
      secret_hash: link.secretHash,
      access: link.access,
      note: link.note,
      created_by: link.createdBy,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
    })
    .execute();
}

/** Deletes a link of a document; `false` if it has none with this id. */
export async function deleteLink(db: Writer, documentId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('document_id', '=', documentId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Deletes all links of a document. @returns how many */
export async function deleteLinksOf(db: Writer, documentId: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('document_id', '=', documentId)
    .returning('id')
    .execute();
  return deleted.length;
}

/** Deletes the links that expired by `now`. @returns how many */
export async function deleteExpiredLinks(db: Writer, now: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('expires_at', '<=', now)
    .returning('id')
    .execute();
  return deleted.length;
}
