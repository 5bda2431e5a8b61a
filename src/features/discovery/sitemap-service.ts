import type { Context } from '../../core/context.ts';
import { findNthPublicId, listPublicFrom, type SitemapRow } from './sitemap-store.ts';

/**
 * The most documents in one part of the site map. The protocol allows 50,000. A part is read and
 * written at once, so a smaller one delays other requests less.
 */
const SITEMAP_PART_SIZE = 2_000;

/**
 * Returns the id of the first document of each part of the site map. Each part costs one short
 * query; other requests run in between.
 */
export async function listSitemapParts(
  context: Context,
  partSize = SITEMAP_PART_SIZE,
): Promise<string[]> {
  const { read } = context.sql;
  const starts: string[] = [];
  let next = await findNthPublicId(read, { from: '', offset: 0 });
  while (next !== undefined) {
    starts.push(next);
    next = await findNthPublicId(read, { from: next, offset: partSize });
  }
  return starts;
}

/** Lists the public documents of the part that starts with a document. */
export async function readSitemapPart(
  context: Context,
  from: string,
  partSize = SITEMAP_PART_SIZE,
): Promise<readonly SitemapRow[]> {
  return listPublicFrom(context.sql.read, { from, size: partSize });
}
