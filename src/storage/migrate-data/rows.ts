import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../sql/sql.ts';
import type { NamedTable } from './tables.ts';

type Value = string | number | Uint8Array | null;

/** A row, by column. */
export type Row = Record<string, Value>;

/** Limits of one batch, in memory and in a transaction. */
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 8 * 1024 * 1024;

/** Returns the handle with types for tables and columns that are known only at run time. */
export function untyped<R extends Reader>(reader: R) {
  return reader.withTables<Record<string, Row>>();
}

export async function countRows(reader: Reader, [name]: NamedTable): Promise<number> {
  const { rows } = await untyped(reader)
    .selectFrom(name)
    .select((row) => row.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
}

/**
 * Reads a table's rows in batches, in the order of the primary key.
 *
 * @param columns all if `undefined`
 */
export async function* readRows(
  reader: Reader,
  [name, table]: NamedTable,
  columns?: readonly string[],
): AsyncGenerator<Row> {
  let last: Row | undefined;
  for (;;) {
    const batch = await readBatch(reader, [name, table], columns, last);
    if (batch.length === 0) return;
    yield* batch;
    last = batch.at(-1);
  }
}

async function readBatch(
  reader: Reader,
  [name, table]: NamedTable,
  columns: readonly string[] | undefined,
  last: Row | undefined,
): Promise<Row[]> {
  const following = untyped(reader)
    .selectFrom(name)
    .$if(last !== undefined, (query) => query.where(isAfter(table.key, last as Row)))
    .orderBy(sql`${sql.join(table.key.map((column) => sql.ref(column)))}`);
  const all = columns ? following.select([...columns]) : following.selectAll();
  if (columns || !table.bulk) return all.limit(ROWS_AT_ONCE).execute();
  const sizes = following.select(`${table.bulk.bytes} as bytes`).limit(ROWS_AT_ONCE);
  return all.limit(countWithin(await sizes.execute(), BYTES_AT_ONCE)).execute();
}

function isAfter(key: readonly string[], row: Row): RawBuilder<boolean> {
  const columns = key.map((column) => sql.ref(column));
  const values = key.map((column) => row[column]);
  return sql<boolean>`(${sql.join(columns)}) > (${sql.join(values)})`;
}

/** Returns how many of the first rows fit into `limit` bytes; at least one. */
function countWithin(rows: Row[], limit: number): number {
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    bytes += row.bytes as number;
    return bytes > limit;
  });
  return Math.max(1, beyond === -1 ? rows.length : beyond);
}

/** Groups rows into batches small enough for one transaction. */
export async function* inBatches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    batch.push(row);
    bytes += lengthOf(row);
    if (batch.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function lengthOf(row: Row): number {
  let length = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string' || value instanceof Uint8Array) length += value.length;
  }
  return length;
}

/** The rows of one primary key, on one or both sides. */
export interface Pair {
  source: Row | undefined;
  target: Row | undefined;
}

/** Merges both sides by primary key. Both must be sorted by `key`. */
export async function* pairUp(
  sources: AsyncIterator<Row>,
  targets: AsyncIterator<Row>,
  key: readonly string[],
): AsyncGenerator<Pair> {
  let source = await next(sources);
  let target = await next(targets);
  while (source || target) {
    const order = !source ? 1 : !target ? -1 : compareKeys(source, target, key);
    yield { source: order <= 0 ? source : undefined, target: order >= 0 ? target : undefined };
    if (order <= 0) source = await next(sources);
    if (order >= 0) target = await next(targets);
  }
}

async function next(rows: AsyncIterator<Row>): Promise<Row | undefined> {
  const { done, value } = await rows.next();
  return done ? undefined : value;
}

function compareKeys(a: Row, b: Row, key: readonly string[]): number {
  for (const column of key) {
    const order = compareValues(a[column] ?? null, b[column] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares like the databases: numbers by value, text by its UTF-8 bytes. */
function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

/** Returns the same text for two rows if, and only if, they have the same values. */
export function canonical(row: Row): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(columns.map((column) => [column, toJson(row[column])]));
}

function toJson(value: Value | undefined): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}

export function isEqual(a: Row, b: Row): boolean {
  return Object.entries(a).every(([column, value]) => isEqualValue(value, b[column]));
}

function isEqualValue(a: Value, b: Value | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
