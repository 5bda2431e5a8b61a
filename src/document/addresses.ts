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

/** A page's raw address, which answers while the page is public. */
export function renderUrl(
  renderHost: string,
  { ownerNamespace, name }: Pick<Named, 'ownerNamespace' | 'name'>,
): string {
  return `${renderHost}/${ownerNamespace}/${encodeURIComponent(name)}`;
}
