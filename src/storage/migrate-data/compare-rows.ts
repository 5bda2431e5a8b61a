import { createHash } from 'node:crypto';
import type { Reader } from '../sql/sql.ts';
import type { Progress } from './progress.ts';
import { canonical, countRows, readRows } from './rows.ts';
import { COPIED, type NamedTable } from './tables.ts';

export interface Digest {
  rows: number;
  /** SHA-256, in hexadecimal, over all rows in the order of the primary key. */
  hash: string;
}

export interface TableComparison {
  table: string;
  source: Digest;
  target: Digest;
  isEqual: boolean;
}

/** Reads every row from both sides and compares the tables. */
export async function compareRows(
  source: Reader,
  target: Reader,
  progress: Progress,
): Promise<TableComparison[]> {
  const comparisons: TableComparison[] = [];
  for (const table of COPIED) {
    progress.begin(`checking ${table[0]}`, await countRows(source, table));
    const [ours, theirs] = await Promise.all([
      digest(source, table, () => progress.advance(1)),
      digest(target, table),
    ]);
    const isEqual = ours.rows === theirs.rows && ours.hash === theirs.hash;
    comparisons.push({ table: table[0], source: ours, target: theirs, isEqual });
  }
  return comparisons;
}

async function digest(reader: Reader, table: NamedTable, onRow = () => {}): Promise<Digest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const row of readRows(reader, table)) {
    hash.update(`${canonical(row)}\n`);
    rows++;
    onRow();
  }
  return { rows, hash: hash.digest('hex') };
}
