/** Keeps values for a time. While one is being made, everyone who asks for it waits for the same one. */
export interface TimedCache {
  get(key: string, make: () => Promise<string>): Promise<string>;
}

/** @param size how many values to keep, the latest made */
export function createTimedCache(lifetimeMs: number, size: number): TimedCache {
  const made = new Map<string, { value: Promise<string>; until: number }>();
  return {
    get(key, make) {
      const known = made.get(key);
      if (known && performance.now() < known.until) return known.value;
      const value = make();
      made.delete(key);
      made.set(key, { value, until: performance.now() + lifetimeMs });
      value.catch(() => made.delete(key));
      const [oldest] = made.keys();
      if (made.size > size && oldest !== undefined) made.delete(oldest);
      return value;
    },
  };
}
