import { Readable } from 'node:stream';
import { buffer as readBytes } from 'node:stream/consumers';
import { FieldError } from '../../base/errors.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Written } from '../../base/search/search-text.ts';
import { tooLarge } from '../../base/text/size.ts';
import type { Call, Context } from '../context.ts';
import { newStoragePath } from './blob-lifecycle.ts';
import type { StoredDocument } from './document-store.ts';
import type { StoredContent } from './document-write-store.ts';

/**
 * Removes the byte order mark from a brief's content, because Markdown would read `# Title` after
 * one as a paragraph. A page's content doesn't change.
 */
export function storableText(kind: Kind, text: string): string {
  return kind === 'brief' ? text.replace(/^\ufeff+/, '') : text;
}

/**
 * Stores content durably where its kind stores it, before any row refers to it. If no row does in
 * the end, the caller must call `discardBlobs`.
 *
 * @throws CONTENT_TOO_LARGE; RATE_LIMITED if too much of the actor's work is queued
 */
export async function storeContent(call: Call, kind: Kind, text: string): Promise<StoredContent> {
  const sizeBytes = requireContentSize(kind, text);
  if (KINDS[kind].stored === 'row') {
    return rowContent(kind, text, await call.markdown.briefTitle(call.actor.id, text));
  }
  const title = (await call.markdown.htmlTitle(call.actor.id, text)) ?? null;
  const storagePath = newStoragePath('pages', call.newId(), '.html');
  await call.blobs.write(storagePath, Readable.from([Buffer.from(text)]));
  return { text: null, storagePath, sizeBytes, title };
}

/** Returns content that is stored with its row. @throws CONTENT_TOO_LARGE */
export function rowContent(kind: Kind, text: string, title: string | undefined): StoredContent {
  return {
    text,
    storagePath: null,
    sizeBytes: requireContentSize(kind, text),
    title: title ?? null,
  };
}

/** Returns the size of a document's content, in bytes. @throws CONTENT_TOO_LARGE */
export function requireContentSize(kind: Kind, text: string): number {
  const { contentField, contentLimitBytes } = KINDS[kind];
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= contentLimitBytes) return sizeBytes;
  throw new FieldError(
    'CONTENT_TOO_LARGE',
    contentField,
    tooLarge('the text has', sizeBytes, contentLimitBytes),
  );
}

/**
 * Returns a row's content; `undefined` if the document has changed or been deleted since the row
 * was read.
 */
export async function loadContent(
  context: Context,
  { content, storagePath }: Pick<StoredDocument, 'content' | 'storagePath'>,
): Promise<string | undefined> {
  if (content !== null) return content;
  const bytes = await context.blobs.read(storagePath as string);
  // As bytes first: reading as text would drop a leading byte order mark.
  return bytes && (await readBytes(bytes)).toString();
}

/** Returns a document's content by kind; `undefined` like {@link loadContent}. */
export async function loadWritten(
  context: Context,
  row: Pick<StoredDocument, 'content' | 'storagePath'>,
): Promise<Written | undefined> {
  if (row.content !== null) return { markdown: row.content };
  const html = await loadContent(context, row);
  return html === undefined ? undefined : { html };
}
