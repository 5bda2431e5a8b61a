import { sql } from 'kysely';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { adjustBytesOfDocument } from '../quota/usage-store.ts';
import {
  COLUMNS,
  lockStoredBytes,
  type RevisionTextRow,
  type RevisionTextWithBody,
} from './revision-text-store.ts';

/** A text that is not packed yet. */
export interface RawText {
  documentId: string;
  lastVersion: number;
}

const raw = prepared<RawText & { limit: number }, RawText>((db, parameter) =>
  db
    .selectFrom('revision_text')
    .where('coding', '=', sql.lit<'raw'>('raw'))
    .where(
      sql<boolean>`(document_id, last_version) > (${parameter('documentId')}, ${parameter('lastVersion')})`,
    )
    .select(['document_id as documentId', 'last_version as lastVersion'])
    .orderBy('document_id')
    .orderBy('last_version')
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
    .where('document_id', '=', documentId)
    .where('last_version', '<', before)
    .where('coding', '=', 'zst')
    .select([...COLUMNS, 'body'])
    .select((text) =>
      text
        .selectFrom('revision_text as dependent')
        .where('dependent.document_id', '=', documentId)
        .whereRef('dependent.dict_version', '=', 'revision_text.last_version')
        .select((dependent) => dependent.fn.countAll<number>().as('n'))
        .as('dependents'),
    )
    .orderBy('last_version', 'desc')
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
    .where('document_id', '=', documentId)
    .where('dict_version', '=', dictVersion)
    .select(COLUMNS)
    .orderBy('last_version')
    .execute();
}

/** The new form of a stored text. */
export interface PackedText {
  coding: 'zst' | 'zst+dict';
  dictVersion: number | null;
  storedBytes: number;
  storagePath: string | null;
  body: Uint8Array | null;
}

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
      dict_version: packed.dictVersion,
      stored_bytes: packed.storedBytes,
      storage_path: packed.storagePath,
      body: packed.body,
    })
    .where('document_id', '=', documentId)
    .where('last_version', '=', expected.lastVersion)
    .where('coding', '=', coding)
    .where('dict_version', dictVersion === null ? 'is' : '=', dictVersion)
    .returning('last_version')
    .execute();
  if (replaced.length === 0) return false;
  await adjustBytesOfDocument(db, documentId, packed.storedBytes - before);
  return true;
}

/** Adds up the bytes of a document's packed texts. */
export async function countStoredBytes(db: Reader, documentId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .where('coding', '<>', 'raw')
    .select((text) => text.fn.coalesce(text.fn.sum<number>('stored_bytes'), sql.lit(0)).as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}
