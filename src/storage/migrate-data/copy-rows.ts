import type { Reader, Sql } from '../sql/sql.ts';
import type { Progress } from './progress.ts';
import { countRows, inBatches, isEqual, pairUp, type Row, readRows, untyped } from './rows.ts';
import { COPIED, DERIVED, DERIVED_TABLES, type NamedTable, TABLES } from './tables.ts';

/**
 * Makes the target's rows equal to the source's, in two passes. The first removes rows that are
 * missing at the source or differ there in a unique value, such as documents that swapped names.
 * The second can then write missing and changed rows in any order within a table.
 *
 * Can be interrupted and run again: each batch is a transaction.
 */
export async function copyRows(source: Reader, target: Sql, progress: Progress): Promise<void> {
  for (const table of DERIVED) {
    const rows = readRows(target.read, table, table[1].key);
    for await (const batch of inBatches(rows)) await removeRows(target, table, batch);
  }
  await target.words.clear();
  // Referring tables first. Otherwise a cascade could delete any number of rows in one statement.
  for (const table of COPIED.toReversed()) {
    progress.begin(`comparing ${table[0]}`);
    for await (const batch of inBatches(findConflicting(source, target.read, table, progress))) {
      await removeRows(target, table, batch);
    }
  }
  for (const table of COPIED) {
    progress.begin(`copying ${table[0]}`, await countRows(source, table));
    for await (const batch of inBatches(findToWrite(source, target.read, table, progress))) {
      await writeRows(target, table, batch);
    }
  }
  await markAllPending(target, progress);
}

/** Queues all documents for the search index, which the target's service then builds. */
async function markAllPending(target: Sql, progress: Progress): Promise<void> {
  progress.begin('marking documents for the search index');
  const documents = readRows(target.read, ['document', TABLES.document], TABLES.document.key);
  for await (const batch of inBatches(documents)) {
    const pending = batch.map(({ id }) => ({ document_id: id, stamp: '', claimed_until: '' }));
    await writeRows(target, ['search_pending', DERIVED_TABLES.search_pending], pending as Row[]);
    progress.advance(batch.length);
  }
}

/** Lists the keys of the target's rows that the first pass removes. */
async function* findConflicting(
  source: Reader,
  target: Reader,
  table: NamedTable,
  progress: Progress,
): AsyncGenerator<Row> {
  const [, { key, unique }] = table;
  const columns = [...key, ...unique];
  const [ours, theirs] = [readRows(source, table, columns), readRows(target, table, columns)];
  for await (const pair of pairUp(ours, theirs, key)) {
    if (!pair.target) continue;
    if (!pair.source || !isEqual(pair.source, pair.target)) yield pair.target;
    progress.advance(1);
  }
}

/** Lists the source's rows that are missing at the target or differ there. */
async function* findToWrite(
  source: Reader,
  target: Reader,
  table: NamedTable,
  progress: Progress,
): AsyncGenerator<Row> {
  const [ours, theirs] = [readRows(source, table), readRows(target, table)];
  for await (const pair of pairUp(ours, theirs, table[1].key)) {
    if (!pair.source) continue;
    if (!pair.target || !isEqual(pair.source, pair.target)) yield pair.source;
    progress.advance(1);
  }
}

async function removeRows(target: Sql, [name, { key }]: NamedTable, rows: Row[]): Promise<void> {
  await target.transaction((writer) =>
    untyped(writer)
      .deleteFrom(name)
      .where(({ and, or }) => or(rows.map((row) => and(keyOf(row, key)))))
      .execute(),
  );
}

function keyOf(row: Row, key: readonly string[]): Row {
  return Object.fromEntries(key.map((column) => [column, row[column] ?? null]));
}

async function writeRows(target: Sql, [name, { key }]: NamedTable, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  await target.transaction((writer) =>
    untyped(writer)
      .insertInto(name)
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns([...key])
          .doUpdateSet((row) =>
            Object.fromEntries(columns.map((column) => [column, row.ref(`excluded.${column}`)])),
          ),
      )
      .execute(),
  );
}
