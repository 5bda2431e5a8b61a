import type { Expression } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Means } from '../../base/schema/means.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A write of a document, for display. */
export interface RevisionRow {
  version: number;
  /** A username; `null` if the account is gone. */
  author: string | null;
  /** `null` if written before this was recorded. */
  via: Means | null;
  /** The name of the token or application at that time. */
  viaName: string | null;
  /** Of `content`, `name`, `visibility` and `owner`, separated by spaces. */
  changed: string;
  message: string | null;
  baseVersion: number | null;
  merged: 0 | 1;
  /** The lines in which the writer and others changed words, separated by spaces. */
  wordLines: string | null;
  restoredFrom: number | null;
  pinned: 0 | 1;
  /** What the revisions of one sitting in the editor have in common. */
  sittingId: string | null;
  at: string;
}

/** A write to record. */
export type NewRevision = Omit<RevisionRow, 'author' | 'pinned'> & {
  documentId: string;
  accountId: string | null;
  /** Whose approvals stay valid, because they have seen in the web app all that it changes. */
  seenBy: string | null;
};

const inserted = prepared<NewRevision, unknown>((db, parameter) =>
  db.insertInto('revision').values({
    document_id: parameter('documentId'),
    version: parameter('version'),
    account_id: parameter('accountId'),
    via: parameter('via'),
    via_name: parameter('viaName'),
    changed: parameter('changed'),
    message: parameter('message'),
    base_version: parameter('baseVersion'),
    merged: parameter('merged'),
    word_lines: parameter('wordLines'),
    restored_from: parameter('restoredFrom'),
    pinned: 0,
    seen_by: parameter('seenBy'),
    sitting_id: parameter('sittingId'),
    at: parameter('at'),
  }),
);

export async function insertRevision(db: Writer, revision: NewRevision): Promise<void> {
  await inserted(db, revision);
}

function revisions(db: Reader, documentId: string | Expression<string>) {
  return db
    .selectFrom('revision')
    .leftJoin('owner', 'owner.id', 'revision.account_id')
    .where('revision.document_id', '=', documentId)
    .select([
      'revision.version',
      'owner.namespace as author',
      'revision.via',
      'revision.via_name as viaName',
      'revision.changed',
      'revision.message',
      'revision.base_version as baseVersion',
      'revision.merged',
      'revision.word_lines as wordLines',
      'revision.restored_from as restoredFrom',
      'revision.pinned',
      'revision.sitting_id as sittingId',
      'revision.at',
    ]);
}

/** Lists a document's revisions, newest first. */
export async function listRevisionRows(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<RevisionRow>> {
  return paginate(revisions(db, documentId), 'revision.version', page);
}

const byVersion = prepared<{ documentId: string; version: number }, RevisionRow>((db, parameter) =>
  revisions(db, parameter('documentId')).where('revision.version', '=', parameter('version')),
);

export async function findRevision(
  db: Reader,
  documentId: string,
  version: number,
): Promise<RevisionRow | undefined> {
  const [row] = await byVersion(db, { documentId, version });
  return row;
}

/** Finds the last version that changed the visibility; 0 if that was before versions were recorded. */
export async function findLastVisibilityChange(db: Reader, documentId: string): Promise<number> {
  const row = await db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('changed', 'like', '%visibility%')
    .select('version')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

/**
 * Finds the write that created a version's text. That is an earlier one if, for example, the
 * version was only a rename.
 */
export async function findRevisionOfText(
  db: Reader,
  documentId: string,
  version: number,
): Promise<RevisionRow | undefined> {
  return revisions(db, documentId)
    .where('revision.version', '<=', version)
    .where('revision.changed', 'like', '%content%')
    .orderBy('revision.version', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function updatePinned(
  db: Writer,
  documentId: string,
  version: number,
  pinned: boolean,
): Promise<void> {
  await db
    .updateTable('revision')
    .set({ pinned: pinned ? 1 : 0 })
    .where('document_id', '=', documentId)
    .where('version', '=', version)
    .execute();
}

/**
 * Unpins the versions that have a replaced text.
 *
 * @param lastVersion the last version with this text
 * @returns how many versions were pinned
 */
export async function unpinText(
  db: Writer,
  documentId: string,
  lastVersion: number,
): Promise<number> {
  const unpinned = await db
    .updateTable('revision')
    .set({ pinned: 0 })
    .where('document_id', '=', documentId)
    .where('version', '<=', lastVersion)
    .where('version', '>', ({ selectFrom }) =>
      selectFrom('revision_text')
        .where('document_id', '=', documentId)
        .where('last_version', '<', lastVersion)
        .select(({ fn, val }) => fn.coalesce(fn.max('last_version'), val(0)).as('version')),
    )
    .where('pinned', '=', 1)
    .returning('version')
    .execute();
  return unpinned.length;
}

/** Lists who wrote revisions beside the account that each has, by username. */
export async function listCoWriters(
  db: Reader,
  documentId: string,
  { from, to }: { from: number; to: number },
): Promise<{ version: number; accountId: string; username: string }[]> {
  return db
    .selectFrom('co_writer')
    .innerJoin('owner', 'owner.id', 'co_writer.account_id')
    .where('document_id', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .select(['version', 'account_id as accountId', 'owner.namespace as username'])
    .orderBy('owner.namespace')
    .execute();
}

/** Lists the accounts that wrote the revisions of a sitting in the editor. */
export async function listSittingWriters(
  db: Reader,
  documentId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .where('sitting_id', 'is not', null)
    .where('account_id', 'is not', null)
    .select('account_id as accountId')
    .$narrowType<{ accountId: string }>()
    .union(({ selectFrom }) =>
      selectFrom('co_writer')
        .where('document_id', '=', documentId)
        .where('version', '>=', from)
        .where('version', '<=', to)
        .select('account_id as accountId'),
    )
    .execute();
  return rows.map(({ accountId }) => accountId);
}

/** A sitting in the editor: its first and last revision. */
export interface Sitting {
  id: string;
  first: number;
  last: number;
}

/** Tells whether all that changed a document after a version was typed in the editor. */
export async function isTypedSince(
  db: Reader,
  documentId: string,
  version: number,
): Promise<boolean> {
  const other = await db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('version', '>', version)
    .where('sitting_id', 'is', null)
    .select('version')
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}

/** Finds the first and last revisions of sittings. */
export async function listSittings(
  db: Reader,
  documentId: string,
  ids: readonly string[],
): Promise<Sitting[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('sitting_id', 'in', ids)
    .select(({ fn }) => [
      'sitting_id as id',
      fn.min<number>('version').as('first'),
      fn.max<number>('version').as('last'),
    ])
    .groupBy('sitting_id')
    .$castTo<Sitting>()
    .execute();
}

/**
 * Sets what a writer says about a revision, if nothing was said yet.
 *
 * @returns whether it was set
 */
export async function nameRevision(
  db: Writer,
  { documentId, version, message }: { documentId: string; version: number; message: string },
): Promise<boolean> {
  const named = await db
    .updateTable('revision')
    .set({ message })
    .where('document_id', '=', documentId)
    .where('version', '=', version)
    .where('message', 'is', null)
    .returning('version')
    .execute();
  return named.length > 0;
}

/** Lists the pinned versions of a document, oldest first. */
export async function listPinned(db: Reader, documentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('revision')
    .select('version')
    .where('document_id', '=', documentId)
    .where('pinned', '=', 1)
    .orderBy('version')
    .execute();
  return rows.map(({ version }) => version);
}
