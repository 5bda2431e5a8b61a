/** The precision of the time of last use, so that not every read causes a write. */
export const LAST_USE_PRECISION_MS = 60_000;

/** Tells whether to record a use at `now`. Times are ISO 8601; `null` means never used. */
export function isUseDue(lastUsedAt: string | null, now: string): boolean {
  return lastUsedAt === null || Date.parse(now) - Date.parse(lastUsedAt) >= LAST_USE_PRECISION_MS;
}
