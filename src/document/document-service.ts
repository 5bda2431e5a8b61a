import { randomInt } from 'node:crypto';
import { requireAccount } from '../account/account-service.ts';
import type { Actor, Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { requireOrganization } from '../organization/organization-service.ts';
import type { Reader } from '../storage/sql/sql.ts';
import {
  allowsVisibility,
  type DocumentAction,
  type OwnerType,
  type Visibility,
} from './access.ts';
import {
  requireAction,
  requireDocument,
  requireDocumentWithContent,
  type Seen,
} from './authorize.ts';
import { insertCollaborator } from './collaborator-store.ts';
import type { DocumentRef } from './document-ref.ts';
import {
  type DocumentChange,
  type DocumentRow,
  type DocumentWithContent,
  deleteDocument as deleteDocumentRow,
  insertDocument,
  isNameTaken,
  updateDocument as updateDocumentRow,
} from './document-store.ts';
import { KINDS, type Kind } from './kind.ts';
import { nameFromHeading, parseName } from './name.ts';

/** Who is to own a document: a user or an organization, by namespace. */
export interface OwnerRef {
  type: OwnerType;
  namespace: string;
}

/** What a caller gives to make or change a document. */
export interface DocumentInput {
  content?: string;
  name?: string;
  visibility?: Visibility;
}

/** Entity tags of the states that a write may replace; `*`: whatever state; absent: no condition. */
export type IfMatch = readonly string[] | '*' | undefined;

/** The permission that each field of an update needs (specification, part "Update body"). */
const ACTION_BY_FIELD = {
  content: 'editContent',
  name: 'rename',
  visibility: 'changeVisibility',
} as const satisfies Record<keyof DocumentInput, DocumentAction>;

/** The document whole. @throws NOT_FOUND when it is missing or the actor may not read it */
export async function getDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<Seen<DocumentWithContent>> {
  return requireDocumentWithContent(context.sql.read, actor, ref);
}

/**
 * The owner, if the actor may make documents there.
 *
 * @throws NOT_FOUND when there is no such owner, FORBIDDEN when the actor may not create there
 */
export async function requireCreatableOwner(
  db: Reader,
  actor: Actor,
  owner: OwnerRef,
): Promise<OwnerRef & { id: string }> {
  if (owner.type === 'user') {
    const account = await requireAccount(db, owner.namespace);
    if (account.id !== actor.id) {
      throw new ServiceError('FORBIDDEN', 'Only the user can create documents there.');
    }
    return { id: account.id, type: 'user', namespace: account.username };
  }
  const { id, namespace, role, membersCanCreate } = await requireOrganization(
    db,
    actor,
    owner.namespace,
  );
  if (role === null || (role === 'member' && !membersCanCreate)) {
    const who = role === null ? 'members' : 'admins';
    throw new ServiceError('FORBIDDEN', `Only ${who} of this organization can create documents.`);
  }
  return { id, type: 'organization', namespace };
}

/**
 * Makes a document. In an organization, whoever makes it becomes its admin collaborator.
 *
 * @throws NOT_FOUND, FORBIDDEN for the owner; BAD_REQUEST for the name or the visibility;
 *   CONTENT_TOO_LARGE; UNPROCESSABLE when the name is taken
 */
export async function createDocument(
  context: Context,
  actor: Actor,
  kind: Kind,
  owner: OwnerRef,
  input: DocumentInput & { content: string },
): Promise<Seen<DocumentWithContent>> {
  await requireCreatableOwner(context.sql.read, actor, owner);
  const visibility = input.visibility ?? 'public';
  requireVisibility(owner.type, visibility);
  const content = measure(kind, input.content);
  const name =
    input.name === undefined ? await generateName(context, input.content) : requireName(input.name);
  return context.sql.transaction(async (tx) => {
    // Asked again inside the transaction: the membership may have ended since.
    const {
      id: ownerId,
      type: ownerType,
      namespace,
    } = await requireCreatableOwner(tx, actor, owner);
    const id = context.newId();
    const now = context.now();
    const inserted = await insertDocument(tx, {
      id,
      kind,
      ownerId,
      ownerType,
      name,
      visibility,
      ...content,
      createdBy: actor.id,
      createdAt: now,
    });
    if (!inserted) throw nameTaken(kind, namespace, name);
    if (ownerType === 'organization') {
      await insertCollaborator(tx, {
        id: context.newId(),
        documentId: id,
        accountId: actor.id,
        permission: 'admin',
        addedAt: now,
      });
    }
    return requireDocumentWithContent(tx, actor, { kind, owner: namespace, name });
  });
}

/**
 * Changes the content, the name or the visibility of a document, all or nothing.
 *
 * @throws NOT_FOUND, FORBIDDEN; PRECONDITION_FAILED when the document is in none of the states
 *   that `ifMatch` names; BAD_REQUEST, CONTENT_TOO_LARGE, UNPROCESSABLE as for creation
 */
export async function updateDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
  ifMatch: IfMatch,
): Promise<Seen<DocumentWithContent>> {
  return context.sql.transaction(async (tx) => {
    const seen = await requireDocument(tx, actor, ref, 'read');
    for (const field of Object.keys(input) as (keyof DocumentInput)[]) {
      requireAction(seen, ref, ACTION_BY_FIELD[field]);
    }
    const change = readChange(seen.document, input);
    requireMatch(ifMatch, seen.etag);
    const { id, ownerId, kind, ownerNamespace } = seen.document;
    const { name } = change;
    if (name !== undefined && (await isNameTaken(tx, { ownerId, kind, name, exceptId: id }))) {
      throw nameTaken(kind, ownerNamespace, name);
    }
    await updateDocumentRow(tx, id, change, { actorId: actor.id, now: context.now() });
    return requireDocumentWithContent(tx, actor, { ...ref, name: name ?? ref.name });
  });
}

/**
 * Removes a document with its collaborators and invitations.
 *
 * @throws NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED
 */
export async function deleteDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  ifMatch: IfMatch,
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const { document, etag } = await requireDocument(tx, actor, ref, 'delete');
    requireMatch(ifMatch, etag);
    await deleteDocumentRow(tx, document.id);
  });
}

function readChange(document: DocumentRow, input: DocumentInput): DocumentChange {
  if (input.visibility !== undefined) requireVisibility(document.ownerType, input.visibility);
  return {
    ...(input.name !== undefined && { name: requireName(input.name) }),
    ...(input.visibility !== undefined && { visibility: input.visibility }),
    ...(input.content !== undefined && measure(document.kind, input.content)),
  };
}

function requireMatch(ifMatch: IfMatch, etag: string): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(etag)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'If-Match: the document has changed since you read it. Read it again, then decide.',
  );
}

function requireName(text: string): string {
  const parsed = parseName(text);
  if ('name' in parsed) return parsed.name;
  throw new ServiceError('BAD_REQUEST', `name: ${parsed.problem}.`);
}

async function generateName(context: Context, content: string): Promise<string> {
  const heading = await context.markdown.firstHeading(content);
  const name = heading === undefined ? undefined : nameFromHeading(heading);
  return (
    name ??
    `untitled-${randomInt(36 ** 6)
      .toString(36)
      .padStart(6, '0')}`
  );
}

function requireVisibility(ownerType: OwnerType, visibility: Visibility): void {
  if (allowsVisibility(ownerType, visibility)) return;
  throw new ServiceError(
    'BAD_REQUEST',
    'visibility: only documents of an organization can be internal.',
  );
}

/** @throws CONTENT_TOO_LARGE */
function measure(kind: Kind, content: string): { content: string; sizeBytes: number } {
  const sizeBytes = Buffer.byteLength(content);
  const { contentField, contentLimitBytes } = KINDS[kind];
  if (sizeBytes > contentLimitBytes) {
    throw new ServiceError(
      'CONTENT_TOO_LARGE',
      `${contentField}: is ${sizeBytes} bytes; at most ${contentLimitBytes} are allowed.`,
    );
  }
  return { content, sizeBytes };
}

function nameTaken(kind: Kind, owner: string, name: string): ServiceError {
  return new ServiceError('UNPROCESSABLE', `name: ${owner} has a ${kind} named "${name}" already.`);
}
