import { addressOfWikilink, documentLink } from '../../base/markdown/document-links.ts';
import type { Reference } from '../../base/markdown/reference.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { refOfAddress } from './addresses.ts';
import { type DocumentRef, normaliseRef } from './document-ref.ts';

/**
 * Returns the document that a reference in a text names: by a file's name, as a wikilink, or by an
 * address of this service.
 *
 * @param from the kind of the document with the reference: relative addresses in pages lead nowhere
 * @param owner the namespace of its owner
 */
export function linkedName(
  places: { webUrl: string; baseUrl: string; renderUrl: string },
  from: Kind,
  owner: string,
  { form, path }: Reference,
): DocumentRef | undefined {
  if (form === 'image' || form === 'resource') return undefined;
  const ref = refOf();
  const normal = ref && normaliseRef(ref);
  return normal?.owner && normal.name ? normal : undefined;

  function refOf(): DocumentRef | undefined {
    if (path.startsWith('http') || path.startsWith('/')) {
      const url = path.startsWith('/') ? places.webUrl + encodeURI(path) : path;
      return refOfAddress(places, url);
    }
    if (from === 'page') return undefined;
    const isWiki = form === 'wikilink' || form === 'embed';
    const address = isWiki
      ? (addressOfWikilink({ target: path, heading: undefined }) ?? '')
      : encodeURI(path);
    const link = documentLink(address);
    return link && { kind: link.kind, owner: link.owner ?? owner, name: link.name };
  }
}
