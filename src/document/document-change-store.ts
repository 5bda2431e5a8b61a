import type { Page, PageRequest } from '../pagination/result-page.ts';
import { paginate } from '../storage/sql/paginate.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';

/** A write of a document after the first. */
export interface DocumentChangeRow {
  /** The version that it made. */
  version: number;
  /** Who wrote: a username; `null` when the account is gone. */
  username: string | null;
  /** Of `content`, `name` and `visibility`, separated by spaces. */
  changed: string;
  at: string;
}

/** How many changes of one document are kept. */
export const KEPT_CHANGES = 200;

type NewChange = {
  documentId: string;
  version: number;
  accountId: string;
  changed: string;
  at: string;
};

const inserted = prepared<NewChange, unknown>((db, parameter) =>
  db.insertInto('document_change').values({
    document_id: parameter('documentId'),
    version: parameter('version'),
    account_id: parameter('accountId'),
    changed: parameter('changed'),
    at: parameter('at'),
  }),
);

/** Keeps a change, and no longer the one that is too many. */
export async function insertChange(db: Writer, change: NewChange): Promise<void> {
  await inserted(db, change);
  if (change.version - KEPT_CHANGES < 2) return;
  await db
    .deleteFrom('document_change')
    .where('document_id', '=', change.documentId)
    .where('version', '<=', change.version - KEPT_CHANGES)
    .execute();
}

/** One page of a document's changes, newest first. */
export async function listChangesOf(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<DocumentChangeRow>> {
  const rows = db
    .selectFrom('document_change')
    .leftJoin('owner', 'owner.id', 'document_change.account_id')
    .where('document_change.document_id', '=', documentId)
    .select([
      'document_change.version',
      'owner.namespace as username',
      'document_change.changed',
      'document_change.at',
    ]);
  return paginate(rows, 'document_change.version', page);
}
