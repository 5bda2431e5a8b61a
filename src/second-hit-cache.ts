import { LRUCache } from 'lru-cache';

/** How many of the latest keys are known that nothing is kept for, at least. */
const ASKED_KEYS = 4_096;

/**
 * Keeps what is asked for again: the values used latest, within so many bytes. Where each is asked for once, keeping
 * costs more than it saves, and would push out what is asked for again.
 */
export class SecondHitCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;
  readonly #asked = new LRUCache<string, true>({ max: ASKED_KEYS });
  readonly #maxEntryBytes: number;
  readonly #sizeOf: (value: Value, key: string) => number;

  /**
   * @param limits of all that is kept, and of one value: larger ones are not
   * @param sizeOf what a value takes with its key, in bytes, roughly
   */
  constructor(
    limits: { maxBytes: number; maxEntryBytes: number },
    sizeOf: (value: Value, key: string) => number,
  ) {
    this.#values = new LRUCache({ maxSize: limits.maxBytes });
    this.#maxEntryBytes = limits.maxEntryBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Keeps what `make` makes where the key was offered something lately. @returns whether it did */
  offer(key: string, make: () => Value): boolean {
    if (!this.#asked.get(key)) {
      this.#asked.set(key, true);
      return false;
    }
    const value = make();
    const size = this.#sizeOf(value, key);
    if (size > this.#maxEntryBytes) return false;
    this.#values.set(key, value, { size });
    return true;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** Forgets all values, not which keys were offered something. */
  clear(): void {
    this.#values.clear();
  }
}
