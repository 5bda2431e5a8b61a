/**
 * What all rows together may take, and those of one query, roughly: texts count twice, for what is kept
 * with them (`kept-with-row.ts`) is mostly as long. Text that JSON escapes may take several times as much.
 */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRY_BYTES = 64 * 1024;

/** What an entry takes, and a row, besides their texts. Most that are asked for in vain have no rows. */
const ENTRY_BYTES = 400;
const ROW_BYTES = 400;

/** How many of the latest keys that were not remembered are known, at least. */
const ASKED_KEYS = 4_096;

interface Entry {
  rows: readonly unknown[];
  bytes: number;
}

/**
 * Rows of queries that are asked again and again, for as long as the database is what it was when
 * they were read: any commit, whoever's it is, has all of them forgotten.
 */
export class RowMemory {
  readonly #entries = new Map<string, Entry>();
  readonly #asked = new LatelyAsked();
  #bytes = 0;
  #version: unknown;

  /**
   * The rows that are remembered, or else those that are read now. Only what was asked for lately, perhaps before
   * a commit, is remembered: where each is asked for once, keeping rows costs more than it saves, and would
   * push out those that are asked for again.
   *
   * @param version of the database, which no two states of it share
   * @param key of the query and its parameters
   */
  recall(version: unknown, key: string, read: () => readonly unknown[]): readonly unknown[] {
    if (version !== this.#version) {
      this.#entries.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    const known = this.#entries.get(key);
    if (known) return known.rows;
    const rows = read();
    if (!this.#asked.add(key)) return rows;
    const bytes = ENTRY_BYTES + 2 * key.length + sizeOf(rows);
    if (bytes > MAX_ENTRY_BYTES) return rows;
    // Several requests will have them.
    for (const row of rows) Object.freeze(row);
    this.#keep(key, { rows: Object.freeze(rows), bytes });
    return rows;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/** Keys that were asked for lately. */
class LatelyAsked {
  #latest = new Set<string>();
  #before = new Set<string>();

  /** @returns whether it was among them */
  add(key: string): boolean {
    if (this.#latest.has(key)) return true;
    if (this.#latest.size >= ASKED_KEYS) {
      this.#before = this.#latest;
      this.#latest = new Set();
    }
    this.#latest.add(key);
    return this.#before.has(key);
  }
}

function sizeOf(rows: readonly unknown[]): number {
  let bytes = 0;
  for (const row of rows) {
    bytes += ROW_BYTES;
    for (const value of Object.values(row as object)) {
      if (typeof value === 'string') bytes += 2 * value.length;
      else if (value instanceof Uint8Array) bytes += value.byteLength;
    }
  }
  return bytes;
}
