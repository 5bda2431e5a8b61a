import type { Reader, Sql } from '../sql/sql.ts';
import type { Progress } from './progress.ts';
import { countRows, inBatches, isEqual, pairUp, type Row, readRows, untyped } from './rows.ts';
import { CARRIED, DERIVED, DERIVED_TABLES, type NamedTable, TABLES } from './tables.ts';

/**
 * Makes the rows of the target those of the source, in two passes. The first removes what could be
 * in the way: rows that the source does not have, and rows that have another unique value there,
 * such as documents that exchanged their names. What is left agrees in all such values, so that the
 * second can write what is missing or different in any order within a table.
 *
 * Ended at any point, it is run again and goes on from there: each batch is a transaction.
 */
export async function copyRows(source: Reader, target: Sql, progress: Progress): Promise<void> {
  for (const table of DERIVED) {
    const rows = readRows(target.read, table, table[1].key);
    for await (const batch of inBatches(rows)) await removeRows(target, table, batch);
  }
  await target.words.clear();
  // What refers goes before what it refers to: removing that one would take along, in a single
  // statement, however much refers to it.
  for (const table of CARRIED.toReversed()) {
    progress.begin(`comparing ${table[0]}`);
    for await (const batch of inBatches(findInTheWay(source, target.read, table, progress))) {
      await removeRows(target, table, batch);
    }
  }
  for (const table of CARRIED) {
    progress.begin(`copying ${table[0]}`, await countRows(source, table));
    for await (const batch of inBatches(findToWrite(source, target.read, table, progress))) {
      await writeRows(target, table, batch);
    }
  }
  await markAllPending(target, progress);
}

/** Whoever serves the target indexes all that it has for searches. */
async function markAllPending(target: Sql, progress: Progress): Promise<void> {
  progress.begin('marking documents for the search index');
  const documents = readRows(target.read, ['document', TABLES.document], TABLES.document.key);
  for await (const batch of inBatches(documents)) {
    const pending = batch.map(({ id }) => ({ document_id: id, stamp: '', claimed_until: '' }));
    await writeRows(target, ['search_pending', DERIVED_TABLES.search_pending], pending as Row[]);
    progress.advance(batch.length);
  }
}

/** Keys of the target's rows that have to go first. */
async function* findInTheWay(
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

/** The source's rows that the target does not have as they are. */
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
