import { BackEndUnavailable, RETRY_AFTER_S, ServiceError } from '../errors.ts';

/** Limits how many requests may stay open at once. */
export interface Slots {
  /**
   * Takes a slot until the returned function is called.
   *
   * @param key such as an account's id
   * @throws RATE_LIMITED (429) if the key has all of its slots; BackEndUnavailable (503) if there
   *   are too many in all
   */
  take(key: string): () => void;
}

export function createSlots(limits: { total: number; perKey: number }): Slots {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(key) {
      const count = taken.get(key) ?? 0;
      if (count >= limits.perKey) {
        throw new ServiceError(
          'RATE_LIMITED',
          `You have ${count} open requests that wait for events, which is the limit. End one ` +
            'first.',
          RETRY_AFTER_S,
        );
      }
      if (total >= limits.total)
        throw new BackEndUnavailable('Too many requests are waiting for events.');
      taken.set(key, count + 1);
      total += 1;
      return () => {
        total -= 1;
        const left = (taken.get(key) ?? 1) - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
      };
    },
  };
}
