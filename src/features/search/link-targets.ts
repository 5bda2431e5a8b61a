import { addressOfWikilink, documentLink } from '../../base/markdown/document-links.ts';
import type { Reference } from '../../base/markdown/reference.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { lengthOf, MAX_TEXT_LENGTH, type Written } from '../../base/search/search-text.ts';
import type { Context } from '../../core/context.ts';
import { type Places, refOfAddress } from '../../core/document/addresses.ts';
import type { OwnedName } from '../../core/document/document-alias-store.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import { listOwnerIds } from '../../core/document/reference-store.ts';
import type { IndexableRow } from './search-store.ts';

/** The most documents that one links to, as far as they show it. */
const MAX_TARGETS = 1_000;

/**
 * Reads which documents a document links to; none if reading costs too much. Texts that can't link
 * to any aren't parsed.
 *
 * @throws RATE_LIMITED, BackEndUnavailable
 */
export async function readTargets(
  context: Context,
  { kind, ownerId, ownerNamespace }: IndexableRow,
  written: Written,
): Promise<OwnedName[]> {
  if (lengthOf(written) > 4 * MAX_TEXT_LENGTH) return [];
  const text = 'markdown' in written ? written.markdown : written.html;
  const own = [context.webUrl, ...context.formerAddresses.map(({ from }) => from)];
  const mayLink = kind === 'brief' ? /\[\[|\.md|\.html?|\]\(\/|:\s*\// : undefined;
  if (!mayLink?.test(text) && !own.some((url) => text.includes(`${url}/`))) return [];
  // Not the owner's key: people must not wait for the index.
  const references = await context.markdown.references('index', text, kind, own);
  const refs = (references ?? []).flatMap((reference) => {
    const ref = linkedName(context, kind, ownerNamespace, reference);
    return ref ?? [];
  });
  const others = new Set(
    refs.map(({ owner }) => owner).filter((owner) => owner !== ownerNamespace),
  );
  const ids = await listOwnerIds(context.sql.read, [...others].slice(0, MAX_TARGETS));
  ids.set(ownerNamespace, ownerId);
  const targets = new Map<string, OwnedName>();
  for (const { kind: to, owner, name } of refs) {
    const id = ids.get(owner);
    if (id !== undefined) targets.set(`${id} ${to} ${name}`, { ownerId: id, kind: to, name });
    if (targets.size === MAX_TARGETS) break;
  }
  return [...targets.values()];
}

/**
 * Returns the document that a reference in a text names: by a file's name, as a wikilink, or by an
 * address of this service.
 *
 * @param from the kind of the document with the reference: relative addresses in pages lead nowhere
 * @param owner the namespace of its owner
 */
function linkedName(
  places: Places,
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
