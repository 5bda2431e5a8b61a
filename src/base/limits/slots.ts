export interface SlotLimits {
  total: number;
  perKey: number;
  /** How many of the slots are only for keys that have none. */
  reserved: number;
}

/** Limits how much may happen at once, and shares it between keys, such as accounts. */
export interface Slots {
  /**
   * Takes a slot.
   *
   * @returns a function that gives the slot back, to be called once; or why there is none: the key
   *   has as many as one may have (`own`), or too many are taken in all (`all`)
   */
  take(key: string): (() => void) | 'own' | 'all';
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

  function refusal(count: number): 'own' | 'all' | undefined {
    if (count >= perKey) return 'own';
    return all >= (count === 0 ? total : shared) ? 'all' : undefined;
  }

  return {
    take(key) {
      const count = taken.get(key) ?? 0;
      const refused = refusal(count);
      if (refused) return refused;
      taken.set(key, count + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (taken.get(key) ?? 1) - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
      };
    },
    listFull: () => [...taken].filter(([, count]) => refusal(count)).map(([key]) => key),
  };
}
