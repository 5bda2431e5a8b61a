import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

export type TextCoding = Tables['revision_text']['coding'];

/** Where a replaced text is, and how it is coded. */
export interface RevisionTextRow {
  lastVersion: number;
  coding: TextCoding;
  dictVersion: number | null;
  sizeBytes: number;
  storedBytes: number;
  storagePath: string | null;
}

/** The same, with its bytes where the row has them. */
export interface RevisionTextWithBody extends RevisionTextRow {
  body: Uint8Array | null;
}

const COLUMNS = [
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

/** Copies a document's text, which the transaction is about to replace. A page's blob is kept. */
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

/** The row that has the text of a version; `undefined` if the document has it. */
export async function findText(
  db: Reader,
  documentId: string,
  version: number,
): Promise<RevisionTextWithBody | undefined> {
  const [row] = await textOf(db, { documentId, version });
  return row;
}

/** The rows that have the texts of the versions from `from` to `to`, oldest first. */
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

/** All replaced texts of a document, oldest first. */
export async function listAllTexts(db: Reader, documentId: string): Promise<RevisionTextRow[]> {
  return db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .select(COLUMNS)
    .orderBy('last_version')
    .execute();
}

/** Some texts that are not packed yet, of whichever documents. */
export async function listRaw(
  db: Reader,
  limit: number,
): Promise<{ documentId: string; lastVersion: number }[]> {
  return db
    .selectFrom('revision_text')
    .where('coding', '=', sql.lit<'raw'>('raw'))
    .select(['document_id as documentId', 'last_version as lastVersion'])
    .orderBy('document_id')
    .orderBy('last_version')
    .limit(limit)
    .execute();
}

/** A text as it is to be stored from now on. */
export interface PackedText {
  coding: 'zst' | 'zst+dict';
  dictVersion: number | null;
  storedBytes: number;
  sha256: string;
  storagePath: string | null;
  body: Uint8Array | null;
}

/**
 * Replaces how a text is stored, if it is still stored as `expected`, and if its dictionary is there.
 *
 * @returns `false` if it is not: somebody else was faster, or it has been erased
 */
export async function replaceText(
  db: Writer,
  documentId: string,
  expected: Pick<RevisionTextRow, 'lastVersion' | 'coding' | 'dictVersion'>,
  packed: PackedText,
): Promise<boolean> {
  const replaced = await db
    .updateTable('revision_text')
    .set({
      coding: packed.coding,
      dict_version: packed.dictVersion,
      stored_bytes: packed.storedBytes,
      sha256: packed.sha256,
      storage_path: packed.storagePath,
      body: packed.body,
    })
    .where('document_id', '=', documentId)
    .where('last_version', '=', expected.lastVersion)
    .where('coding', '=', expected.coding)
    .where('dict_version', 'is not distinct from', expected.dictVersion)
    .$if(packed.dictVersion !== null, (query) =>
      query.where((text) =>
        text.exists(
          text
            .selectFrom('revision_text as dictionary')
            .where('dictionary.document_id', '=', documentId)
            .where('dictionary.last_version', '=', packed.dictVersion as number)
            .where('dictionary.coding', '=', 'zst')
            .select('dictionary.last_version'),
        ),
      ),
    )
    .returning('last_version')
    .execute();
  return replaced.length > 0;
}

/** Removes a text; that it was there stays known. No other text may need it as its dictionary. */
export async function eraseText(
  db: Writer,
  documentId: string,
  lastVersion: number,
): Promise<void> {
  await db
    .updateTable('revision_text')
    .set({
      coding: 'gone',
      dict_version: null,
      stored_bytes: 0,
      sha256: null,
      storage_path: null,
      body: null,
    })
    .where('document_id', '=', documentId)
    .where('last_version', '=', lastVersion)
    .execute();
}

/** How many bytes a document's replaced texts take. */
export async function countStoredBytes(db: Reader, documentId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('revision_text')
    .where('document_id', '=', documentId)
    .select((text) => text.fn.coalesce(text.fn.sum<number>('stored_bytes'), sql.lit(0)).as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}
