import { SecondHitCache } from '../../second-hit-cache.ts';

/**
 * What all rows together may take, and those of one query, roughly: texts count twice, for what is kept
 * with them (`kept-with-row.ts`) is mostly as long. Text that JSON escapes may take several times as much.
 */
const LIMITS = { maxBytes: 8 * 1024 * 1024, maxEntryBytes: 64 * 1024 };

/** What an entry takes, and a row, besides their texts. Most that are asked for in vain have no rows. */
const ENTRY_BYTES = 400;
const ROW_BYTES = 400;

/**
 * Rows of queries that are asked again and again, for as long as the database is what it was when
 * they were read: any commit, whoever's it is, has all of them forgotten.
 */
export class RowMemory {
  readonly #rows = new SecondHitCache<readonly unknown[]>(LIMITS, sizeOf);
  #version: unknown;

  /**
   * The rows that are remembered, or else those that are read now, which are remembered where the same was asked
   * for lately, perhaps before a commit.
   *
   * @param version of the database, which no two states of it share
   * @param key of the query and its parameters
   */
  recall(version: unknown, key: string, read: () => readonly unknown[]): readonly unknown[] {
    if (version !== this.#version) {
      this.#rows.clear();
      this.#version = version;
    }
    const known = this.#rows.get(key);
    if (known) return known;
    const rows = read();
    if (!this.#rows.offer(key, () => rows)) return rows;
    // Several requests will have them.
    for (const row of rows) Object.freeze(row);
    return Object.freeze(rows);
  }
}

function sizeOf(rows: readonly unknown[], key: string): number {
  let bytes = ENTRY_BYTES + 2 * key.length;
  for (const row of rows) {
    bytes += ROW_BYTES;
    for (const value of Object.values(row as object)) {
      if (typeof value === 'string') bytes += 2 * value.length;
      else if (value instanceof Uint8Array) bytes += value.byteLength;
    }
  }
  return bytes;
}
