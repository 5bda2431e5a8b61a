import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';

/** A place in the blob store for something new, spread over 256 directories. */
export function newStoragePath(area: string, id: string, ending: string): string {
  return `${area}/${id.slice(-2)}/${id}${ending}`;
}

/**
 * Runs the work that is to make a row name a new blob, and removes the blob where the work is refused.
 * After any other failure it is not known what was committed; the sweep finds out.
 *
 * @param storagePath none where there is no new blob
 */
export async function keepingBlob<T>(
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

/** How many blobs are removed at a time. */
const REMOVED_AT_ONCE = 8;

/**
 * Removes blobs that no row names any more. Of those that work at it each ends at its first failure,
 * since a store that is away takes long to say so; what is left is the sweep's.
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
