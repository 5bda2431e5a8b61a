import { KINDS } from '../../base/schema/kind.ts';
import { presentAddress } from '../../base/text/former-address.ts';
import type { Context } from '../context.ts';
import { listPicturesAt, type PageFile } from './page-file-store.ts';

/** What a page's HTML shows of the pictures that were uploaded here, whoever uploaded them. */
export interface PageFiles {
  /**
   * For each reference of the HTML to this service (`ownPlaces`), the picture to put in its place, or
   * the present address instead of a former one.
   */
  replacements: (PageFile | string | undefined)[];
  /** The addresses of these, as written. */
  inside: string[];
  /** The addresses of pictures for which the page has no room. */
  left: string[];
}

/** Returns the beginnings of addresses that are replaced, without a slash at the end. */
export function ownPlaces({
  renderUrl,
  formerAddresses,
}: Pick<Context, 'renderUrl' | 'formerAddresses'>): string[] {
  return [`${renderUrl}/files`, ...formerAddresses.map(({ from }) => from)];
}

/**
 * Finds the pictures that a page's HTML asks this service for: those of elements and styles. As many
 * are put into it as fit into its limit, in the order they stand there. Anyone who has a file's
 * address can fetch it, so the page may have it.
 *
 * @throws RATE_LIMITED, BackEndUnavailable
 */
export async function findPageFiles(
  context: Context,
  key: string,
  html: string,
): Promise<PageFiles> {
  const found: PageFiles = { replacements: [], inside: [], left: [] };
  const places = ownPlaces(context);
  if (!places.some((place) => html.includes(`${place}/`))) return found;
  const references = (await context.markdown.references(key, html, 'page', places)) ?? [];
  const present = references.map(({ path }) => presentAddress(path, context.formerAddresses));
  const named = references.map(({ form }, index) =>
    form === 'image' ? namedFile(context.renderUrl, present[index] as string) : undefined,
  );
  const pictures = await listPicturesAt(
    context.sql.read,
    named.flatMap((one) => one?.address ?? []),
  );
  let length = Buffer.byteLength(html);
  for (const [index, { path, start, end }] of references.entries()) {
    const wanted = named[index];
    const file = pictures.find(
      ({ address, name }) => address === wanted?.address && name === wanted.name,
    );
    const grown = file ? length + dataLength(file) - (end - start) : length;
    const fits = grown <= KINDS.page.contentLimitBytes;
    const moved = present[index] === path ? undefined : present[index];
    found.replacements.push(fits && file ? file : moved);
    if (file) (fits ? found.inside : found.left).push(path);
    if (fits) length = grown;
  }
  return found;
}

function namedFile(renderUrl: string, path: string): { address: string; name: string } | undefined {
  const place = `${renderUrl}/files/`;
  if (!path.startsWith(place)) return undefined;
  const [address = '', name = '', ...more] = path.slice(place.length).split('/');
  if (more.length > 0) return undefined;
  try {
    return { address, name: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

function dataLength({ contentType, sizeBytes }: PageFile): number {
  return `data:${contentType};base64,`.length + 4 * Math.ceil(sizeBytes / 3);
}
