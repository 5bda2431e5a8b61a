/** Longer than any of our keys, and within the limits of file systems. */
const MAX_LENGTH = 255;

/** Segments begin with a letter or digit, so none is empty, `.` or `..`. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/;

/**
 * Tells whether a value is a valid key: a relative path that cannot leave the folder it is joined
 * to. Keys come from the database, which may be restored from someone else's archive.
 */
export function isBlobKey(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && KEY.test(value);
}

/** @throws Error if the key is invalid */
export function requireBlobKey(value: string): void {
  if (!isBlobKey(value))
    throw new Error(`${JSON.stringify(value)} is not a key of the blob store.`);
}
