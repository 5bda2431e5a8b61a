import type { Expression } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { prepared, preparedInsert } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A write of a document, for display. */
export type RevisionRow = RowOf<typeof revisions>;

/** A write to record. */
export type NewRevision = Omit<Row<'revision'>, 'pinned'>;

const inserted = preparedInsert<'revision', NewRevision & { pinned: 0 }>('revision');

export async function insertRevision(db: Writer, revision: NewRevision): Promise<void> {
  await inserted(db, { ...revision, pinned: 0 });
}

function revisions(db: Reader, documentId: string | Expression<string>) {
  return db
    .selectFrom('revision')
    .leftJoin('owner', 'owner.id', 'revision.accountId')
    .where('revision.documentId', '=', documentId)
    .select([
      'revision.version',
      // A username; `null` if the account is gone.
      'owner.namespace as author',
      'revision.via',
      'revision.viaName',
      'revision.changed',
      'revision.message',
      'revision.baseVersion',
      'revision.merged',
      'revision.wordLines',
      'revision.restoredFrom',
      'revision.pinned',
      'revision.sittingId',
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
    .where('documentId', '=', documentId)
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
    .where('documentId', '=', documentId)
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
    .where('documentId', '=', documentId)
    .where('version', '<=', lastVersion)
    .where('version', '>', ({ selectFrom }) =>
      selectFrom('revision_text')
        .where('documentId', '=', documentId)
        .where('lastVersion', '<', lastVersion)
        .select(({ fn, val }) => fn.coalesce(fn.max('lastVersion'), val(0)).as('version')),
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
    .innerJoin('owner', 'owner.id', 'co_writer.accountId')
    .where('documentId', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .select(['version', 'accountId', 'owner.namespace as username'])
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
    .where('documentId', '=', documentId)
    .where('version', '>=', from)
    .where('version', '<=', to)
    .where('sittingId', 'is not', null)
    .where('accountId', 'is not', null)
    .select('accountId')
    .$narrowType<{ accountId: string }>()
    .union(({ selectFrom }) =>
      selectFrom('co_writer')
        .where('documentId', '=', documentId)
        .where('version', '>=', from)
        .where('version', '<=', to)
        .select('accountId'),
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
    .where('documentId', '=', documentId)
    .where('version', '>', version)
    .where('sittingId', 'is', null)
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
    .where('documentId', '=', documentId)
    .where('sittingId', 'in', ids)
    .select(({ fn }) => [
      'sittingId as id',
      fn.min<number>('version').as('first'),
      fn.max<number>('version').as('last'),
    ])
    .groupBy('sittingId')
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
    .where('documentId', '=', documentId)
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
    .where('documentId', '=', documentId)
    .where('pinned', '=', 1)
    .orderBy('version')
    .execute();
  return rows.map(({ version }) => version);
}
