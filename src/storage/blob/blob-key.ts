/** Longer than any key of ours, and shorter than what file systems take for a path. */
const MAX_LENGTH = 255;

/** Segments begin with a letter or digit, so none is empty, `.` or `..`. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/;

/**
 * Whether a value can be the key of a blob: a relative path that stays below whatever it is joined
 * to. Keys are read from the database, which may come from an archive that somebody else made.
 */
export function isBlobKey(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && KEY.test(value);
}

/** @throws Error for what is not a key */
export function requireBlobKey(value: string): void {
  if (!isBlobKey(value))
    throw new Error(`${JSON.stringify(value)} is not a key of the blob store.`);
}
