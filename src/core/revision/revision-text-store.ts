import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import { adjustBytesOfDocument } from '../quota/usage-store.ts';

export type TextCoding = Tables['revision_text']['coding'];

/** Where a replaced text is stored, and its coding. */
export interface RevisionTextRow {
  /** The last version with this text. */
  lastVersion: number;
  coding: TextCoding;
  dictVersion: number | null;
  sizeBytes: number;
  storedBytes: number;
  storagePath: string | null;
}

/** A replaced text with its stored bytes; `null` if a blob has them, or the text is gone. */
export interface RevisionTextWithBody extends RevisionTextRow {
  body: Uint8Array | null;
}

export const COLUMNS = [
  'last_version as lastVersion',
  'coding',
  'dict_version as dictVersion',
  'size_bytes as sizeBytes',
  'stored_bytes as storedBytes',
  'storage_path as storagePath',
] as const;

const superseded = prepared<{ documentId: string }, unknown>((db, parameter) =>
  db
    .insertInto('revision_text')
    .columns([
      'document_id',
      'last_version',
      'coding',
      'size_bytes',
      'stored_bytes',
      'storage_path',
      'body',
    ])
    .expression((build) =>
      build
        .selectFrom('document')
        .where('id', '=', parameter('documentId'))
        .select([
          'id',
          'version',
          sql.lit('raw').as('coding'),
          'size_bytes',
          'size_bytes as stored_bytes',
          'storage_path',
          capabilitiesOf(db).bytesOfText(sql.ref('content')).as('body'),
        ]),
    ),
);

/**
 * Copies a document's text before the transaction replaces it. For a page, copies the path of its
 * blob, so the blob must not be deleted.
 */
export async function insertSuperseded(db: Writer, documentId: string): Promise<void> {
  await superseded(db, { documentId });
}

type TextKey = { documentId: string; version: number };

const textOf = prepared<TextKey, RevisionTextWithBody>((db, parameter) =>
  db
    .selectFrom('revision_text')
    .where('document_id', '=', parameter('documentId'))
    .where('last_version', '>=', parameter('version'))
    .select([...COLUMNS, 'body'])
    .orderBy('last_version')
    .limit(1),
);

/** Finds the row with a version's text; `undefined` if the document itself has it. */
export async function findText(
  db: Reader,
  documentId: string,
  version: number,
): Promise<RevisionTextWithBody | undefined> {
  const [row] = await textOf(db, { documentId, version });
  return row;
}

/**
 * Lists the rows with the texts of the versions `from` to `to`, oldest first. Can also list later
 * rows.
 */
export async function listTexts(
  db: Reader,
  documentId: string,
  { from, to }: { from: number; to: number },
): Promise<RevisionTextRow[]> {
  return db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .where('last_version', '>=', from)
    .select(COLUMNS)
    .orderBy('last_version')
    .limit(to - from + 1)
    .execute();
}

/**
 * Returns the last version of the previous replaced text; 0 if there is none.
 *
 * @param lastVersion the last version of the text after it
 */
export async function findTextBefore(
  db: Reader,
  documentId: string,
  lastVersion: number,
): Promise<number> {
  const { before } = await db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .where('last_version', '<', lastVersion)
    .select(({ fn }) => fn.max('last_version').as('before'))
    .executeTakeFirstOrThrow();
  return before ?? 0;
}

/** Lists all replaced texts of a document, oldest first. */
export async function listAllTexts(db: Reader, documentId: string): Promise<RevisionTextRow[]> {
  return db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .select(COLUMNS)
    .orderBy('last_version')
    .execute();
}

/**
 * Locks a text until the transaction ends, so that it can't change and no other text can start to
 * use it as dictionary.
 *
 * @returns its coding; `undefined` if there is no such row
 */
export async function lockText(
  db: Writer,
  documentId: string,
  lastVersion: number,
): Promise<TextCoding | undefined> {
  const row = await db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .where('last_version', '=', lastVersion)
    .select('coding')
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirst();
  return row?.coding;
}

/** Locks a text until the transaction ends. @returns its stored bytes; 0 if there is no such row */
export async function lockStoredBytes(
  db: Writer,
  documentId: string,
  lastVersion: number,
): Promise<number> {
  const row = await db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .where('last_version', '=', lastVersion)
    .select('stored_bytes as bytes')
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Erases a text but keeps its row. The caller ensures that no text uses it as dictionary. */
export async function eraseText(
  db: Writer,
  documentId: string,
  lastVersion: number,
): Promise<void> {
  const before = await lockStoredBytes(db, documentId, lastVersion);
  await db
    .updateTable('revision_text')
    .set({
      coding: 'gone',
      dict_version: null,
      stored_bytes: 0,
      storage_path: null,
      body: null,
    })
    .where('document_id', '=', documentId)
    .where('last_version', '=', lastVersion)
    .execute();
  await adjustBytesOfDocument(db, documentId, -before);
}
