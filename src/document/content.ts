import { Readable } from 'node:stream';
import { buffer as readBytes } from 'node:stream/consumers';
import type { Actor, Context } from '../context.ts';
import { FieldError } from '../errors.ts';
import { newStoragePath } from '../file/blob-lifecycle.ts';
import type { StoredDocument } from './document-store.ts';
import type { StoredContent } from './document-write-store.ts';
import { KINDS, type Kind } from './kind.ts';
import type { Written } from './search/search-text.ts';

/**
 * Returns content as it is stored: a brief without a byte order mark at its beginning, since
 * Markdown takes `# Title` after one for a paragraph. A page stays as it is.
 */
export function storableText(kind: Kind, text: string): string {
  return kind === 'brief' ? text.replace(/^\ufeff+/, '') : text;
}

/**
 * Stores a new document's or version's content where its kind keeps it, durably, before any row
 * names it. Whoever calls this answers for `discardBlobs` where no row comes to name it.
 *
 * @throws CONTENT_TOO_LARGE; RATE_LIMITED when too much of the actor's work is waiting
 */
export async function storeContent(
  context: Context,
  actor: Actor,
  kind: Kind,
  text: string,
): Promise<StoredContent> {
  const { contentField, contentLimitBytes, stored } = KINDS[kind];
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > contentLimitBytes) {
    throw new FieldError(
      'CONTENT_TOO_LARGE',
      contentField,
      `is ${sizeBytes} bytes; at most ${contentLimitBytes} are allowed.`,
    );
  }
  if (stored === 'row') return { text, storagePath: null, sizeBytes, title: null };
  const title = (await context.markdown.htmlTitle(actor.id, text)) ?? null;
  const storagePath = newStoragePath('pages', context.newId(), '.html');
  context.sql.requireRoom();
  await context.blobs.write(storagePath, Readable.from([Buffer.from(text)]));
  return { text: null, storagePath, sizeBytes, title };
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

/** Returns what is in a document by its kind; `undefined` as {@link loadContent}. */
export async function loadWritten(
  context: Context,
  row: Pick<StoredDocument, 'content' | 'storagePath'>,
): Promise<Written | undefined> {
  if (row.content !== null) return { markdown: row.content };
  const html = await loadContent(context, row);
  return html === undefined ? undefined : { html };
}
