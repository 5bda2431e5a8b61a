import { sql } from 'kysely';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { adjustBytesOfDocument } from '../quota/usage-store.ts';
import {
  COLUMNS,
  lockStoredBytes,
  type RevisionTextRow,
  type RevisionTextWithBody,
} from './revision-text-store.ts';

/** A text that is not packed yet. */
export type RawText = Row<'revision_text', 'documentId' | 'lastVersion'>;

const raw = prepared<RawText & { limit: number }, RawText>((db, parameter) =>
  db
    .selectFrom('revision_text')
    .where('coding', '=', sql.lit<'raw'>('raw'))
    .where(
      sql<boolean>`("documentId", "lastVersion") > (${parameter('documentId')}, ${parameter('lastVersion')})`,
    )
    .select(['documentId', 'lastVersion'])
    .orderBy('documentId')
    .orderBy('lastVersion')
    .limit(parameter('limit')),
);

/** Lists unpacked texts after `after`, by document and version. */
export async function listRaw(
  db: Reader,
  after: RawText,
  limit: number,
): Promise<readonly RawText[]> {
  return raw(db, { ...after, limit });
}

/** A text that others can use as dictionary, and how many do. */
export type Keyframe = RevisionTextWithBody & { dependents: number };

/** Finds the newest keyframe before a version. */
export async function findKeyframe(
  db: Reader,
  documentId: string,
  before: number,
): Promise<Keyframe | undefined> {
  const row = await db
    .selectFrom('revision_text')
    .where('documentId', '=', documentId)
    .where('lastVersion', '<', before)
    .where('coding', '=', 'zst')
    .select([...COLUMNS, 'body'])
    .select((text) =>
      text
        .selectFrom('revision_text as dependent')
        .where('dependent.documentId', '=', documentId)
        .whereRef('dependent.dictVersion', '=', 'revision_text.lastVersion')
        .select((dependent) => dependent.fn.countAll<number>().as('n'))
        .as('dependents'),
    )
    .orderBy('lastVersion', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, dependents: Number(row.dependents) };
}

/** Lists the texts that use another one as dictionary, oldest first. */
export async function listDependents(
  db: Reader,
  documentId: string,
  dictVersion: number,
): Promise<RevisionTextRow[]> {
  return db
    .selectFrom('revision_text')
    .where('documentId', '=', documentId)
    .where('dictVersion', '=', dictVersion)
    .select(COLUMNS)
    .orderBy('lastVersion')
    .execute();
}

/** The new form of a stored text. */
export type PackedText = Row<
  'revision_text',
  'dictVersion' | 'storedBytes' | 'storagePath' | 'body'
> & { coding: 'zst' | 'zst+dict' };

/**
 * Changes how a text is stored, if it is still stored as `expected`. The transaction must have
 * locked the dictionary.
 *
 * @returns `false` if nothing changed: another process was faster, or the text has been erased
 */
export async function replaceText(
  db: Writer,
  documentId: string,
  expected: Pick<RevisionTextRow, 'lastVersion' | 'coding' | 'dictVersion'>,
  packed: PackedText,
): Promise<boolean> {
  const { coding, dictVersion } = expected;
  const before = await lockStoredBytes(db, documentId, expected.lastVersion);
  const replaced = await db
    .updateTable('revision_text')
    .set({
      coding: packed.coding,
      dictVersion: packed.dictVersion,
      storedBytes: packed.storedBytes,
      storagePath: packed.storagePath,
      body: packed.body,
    })
    .where('documentId', '=', documentId)
    .where('lastVersion', '=', expected.lastVersion)
    .where('coding', '=', coding)
    .where('dictVersion', dictVersion === null ? 'is' : '=', dictVersion)
    .returning('lastVersion')
    .execute();
  if (replaced.length === 0) return false;
  await adjustBytesOfDocument(db, documentId, packed.storedBytes - before);
  return true;
}

/** Adds up the bytes of a document's packed texts. */
export async function countStoredBytes(db: Reader, documentId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('revision_text')
    .where('documentId', '=', documentId)
    .where('coding', '<>', 'raw')
    .select((text) => text.fn.coalesce(text.fn.sum<number>('storedBytes'), sql.lit(0)).as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}
