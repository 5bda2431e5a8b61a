import type { Visibility } from './access.ts';
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

/** Where whoever may read the document finds it: only a public brief has an address for all. */
export function readerUrl(webUrl: string, document: Named & { visibility: Visibility }): string {
  const isForAll = document.kind === 'page' || document.visibility === 'public';
  return documentUrl(isForAll ? webUrl : `${webUrl}/read`, document);
}

/** A page's raw address, which answers while the page is public. */
export function renderUrl(
  renderHost: string,
  { ownerNamespace, name }: Pick<Named, 'ownerNamespace' | 'name'>,
): string {
  return `${renderHost}/${ownerNamespace}/${encodeURIComponent(name)}`;
}
