import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BackEndUnavailable, ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { listPicturesAt, type PageFile } from '../../core/document/page-file-store.ts';
import { findPageFiles, ownPlaces } from '../../core/document/page-files.ts';
import { contentOfBytes, type PageContent } from './page-service.ts';

/** How many pages without pictures to remember, and how many bytes of pages with them to keep. */
const MAX_WITHOUT = 10_000;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * Returns a function that puts the pictures into a page's HTML that it shows from uploaded files,
 * because pages load nothing, and leads links to former addresses of the service to the present ones.
 * What is stored stays as it was written. A page without such pictures
 * stays a stream of its bytes, and so does one that can't be read now, which then lacks them.
 */
export function createPageFiller(context: Context): (content: PageContent) => Promise<PageContent> {
  const without = new Set<string>();
  const kept = new Map<string, { files: PageFile[]; content: PageContent }>();

  async function fill(content: PageContent): Promise<PageContent> {
    const { etag } = content;
    const stream = await content.open();
    if (!stream) return content;
    const html = (await buffer(stream)).toString();
    // Its versions have one turn, also while it is typed.
    const [id = etag] = etag.split('.', 1);
    const { replacements } = await findPageFiles(context, id, html);
    const files = new Map<string, PageFile>();
    for (const one of replacements) if (typeof one === 'object') files.set(one.id, one);
    if (replacements.every((one) => one === undefined)) {
      if (without.size >= MAX_WITHOUT) without.clear();
      without.add(etag);
      return content;
    }
    const data = new Map<string, string>();
    for (const { id, contentType, storagePath } of files.values()) {
      const bytes = await context.blobs.read(storagePath);
      if (bytes) data.set(id, `data:${contentType};base64,${await base64Of(bytes)}`);
    }
    const addresses = replacements.map((one) => (typeof one === 'object' ? data.get(one.id) : one));
    const places = ownPlaces(context);
    const filled = await context.markdown.rewriteReferences(id, html, 'page', addresses, places);
    if (filled === undefined) return content;
    const tag = createHash('sha256')
      .update([...data.keys(), ...places].join())
      .digest('base64url');
    const result = contentOfBytes(etag.replace(/"$/, `-${tag.slice(0, 8)}"`), Buffer.from(filled));
    keep(etag, { files: [...files.values()], content: result });
    return result;
  }

  function keep(etag: string, page: { files: PageFile[]; content: PageContent }): void {
    kept.set(etag, page);
    let bytes = 0;
    for (const [one, { content }] of [...kept].reverse()) {
      bytes += content.sizeBytes;
      if (bytes > MAX_KEPT_BYTES) kept.delete(one);
    }
  }

  return async (content) => {
    if (without.has(content.etag)) return content;
    const known = kept.get(content.etag);
    if (known) {
      const addresses = known.files.map(({ address }) => address);
      const left = await listPicturesAt(context.sql.read, addresses);
      if (left.length === known.files.length) return known.content;
    }
    return fill(content).catch((error) => {
      if (error instanceof BackEndUnavailable || error instanceof ServiceError) return content;
      throw error;
    });
  };
}

async function base64Of(bytes: Readable): Promise<string> {
  return (await buffer(bytes)).toString('base64');
}
