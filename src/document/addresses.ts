import type { Visibility } from './access.ts';
import type { DocumentRef } from './document-ref.ts';
import { KINDS, type Kind } from './kind.ts';

interface Named {
  kind: Kind;
  ownerNamespace: string;
  name: string;
}

/** A document's web address; a page's works for every visibility. */
export function documentUrl(webUrl: string, { kind, ownerNamespace, name }: Named): string {
  const path = [ownerNamespace, ...KINDS[kind].webSegments, encodeURIComponent(name)];
  return `${webUrl}/${path.join('/')}`;
}

/**
 * A document's address in the app. It works for everyone who can read the document and is signed in,
 * and leads to the public address where there is one.
 */
export function appUrl(webUrl: string, document: Named): string {
  return documentUrl(`${webUrl}/read`, document);
}

/** Where whoever may read the document finds it: only a public brief has an address for all. */
export function readerUrl(webUrl: string, document: Named & { visibility: Visibility }): string {
  const isForAll = document.kind === 'page' || document.visibility === 'public';
  return isForAll ? documentUrl(webUrl, document) : appUrl(webUrl, document);
}

/** A page's raw address, which answers while the page is public. */
export function renderUrl(
  renderHost: string,
  { ownerNamespace, name }: Pick<Named, 'ownerNamespace' | 'name'>,
): string {
  return `${renderHost}/${ownerNamespace}/${encodeURIComponent(name)}`;
}

/** What the app does with a document at an address of its own: the first segment. */
export const DOCUMENT_ACTS = [
  'read',
  'raw',
  'edit',
  'share',
  'history',
  'rename',
  'delete',
] as const;

/**
 * Returns the document that an address of this service names: its public address with or without
 * `.md`, one of the app's, the API's, or a page's raw address. Query and fragment don't matter.
 *
 * @returns `undefined` for any other address; whether the document exists is not known here
 */
export function refOfAddress(
  places: { webUrl: string; baseUrl: string; renderUrl: string },
  address: string,
): DocumentRef | undefined {
  // First, because the API can be below the web host.
  const [segment, ...rest] = segmentsBelow(places.baseUrl, address) ?? [];
  if (segment !== undefined) {
    const kind = Object.values(KINDS).find((one) => one.segment === segment)?.kind;
    return kind && toRef(kind, rest);
  }

  const onWebHost = segmentsBelow(places.webUrl, address);
  if (onWebHost) return refOfPath(onWebHost);

  const onRenderHost = segmentsBelow(places.renderUrl, address);
  return onRenderHost && toRef('page', onRenderHost);
}

/** Returns the document that the segments of a path on the web host name. */
export function refOfPath(segments: readonly string[]): DocumentRef | undefined {
  const [first = ''] = segments;
  const isAct = (DOCUMENT_ACTS as readonly string[]).includes(first);
  const [owner = '', ...rest] = isAct ? segments.slice(1) : segments;
  const isPage = rest.length > 1 && rest[0] === KINDS.page.webSegments[0];
  return isPage ? toRef('page', [owner, ...rest.slice(1)]) : toRef('brief', [owner, ...rest]);
}

function toRef(kind: Kind, [owner, name, ...more]: readonly string[]): DocumentRef | undefined {
  if (!owner || !name || more.length > 0) return undefined;
  return { kind, owner, name: name.replace(/\.md$/i, '') };
}

/** The decoded segments of an address below a base; `undefined` when it is not below it. */
function segmentsBelow(base: string, address: string): string[] | undefined {
  const from = new URL(base);
  const to = URL.parse(address);
  const prefix = from.pathname.replace(/\/?$/, '/');
  if (to?.origin !== from.origin || !to.pathname.startsWith(prefix)) return undefined;
  try {
    return to.pathname.slice(prefix.length).replace(/\/$/, '').split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
