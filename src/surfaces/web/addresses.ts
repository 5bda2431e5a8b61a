import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import type { DOCUMENT_ACTS } from '../../core/document/addresses.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';

/** What identifies a document in the app's addresses. */
export interface Addressed {
  kind: Kind;
  ownerNamespace: string;
  name: string;
}

/** A document in the app, with its title for display. Forms say its id. */
export interface Titled extends Addressed {
  id: string;
  title: string | null;
}

/** An action on a document: the first segment of its address. */
export type DocumentAct = (typeof DOCUMENT_ACTS)[number];

/** Returns the action, then the public path: `/edit/ada/plans` or `/edit/ada/pages/dice`. */
export function documentPath(act: DocumentAct, document: Addressed): string {
  const { kind, ownerNamespace, name } = document;
  const path = [act, ownerNamespace, ...KINDS[kind].webSegments, name];
  return `/${path.map(encodeURIComponent).join('/')}`;
}

/** Returns where the other briefs of the owner are: `/read/ada/` for `/read/ada/plans`. */
export function siblingsPath(briefPath: string): string {
  return briefPath.slice(0, briefPath.lastIndexOf('/') + 1);
}

/** Returns the path of a document that a request names, or of one of its revisions. */
export function pathOfRef(
  act: DocumentAct,
  { kind, owner, name }: DocumentRef,
  revision?: number,
): string {
  const path = documentPath(act, { kind, ownerNamespace: owner, name });
  return revision === undefined ? path : `${path}@${revision}`;
}

/** Returns the path where a collaborator leaves a document. */
export function leavePath(document: Addressed): string {
  return `${documentPath('share', document)}/leave`;
}

/**
 * Returns the path of a screen that acts on a document, for a link beside the document's text: it
 * says which revision of which document is on the screen.
 */
export function pathWithShown(
  act: 'review' | 'share',
  document: Addressed & { id: string; version: number },
): string {
  const { id, version } = document;
  return `${documentPath(act, document)}?revision=${version}&document=${id}`;
}

/** Returns a path such as `/read/ada/plans@3`, which shows a revision. */
export function revisionPath(document: Addressed, number: number): string {
  return `${documentPath('read', document)}@${number}`;
}

/** Returns a path such as `/history/ada/plans?from=2&to=3`, which compares two revisions. */
export function comparePath(document: Addressed, from: number, to: number): string {
  return `${documentPath('history', document)}?from=${from}&to=${to}`;
}

/** Returns a path such as `/history/ada/plans#show=2-3`, which shows what has changed, rendered. */
export function shownPath(document: Addressed, from: number, to: number): string {
  return `${documentPath('history', document)}#show=${from}-${to}`;
}

/** Returns a path such as `/propose/ada/plans?thread=…`, which shows a proposal. */
export function proposalPath(document: Addressed, threadId: string): string {
  return `${documentPath('propose', document)}?thread=${threadId}`;
}

/** Returns the path of a person's page in the administration, or of an act there. */
export function personPath(username: string, act?: string): string {
  return `/admin/people/${username}${act ? `/${act}` : ''}`;
}

/** Returns the path of an organization's page in the administration, or of an act there. */
export function managedPath(namespace: string, act?: string): string {
  return `/admin/organizations/${namespace}${act ? `/${act}` : ''}`;
}

/** Returns the path of a user's or an organization's page in the administration. */
export function managedOwnerPath({ type, namespace }: OwnerName): string {
  return type === 'user' ? personPath(namespace) : managedPath(namespace);
}

/** A user or an organization. */
export interface OwnerName {
  type: OwnerType;
  namespace: string;
}

/** The audit trail, for administrators of the instance. */
export const AUDIT_PATH = '/admin/audit';

/** Returns the path of what the audit trail has about a user or an organization. */
export function auditPathOf({ type, namespace }: OwnerName): string {
  const field = type === 'user' ? 'person' : 'organization';
  return `${AUDIT_PATH}?${new URLSearchParams({ [field]: namespace })}`;
}

/** The limits of users and organizations, for administrators of the instance. */
export const QUOTAS_PATH = '/admin/quotas';

/** Returns the path of the limits of a user or an organization. */
export function quotasPathOf(namespace: string): string {
  return `${QUOTAS_PATH}/${namespace}`;
}

/** The documents that are taken down, for administrators of the instance. */
export const TAKEDOWNS_PATH = '/admin/takedowns';

/** The reports of documents, for administrators of the instance. */
export const REPORTS_PATH = '/admin/reports';

/** The invitations to sign up, for administrators of the instance. */
export const SIGN_UP_INVITATIONS_PATH = '/admin/invitations';

/** Returns the path where an administrator of the instance takes a document down. */
export function takeDownPath({ kind, ownerNamespace, name }: Addressed): string {
  const path = ['admin', 'take-down', ownerNamespace, ...KINDS[kind].webSegments, name];
  return `/${path.map(encodeURIComponent).join('/')}`;
}

/** The documents that the user can restore. */
export const TRASH_PATH = '/trash';

/** Returns the path that restores a document in the trash, or deletes it for good. */
export function trashPath(id: string, act: 'restore' | 'delete'): string {
  return `${TRASH_PATH}/${id}/${act}`;
}

export function newDocumentPath(kind: Kind): string {
  return kind === 'brief' ? '/new' : `/new/${kind}`;
}

/** Returns the path of the editor for a new brief with a template's text and owner. */
export function fromTemplatePath({
  ownerNamespace,
  name,
}: Pick<Addressed, 'ownerNamespace' | 'name'>): string {
  const query = new URLSearchParams({
    owner: ownerNamespace,
    template: `${ownerNamespace}/${name}`,
  });
  return `${newDocumentPath('brief')}?${query}`;
}

/** Returns a path such as `/organizations/engines/members`. The default tab is the documents. */
export function organizationPath(
  namespace: string,
  tab?: 'members' | 'invitations' | 'trash' | 'settings' | 'webhooks' | 'audit',
): string {
  return `/organizations/${encodeURIComponent(namespace)}${tab === undefined ? '' : `/${tab}`}`;
}
