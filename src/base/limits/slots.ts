export interface SlotLimits {
  total: number;
  perKey: number;
  /** How many of the slots are only for keys that have none. */
  reserved: number;
}

/** The key has as many slots as one may have (`own`), or too many are taken in all (`all`). */
export type Refusal = 'own' | 'all';

/** Limits how much may happen at once, and shares it between keys, such as accounts. */
export interface Slots {
  /**
   * Takes a slot.
   *
   * @returns a function that gives the slot back, to be called once; or why there is none
   */
  take(key: string): (() => void) | Refusal;
  /** Takes slots even if there are none. @returns a function that gives them back, to be called once */
  add(key: string, amount: number): () => void;
  /** Tells why a key can't take a slot now; `undefined` if it can. */
  refusal(key: string): Refusal | undefined;
  /** Lists the keys that have slots and can't take another one now. */
  listFull(): string[];
}

/**
 * Creates slots. While few are free, keys that have none can still take one each. So a few keys
 * can't take all slots from the others.
 */
export function createSlots({ total, perKey, reserved }: SlotLimits): Slots {
  const taken = new Map<string, number>();
  const shared = total - reserved;
  let all = 0;

  function refusal(key: string): Refusal | undefined {
    const count = taken.get(key) ?? 0;
    if (count >= perKey) return 'own';
    return all >= (count === 0 ? total : shared) ? 'all' : undefined;
  }

  function add(key: string, amount: number): () => void {
    taken.set(key, (taken.get(key) ?? 0) + amount);
    all += amount;
    return () => {
      all -= amount;
      const left = (taken.get(key) ?? amount) - amount;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
    };
  }

  return {
    take: (key) => refusal(key) ?? add(key, 1),
    add,
    refusal,
    listFull: () => [...taken.keys()].filter(refusal),
  };
}
