import type { DOCUMENT_ACTS } from '../../document/addresses.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { KINDS, type Kind } from '../../document/kind.ts';

/** What names a document in the app's addresses. */
export interface Addressed {
  kind: Kind;
  ownerNamespace: string;
  name: string;
}

/** What is done with a document at an address of its own: the first segment. */
export type DocumentAct = (typeof DOCUMENT_ACTS)[number];

/** `/edit/ada/plans`, `/edit/ada/pages/dice`: like the public address, after what is done there. */
export function documentPath(act: DocumentAct, document: Addressed): string {
  const { kind, ownerNamespace, name } = document;
  const path = [act, ownerNamespace, ...KINDS[kind].webSegments, name];
  return `/${path.map(encodeURIComponent).join('/')}`;
}

/** The same of a document that a request names, or of one of its revisions. */
export function pathOfRef(
  act: DocumentAct,
  { kind, owner, name }: DocumentRef,
  revision?: number,
): string {
  const path = documentPath(act, { kind, ownerNamespace: owner, name });
  return revision === undefined ? path : `${path}@${revision}`;
}

/** `/read/ada/plans@3`: a revision of a document, to read. */
export function revisionPath(document: Addressed, number: number): string {
  return `${documentPath('read', document)}@${number}`;
}

/** `/history/ada/plans?from=2&to=3`: how two revisions differ. */
export function comparePath(document: Addressed, from: number, to: number): string {
  return `${documentPath('history', document)}?from=${from}&to=${to}`;
}

/** Where a document of a kind is begun; in an organization with its namespace as `owner`. */
export function newDocumentPath(kind: Kind): string {
  return kind === 'brief' ? '/new' : `/new/${kind}`;
}

/** `/organizations/engines/members`; without a tab, its documents. */
export function organizationPath(
  namespace: string,
  tab?: 'members' | 'invitations' | 'settings',
): string {
  return `/organizations/${encodeURIComponent(namespace)}${tab === undefined ? '' : `/${tab}`}`;
}
