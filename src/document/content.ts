import { Readable } from 'node:stream';
import { buffer as readBytes } from 'node:stream/consumers';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import type { StoredContent, StoredDocument } from './document-store.ts';
import { KINDS, type Kind } from './kind.ts';

/**
 * Stores a new document's or version's content where its kind keeps it, durably, before any row
 * names it. Whoever calls this answers for {@link discardContent} where no row comes to name it.
 *
 * @throws CONTENT_TOO_LARGE
 */
export async function storeContent(
  context: Context,
  kind: Kind,
  text: string,
): Promise<StoredContent> {
  const { contentField, contentLimitBytes, stored } = KINDS[kind];
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > contentLimitBytes) {
    throw new ServiceError(
      'CONTENT_TOO_LARGE',
      `${contentField}: is ${sizeBytes} bytes; at most ${contentLimitBytes} are allowed.`,
    );
  }
  if (stored === 'row') return { text, storagePath: null, sizeBytes, title: null };
  const title = (await context.markdown.htmlTitle(text)) ?? null;
  const storagePath = newStoragePath('pages', context.newId(), '.html');
  await context.blobs.write(storagePath, Readable.from([Buffer.from(text)]));
  return { text: null, storagePath, sizeBytes, title };
}

/** A place in the blob store for something new, spread over 256 directories. */
export function newStoragePath(area: string, id: string, ending: string): string {
  return `${area}/${id.slice(-2)}/${id}${ending}`;
}

/**
 * Runs the work that is to make a row name some content, and removes the content where the work is
 * refused. After any other failure it is not known what was committed; the sweep finds out.
 */
export async function keepingContent<T>(
  context: Context,
  content: Pick<StoredContent, 'storagePath'> | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError)
      await discardContent(context, [content?.storagePath ?? null]);
    throw error;
  }
}

/** How many blobs are removed at a time. */
const REMOVED_AT_ONCE = 8;

/**
 * Removes content that no row names any more. Of those that work at it each ends at its first failure,
 * since a store that is away takes long to say so; what is left is the sweep's.
 */
export async function discardContent(
  context: Context,
  storagePaths: readonly (string | null)[],
): Promise<void> {
  const rest = storagePaths.filter((path) => path !== null).values();
  const removeRest = async () => {
    for (const path of rest) await context.blobs.delete(path);
  };
  await Promise.allSettled(Array.from({ length: REMOVED_AT_ONCE }, removeRest));
}

/**
 * The content that a row names; `undefined` when it is gone, because the document has been written
 * or deleted since the row was read.
 */
export async function loadContent(
  context: Context,
  { content, storagePath }: Pick<StoredDocument, 'content' | 'storagePath'>,
): Promise<string | undefined> {
  if (content !== null) return content;
  const bytes = await context.blobs.read(storagePath as string);
  // Not as text at once: that would drop a byte order mark at the beginning.
  return bytes && (await readBytes(bytes)).toString();
}
