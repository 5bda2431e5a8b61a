/** Last use is kept to this precision, so that reading does not mean writing. */
export const LAST_USE_PRECISION_MS = 60_000;

/** Whether a use at `now` is to be kept; times in ISO 8601, `null` where there was none before. */
export function isUseDue(lastUsedAt: string | null, now: string): boolean {
  return lastUsedAt === null || Date.parse(now) - Date.parse(lastUsedAt) >= LAST_USE_PRECISION_MS;
}
