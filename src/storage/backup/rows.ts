import { type RawBuilder, sql } from 'kysely';
import { BackEndUnavailable } from '../../base/errors.ts';
import { isBlobKey } from '../blob/blob-key.ts';
import { describeTables, type TableSchema } from '../sql/schema.ts';
import type { Reader, Writer } from '../sql/sql.ts';

type Value = string | number | Uint8Array | null;

/** A row, by column. */
type Row = Record<string, Value>;

/** A blob that a row refers to. */
export interface NamedBlob {
  key: string;
  sizeBytes: number;
}

/** Tables that a backup doesn't carry, and why. It carries all others. */
export const NOT_CARRIED: Record<string, string> = {
  rendition: 'made from a brief when someone reads it',
  search_pending: 'all documents are queued for the search index after a restore',
  document_reference: 'made from the texts of documents when they are indexed',
  spent_challenge: 'of sign-ins in the last minutes',
  oauth_device: 'of devices that wait for a person for minutes',
  presence: 'says for a minute who is at a document',
  instance_state: 'says when this installation was backed up',
  document_text: 'the search index, which is built from the documents',
  page_text: 'the search index, which is built from the documents',
};

/** Limits of what is in memory at once. */
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** SQLite accepts 32,766 parameters in a statement, PostgreSQL twice as many. */
const PARAMETERS_AT_ONCE = 30_000;

/**
 * Returns the tables that a backup carries, each after those it refers to.
 *
 * @param last the last migration of the schema; this version's if `undefined`
 */
export async function carriedTables(last?: string): Promise<TableSchema[]> {
  return (await describeTables(last)).filter(({ name }) => !(name in NOT_CARRIED));
}

/** Reads a table's rows in the order of the primary key, as JSON lines, a few MB at a time. */
export async function* readLines(reader: Reader, table: TableSchema): AsyncGenerator<Buffer> {
  for await (const rows of readRows(reader, table, table.columns)) {
    yield Buffer.from(rows.map((row) => `${toLine(row)}\n`).join(''));
  }
}

/** Lists the blobs that rows refer to. */
export async function* namedBlobs(
  reader: Reader,
  tables: readonly TableSchema[],
): AsyncGenerator<NamedBlob[]> {
  for (const table of tables) {
    if (!table.blob) continue;
    const { key, bytes } = table.blob;
    for await (const rows of readRows(reader, table, [...table.key, key, bytes])) {
      yield rows
        .filter((row) => row[key] !== null)
        .map((row) => ({ key: row[key] as string, sizeBytes: row[bytes] as number }));
    }
  }
}

async function* readRows(
  reader: Reader,
  table: TableSchema,
  columns: readonly string[],
): AsyncGenerator<Row[]> {
  const large = columns.filter((column) => table.large.includes(column));
  let last: Row | undefined;
  for (;;) {
    const following = untyped(reader)
      .selectFrom(table.name)
      .$if(last !== undefined, (query) => query.where(isAfter(table.key, last as Row)))
      .orderBy(sql`${sql.join(table.key.map((column) => sql.ref(column)))}`);
    const sizes = await following.select(sizeOf(large).as('bytes')).limit(ROWS_AT_ONCE).execute();
    if (sizes.length === 0) return;
    const rows = await following
      .select([...columns])
      .limit(countWithin(sizes))
      .execute();
    yield rows;
    last = rows.at(-1);
  }
}

function sizeOf(columns: readonly string[]): RawBuilder<number> {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.join([sql.lit(0), ...sizes], sql` + `)}`;
}

function isAfter(key: readonly string[], row: Row): RawBuilder<boolean> {
  const columns = key.map((column) => sql.ref(column));
  const values = key.map((column) => row[column]);
  return sql<boolean>`(${sql.join(columns)}) > (${sql.join(values)})`;
}

/** Returns how many of the first rows are within the limit; at least one. */
function countWithin(sizes: { bytes: number }[]): number {
  let bytes = 0;
  const beyond = sizes.findIndex((row) => {
    bytes += row.bytes;
    return bytes > BYTES_AT_ONCE;
  });
  return Math.max(1, beyond === -1 ? sizes.length : beyond);
}

/**
 * Inserts the rows of some JSON lines.
 *
 * @param shownAs the lines' name in errors
 * @returns the blobs that these rows refer to
 * @throws Error if the lines aren't rows of the table, or the database refuses them
 */
export async function insertLines(
  writer: Writer,
  table: TableSchema,
  lines: Buffer,
  shownAs: string,
): Promise<NamedBlob[]> {
  const rows = parseRows(table, lines, shownAs);
  const count = Math.floor(PARAMETERS_AT_ONCE / table.columns.length);
  for (let start = 0; start < rows.length; start += count) {
    try {
      const values = rows.slice(start, start + count);
      await untyped(writer).insertInto(table.name).values(values).execute();
    } catch (cause) {
      if (cause instanceof BackEndUnavailable) throw cause;
      throw new Error(`${shownAs} can’t be restored: ${(cause as Error).message}.`, { cause });
    }
  }
  const { blob } = table;
  if (!blob) return [];
  return rows
    .filter((row) => row[blob.key] !== null)
    .map((row) => {
      const key = row[blob.key];
      if (isBlobKey(key)) return { key, sizeBytes: Number(row[blob.bytes]) };
      throw new Error(`${shownAs} is damaged: it names ${JSON.stringify(key)} as stored content.`);
    });
}

function toLine(row: Row): string {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  ]);
  return JSON.stringify(Object.fromEntries(values));
}

function fromLine(line: string): Row {
  const row = JSON.parse(line);
  for (const [column, value] of Object.entries<{ base64?: unknown } | null>(row)) {
    const base64 = value?.base64;
    if (typeof base64 === 'string') row[column] = Buffer.from(base64, 'base64');
  }
  return row;
}

function parseRows(table: TableSchema, lines: Buffer, shownAs: string): Row[] {
  try {
    const rows = lines.toString().trimEnd().split('\n').map(fromLine);
    if (rows.every((row) => isRowOf(table, row))) return rows;
  } catch {
    // Malformed text is refused, too.
  }
  throw new Error(`${shownAs} has other rows than those of the table ${table.name}.`);
}

function isRowOf({ columns }: TableSchema, row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false;
  const names = Object.keys(row);
  return (
    names.length === columns.length &&
    names.every((name) => columns.includes(name)) &&
    Object.values(row).every(isValue)
  );
}

function isValue(value: unknown): value is Value {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    value instanceof Uint8Array
  );
}

/** Queues all documents for the search index. */
export async function queueForSearch(writer: Writer): Promise<void> {
  // A migration may have queued some. SQLite needs a condition before the conflict.
  await sql`insert into search_pending ("documentId", stamp, "claimedUntil")
    select id, '', '' from document where true
    on conflict ("documentId") do nothing`.execute(writer);
}

/** Returns the handle with types for tables and columns that are known only at run time. */
function untyped<R extends Reader>(reader: R) {
  return reader.withTables<Record<string, Row>>();
}
