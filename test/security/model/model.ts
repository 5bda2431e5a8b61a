import type { Kind } from '../../../src/base/schema/kind.ts';
import { type Caller, type Rank, rankOf } from '../../rest/access-model.ts';
import type { Permission, Role, Visibility } from '../../rest/scenario.ts';

// The rules of the specification and decisions.md about users, organizations, invitations and
// documents, as plain data, with which the service is compared. It shares no code with the service.

/** A pending invitation. */
export interface Invitation<Gives> {
  id: string;
  gives: Gives;
  /** A username. */
  by: string;
  /** In milliseconds of the model's time. */
  madeAt: number;
}

export interface DocumentState {
  id: string;
  kind: Kind;
  /** A namespace. */
  owner: string;
  name: string;
  visibility: Visibility;
  text: string;
  /** A username, while the account exists. */
  madeBy: string | undefined;
  /** The number of writes. */
  version: number;
  collaborators: Map<string, Permission>;
  /** By invited user. */
  invitations: Map<string, Invitation<Permission>>;
  /** Active secret links, by id. */
  links: Map<string, { by: string; expiresAt: number | undefined; access: 'read' | 'comment' }>;
  comments: CommentSetting;
  /** In the order of creation. */
  threads: { id: string; by: string | undefined }[];
  /** How many threads there were when readers who aren't insiders were last let in. */
  hiddenThreads: number;
  /** The version that last changed the visibility. */
  visibleSince: number;
}

export type CommentSetting = 'insiders' | 'readers' | 'off';

export interface OrganizationState {
  namespace: string;
  members: Map<string, Role>;
  /** By invited user. */
  invitations: Map<string, Invitation<Role>>;
  membersCanCreate: boolean;
  defaultBriefPermission: 'none' | 'read' | 'write';
}

/** A deleted document. */
export interface TrashedState {
  document: DocumentState;
  /** In milliseconds of the model's time. */
  deletedAt: number;
}

/** Identifies a document. */
export type Reference = Pick<DocumentState, 'kind' | 'owner' | 'name'>;

export interface Model {
  /** Milliseconds since the model began. */
  now: number;
  users: Set<string>;
  /** When namespaces were released, in the same time as `now`. */
  released: Map<string, number>;
  organizations: Map<string, OrganizationState>;
  /** In the order of creation. */
  documents: DocumentState[];
  trash: TrashedState[];
}

const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60_000;

export function newModel(): Model {
  return {
    now: 0,
    users: new Set(),
    released: new Map(),
    organizations: new Map(),
    documents: [],
    trash: [],
  };
}

const TRASH_MS = 30 * 24 * 60 * 60_000;

/** Documents that can still be restored. */
export function restorable({ trash, now }: Model): DocumentState[] {
  return trash.filter(({ deletedAt }) => now < deletedAt + TRASH_MS).map((each) => each.document);
}

/** Documents, including deleted ones. */
function allDocuments({ documents, trash }: Model): DocumentState[] {
  return [...documents, ...trash.map(({ document }) => document)];
}

const RESERVED_MS = 90 * 24 * 60 * 60_000;

/** Whether a user or organization has a namespace. */
export function isTaken({ users, organizations }: Model, namespace: string): boolean {
  return users.has(namespace) || organizations.has(namespace);
}

/** Whether a namespace is still reserved after its last owner was deleted. */
export function isReserved({ released, now }: Model, namespace: string): boolean {
  const at = released.get(namespace);
  return at !== undefined && now < at + RESERVED_MS;
}

/** Whether a secret link works: neither it nor its document has ended. */
export function isOpen({ documents, now }: Model, document: DocumentState, id: string): boolean {
  const link = document.links.get(id);
  if (!link || !documents.includes(document)) return false;
  return link.expiresAt === undefined || now < link.expiresAt;
}

export function isExpired({ now }: Model, { madeAt }: Invitation<unknown>): boolean {
  return now - madeAt >= INVITATION_LIFETIME_MS;
}

export function findDocument(model: Model, { kind, owner, name }: Reference) {
  return model.documents.find(
    (document) => document.kind === kind && document.owner === owner && document.name === name,
  );
}

/** The standing of a user, or of no one, towards a document. */
export function callerOf(model: Model, username: string | undefined, document: DocumentState) {
  const caller: Caller = {};
  if (username === undefined) return caller;
  const role = model.organizations.get(document.owner)?.members.get(username);
  const collaborates = document.collaborators.get(username);
  const invited = document.invitations.get(username)?.gives;
  if (document.owner === username) caller.owns = true;
  if (role) caller.role = role;
  if (collaborates) caller.collaborates = collaborates;
  if (invited) caller.invited = invited;
  return caller;
}

/** The level of a user on a document. */
export function rank(model: Model, username: string, document: DocumentState): Rank {
  const { visibility, owner } = document;
  const organization = model.organizations.get(owner);
  return rankOf(callerOf(model, username, document), {
    visibility,
    ...(organization && { defaultBriefPermission: organization.defaultBriefPermission }),
  });
}

/** Whether a user can read the document for another reason than its visibility to everyone. */
export function isInsider(model: Model, username: string, document: DocumentState): boolean {
  const { owns, role, collaborates } = callerOf(model, username, document);
  if (owns || role === 'admin' || collaborates) return true;
  return role === 'member' && document.visibility !== 'private';
}

/** The ids of the threads that a reader sees; `undefined` if they see no comments. */
export function threadsFor(
  model: Model,
  username: string,
  document: DocumentState,
): string[] | undefined {
  const { threads, comments, hiddenThreads } = document;
  const all = isInsider(model, username, document);
  if (!all && comments !== 'readers') return undefined;
  return threads
    .filter(({ by }, index) => all || by === username || index >= hiddenThreads)
    .map(({ id }) => id);
}

/** Hides the existing threads from new readers. */
export function hideThreads(document: DocumentState): void {
  document.hiddenThreads = document.threads.length;
}

export function isLastAdmin({ members }: OrganizationState, username: string): boolean {
  const admins = [...members].filter(([, role]) => role === 'admin');
  return admins.length === 1 && admins[0]?.[0] === username;
}

/**
 * Ends the invitations and secret links of those who can no longer make them. Applies after every
 * action, whatever it was.
 */
export function endOffers(model: Model): void {
  const endAll = (offers: Map<string, { by: string }>, mayMake: (by: string) => boolean) => {
    for (const [key, { by }] of offers) if (!mayMake(by)) offers.delete(key);
  };
  for (const document of model.documents) {
    const mayShare = (by: string) => rank(model, by, document) === 3;
    endAll(document.invitations, mayShare);
    endAll(document.links, mayShare);
  }
  for (const { members, invitations } of model.organizations.values()) {
    endAll(invitations, (by) => members.get(by) === 'admin');
  }
}

/** Deletes an organization with everything in it. */
export function removeOrganization(model: Model, namespace: string): void {
  model.organizations.delete(namespace);
  model.released.set(namespace, model.now);
  removeDocumentsOf(model, namespace);
}

/** Ends a membership, and the person's access to the organization's documents. */
export function endMembership(
  model: Model,
  { namespace, members }: OrganizationState,
  username: string,
): void {
  members.delete(username);
  for (const document of allDocuments(model)) {
    if (document.owner !== namespace) continue;
    document.collaborators.delete(username);
    document.invitations.delete(username);
  }
}

/** Deletes a user with everything they own, and removes them from others' things. */
export function removeUser(model: Model, username: string): void {
  model.users.delete(username);
  model.released.set(username, model.now);
  removeDocumentsOf(model, username);
  for (const document of allDocuments(model)) {
    document.collaborators.delete(username);
    document.invitations.delete(username);
    if (document.madeBy === username) document.madeBy = undefined;
    for (const thread of document.threads) if (thread.by === username) thread.by = undefined;
  }
  for (const { members, invitations } of model.organizations.values()) {
    members.delete(username);
    invitations.delete(username);
  }
}

function removeDocumentsOf(model: Model, owner: string): void {
  model.documents = model.documents.filter((document) => document.owner !== owner);
  model.trash = model.trash.filter(({ document }) => document.owner !== owner);
}
