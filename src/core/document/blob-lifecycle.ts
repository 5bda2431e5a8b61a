import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../context.ts';

/** Returns a key for a new blob. Keys spread over 256 directories. */
export function newStoragePath(area: string, id: string, ending: string): string {
  return `${area}/${id.slice(-2)}/${id}${ending}`;
}

/**
 * Runs work that writes the row of a new blob, and deletes the blob if the work throws a
 * `ServiceError`. After any other failure the row may have been committed, so the sweep decides.
 *
 * @param storagePath missing if there is no new blob
 */
export async function withNewBlob<T>(
  context: Context,
  storagePath: string | null | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) await discardBlobs(context, [storagePath]);
    throw error;
  }
}

/** How many blobs are deleted at a time. */
const REMOVED_AT_ONCE = 8;

/**
 * Deletes blobs that no row refers to any more. Each worker stops at its first failure, because a
 * store that is down answers slowly. The sweep deletes the rest.
 */
export async function discardBlobs(
  { blobs }: Pick<Context, 'blobs'>,
  storagePaths: readonly (string | null | undefined)[],
): Promise<void> {
  const rest = storagePaths.filter((path) => path != null).values();
  const removeRest = async () => {
    for (const path of rest) await blobs.delete(path);
  };
  await Promise.allSettled(Array.from({ length: REMOVED_AT_ONCE }, removeRest));
}
