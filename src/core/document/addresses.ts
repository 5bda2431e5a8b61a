import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { type FormerAddress, presentAddress } from '../../base/text/former-address.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import type { DocumentRef } from './document-ref.ts';

/** A document, or one of its revisions. */
export type RevisionRef = DocumentRef & { revision?: number };

interface Named {
  kind: Kind;
  ownerNamespace: string;
  name: string;
}

/** Returns a document's URL. The URL of a page works whatever its visibility. */
export function documentUrl(webUrl: string, { kind, ownerNamespace, name }: Named): string {
  const path = [ownerNamespace, ...KINDS[kind].webSegments, encodeURIComponent(name)];
  return `${webUrl}/${path.join('/')}`;
}

/**
 * Returns a document's URL in the app. It works for every signed-in reader. It redirects other
 * visitors to the public URL if there is one, otherwise to the sign-in screen.
 */
export function appUrl(webUrl: string, document: Named): string {
  return documentUrl(`${webUrl}/read`, document);
}

/** Returns the URL for all readers of the document: a brief that isn't public opens in the app. */
export function readerUrl(webUrl: string, document: Named & { visibility: Visibility }): string {
  const isForAll = document.kind === 'page' || document.visibility === 'public';
  return isForAll ? documentUrl(webUrl, document) : appUrl(webUrl, document);
}

/** Returns a page's raw URL, which works while the page is public. */
export function renderUrl(
  renderHost: string,
  { ownerNamespace, name }: Pick<Named, 'ownerNamespace' | 'name'>,
): string {
  return `${renderHost}/${ownerNamespace}/${encodeURIComponent(name)}`;
}

/** First path segments of the app's views of a document. */
export const DOCUMENT_ACTS = [
  'read',
  'raw',
  'edit',
  'live',
  'comments',
  'propose',
  'share',
  'history',
  'report',
  'review',
  'notifications',
  'labels',
  'pin',
  'rename',
  'move',
  'delete',
] as const;

/** Where the service is and was. */
export interface Places {
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  formerAddresses: readonly FormerAddress[];
}

/**
 * Parses a URL of this service that names a document or one of its revisions: a public one (with or
 * without `.md`), one of the app's or the API's, or a page's raw one. Ignores query and fragment.
 *
 * @returns `undefined` for any other URL; doesn't check that the document exists
 */
export function refOfAddress(places: Places, written: string): RevisionRef | undefined {
  const address = presentAddress(written, places.formerAddresses);
  // The API first, because it can be below the web host.
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

/** Returns the document or revision named by a path on the web host. */
export function refOfPath(segments: readonly string[]): RevisionRef | undefined {
  const [first = ''] = segments;
  const isAct = (DOCUMENT_ACTS as readonly string[]).includes(first);
  const [owner = '', ...rest] = isAct ? segments.slice(1) : segments;
  const isPage = rest.length > 1 && rest[0] === KINDS.page.webSegments[0];
  return isPage ? toRef('page', [owner, ...rest.slice(1)]) : toRef('brief', [owner, ...rest]);
}

function toRef(kind: Kind, [owner, name, ...more]: readonly string[]): RevisionRef | undefined {
  if (!owner || !name || more.length > 0) return undefined;
  const stem = name.replace(/\.md$/i, '');
  const revision = parseRevisionName(stem);
  return revision
    ? { kind, owner, name: revision.name, revision: revision.number }
    : { kind, owner, name: stem };
}

/** Returns the decoded path segments below a base URL; `undefined` if the URL is elsewhere. */
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
