import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import { adjustBytesOfDocument } from '../quota/usage-store.ts';

export type TextCoding = Tables['revision_text']['coding'];

/** Where a replaced text is stored, and its coding. */
export type RevisionTextRow = Row<'revision_text', (typeof COLUMNS)[number]>;

/** A replaced text with its stored bytes; `null` if a blob has them, or the text is gone. */
export type RevisionTextWithBody = RevisionTextRow & Row<'revision_text', 'body'>;

export const COLUMNS = [
  'lastVersion',
  'coding',
  'dictVersion',
  'sizeBytes',
  'storedBytes',
  'storagePath',
] as const;

const superseded = prepared<{ documentId: string }, unknown>((db, parameter) =>
  db
    .insertInto('revision_text')
    .columns([
      'documentId',
      'lastVersion',
      'coding',
      'sizeBytes',
      'storedBytes',
      'storagePath',
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
          'sizeBytes',
          'sizeBytes as storedBytes',
          'storagePath',
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
    .where('documentId', '=', parameter('documentId'))
    .where('lastVersion', '>=', parameter('version'))
    .select([...COLUMNS, 'body'])
    .orderBy('lastVersion')
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
    .where('documentId', '=', documentId)
    .where('lastVersion', '>=', from)
    .select(COLUMNS)
    .orderBy('lastVersion')
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
    .where('documentId', '=', documentId)
    .where('lastVersion', '<', lastVersion)
    .select(({ fn }) => fn.max('lastVersion').as('before'))
    .executeTakeFirstOrThrow();
  return before ?? 0;
}

/** Lists all replaced texts of a document, oldest first. */
export async function listAllTexts(db: Reader, documentId: string): Promise<RevisionTextRow[]> {
  return db
    .selectFrom('revision_text')
    .where('documentId', '=', documentId)
    .select(COLUMNS)
    .orderBy('lastVersion')
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
    .where('documentId', '=', documentId)
    .where('lastVersion', '=', lastVersion)
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
    .where('documentId', '=', documentId)
    .where('lastVersion', '=', lastVersion)
    .select('storedBytes as bytes')
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
      dictVersion: null,
      storedBytes: 0,
      storagePath: null,
      body: null,
    })
    .where('documentId', '=', documentId)
    .where('lastVersion', '=', lastVersion)
    .execute();
  await adjustBytesOfDocument(db, documentId, -before);
}
