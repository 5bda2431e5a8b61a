import { ServiceError } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor } from '../context.ts';
import { parseNamespace } from '../owner/namespace.ts';
import { isShutOut } from '../owner/organization-store.ts';
import { closedToProgram } from '../owner/program-rule.ts';
import { closedOwnerOf } from '../owner/program-service.ts';
import { needsSecondFactor } from '../owner/second-factor-rule.ts';
import {
  type DocumentAction,
  decide,
  effectiveLevel,
  type Level,
  NOBODY,
  type Standing,
} from './access-rules.ts';
import { type AnyNameRow, findDocumentByAnyName } from './document-alias-store.ts';
import { requireSameDocument } from './document-input.ts';
import { DocumentMoved } from './document-moved.ts';
import { type DocumentRef, normaliseRef } from './document-ref.ts';
import {
  type DocumentRow,
  findDocument,
  findDocumentOfPerson,
  findDocumentWithContent,
  findTakenDown,
  type StoredDocument,
} from './document-store.ts';
import { documentEtag } from './entity-tag.ts';
import { findLink } from './link-store.ts';
import { TakenDown } from './taken-down.ts';

/** A document and the actor's level on it. */
export interface Seen<Row extends DocumentRow> {
  document: Row;
  level: Level;
  /** Strong entity tag (RFC 9110, section 8.8.3). */
  etag: string;
}

/**
 * Returns the document without its content, if the actor can do `action`.
 *
 * @throws DocumentMoved if it was renamed or moved and the actor can read it; NOT_FOUND if it is
 *   missing or the actor can't read it; FORBIDDEN; TakenDown for those who manage it; CONFLICT if it
 *   isn't the document that the actor's form was about
 */
export async function requireDocument(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  action: DocumentAction,
): Promise<Seen<DocumentRow>> {
  const found = await withLink(db, actor, await findDocument(db, normaliseRef(ref), actor.id));
  const row = found ?? (await findHidden(db, actor, ref));
  await refuseShutOut(db, actor, ref, action, decide(row, action));
  const seen = requireAction(see(row), ref, action);
  requireSameDocument(actor.documentId, seen.document);
  actor.found?.(seen.document.id, action);
  return seen;
}

/**
 * Returns the document with the content in its row, if the actor can read it.
 *
 * @throws DocumentMoved, NOT_FOUND, TakenDown; CONFLICT as {@link requireDocument}
 */
export async function requireDocumentWithContent(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
): Promise<Seen<StoredDocument>> {
  const found = await findDocumentWithContent(db, normaliseRef(ref), actor.id);
  const row = await withLink(db, actor, found);
  if (!row) return refuseHidden(db, actor, ref);
  await refuseShutOut(db, actor, ref, 'read', decide(row, 'read'));
  const seen = requireAction(see(row), ref, 'read');
  requireSameDocument(actor.documentId, seen.document);
  actor.found?.(seen.document.id, 'read');
  return seen;
}

/**
 * Looks for what has a name and isn't listed: a document that is taken down, and one that has the name
 * no longer. Every name that leads to nothing costs the same.
 *
 * @returns a document that is taken down, whoever the actor is
 * @throws DocumentMoved
 */
async function findHidden(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
): Promise<DocumentRow | undefined> {
  const takenDown = await findTakenDown(db, normaliseRef(ref), actor.id);
  await refuseMoved(db, actor, ref);
  return takenDown;
}

/** Refuses to read a name that no document has. @throws DocumentMoved, NOT_FOUND, TakenDown */
async function refuseHidden(db: Reader, actor: Actor, ref: DocumentRef): Promise<never> {
  const row = await findHidden(db, actor, ref);
  await refuseShutOut(db, actor, ref, 'read', decide(row, 'read'));
  requireAction(see(row), ref, 'read');
  throw new Error('A document that is taken down can be read.');
}

/**
 * Adds the access of the request's secret link, if it leads to this document. The caller has
 * checked that the link hasn't expired. Looks the link up again, so that a write fails if the link
 * has been revoked.
 */
async function withLink<Row extends DocumentRow>(
  db: Reader,
  { linkId }: Actor,
  row: Row | undefined,
): Promise<Row | undefined> {
  if (!row || linkId === undefined) return row;
  const link = await findLink(db, linkId);
  return link?.documentId === row.id ? { ...row, link: link.access } : row;
}

/**
 * Tells members why they can't do something with a document of an organization, if that is because
 * they lack the second factor that it requires, or the organization shuts their program out. The first
 * says the same whether or not there is the document.
 *
 * @throws FORBIDDEN
 */
async function refuseShutOut(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  action: DocumentAction,
  decision: ReturnType<typeof decide>,
): Promise<void> {
  if (decision === 'allow' || actor.id === NOBODY.id) return;
  const wanted = decision === 'not-found' ? 'read' : action;
  await refuseProgram(db, actor, ref, (row) => decide(row, wanted) === 'allow');
  const namespace = parseNamespace(ref.owner);
  if (namespace && (await isShutOut(db, namespace, actor.id))) throw needsSecondFactor(namespace);
}

/**
 * Tells a program why its person could do something with a document of an organization, but it can't.
 *
 * @param couldDo whether the person can
 * @throws FORBIDDEN
 */
export async function refuseProgram(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  couldDo: (row: DocumentRow) => boolean,
): Promise<void> {
  const namespace = parseNamespace(ref.owner);
  const closed = namespace && closedOwnerOf(actor, namespace);
  if (!closed || actor.reach) return;
  const row = await findDocumentOfPerson(db, normaliseRef(ref), actor.id);
  if (row && couldDo(row)) throw closedToProgram(closed, actor.via.means);
}

/**
 * Looks for the document that last had this name. The actor must be able to read it both now and
 * with the owner and the visibility that it had under that name. Otherwise the redirect would
 * reveal a name that the actor never saw. Someone who manages the document can know all its names.
 *
 * @throws DocumentMoved
 */
async function refuseMoved(db: Reader, actor: Actor, ref: DocumentRef): Promise<void> {
  const row = await findDocumentByAnyName(db, normaliseRef(ref), actor.id);
  if (decide(row, 'read') !== 'allow' || !row) return;
  if (decide(standingThen(row), 'read') !== 'allow' && effectiveLevel(row) !== 'admin') return;
  throw new DocumentMoved(ref, { owner: row.ownerNamespace, name: row.name });
}

/**
 * Returns the actor's standing towards a document at the time when it had the name that was looked
 * up.
 */
function standingThen(row: AnyNameRow): Standing {
  if (row.visibilityThen === null || row.ownerIdThen === null || row.ownerTypeThen === null) {
    return row;
  }
  return {
    ...row,
    ownerId: row.ownerIdThen,
    ownerType: row.ownerTypeThen,
    role: row.roleThen,
    visibility: row.visibilityThen,
  };
}

/** The error for a document that doesn't exist, and for one that the actor can't read. */
export function documentNotFound(kind: DocumentRef['kind']): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    `This ${kind} doesn’t exist, or you don’t have access to it.`,
  );
}

/** Each level as a phrase that follows "you can". */
const CAN = { none: 'read', read: 'read', write: 'edit', admin: 'edit' } as const;

/** Each action as a phrase that follows "but not". */
const DONE = {
  read: 'read it',
  editContent: 'edit it',
  rename: 'rename it',
  changeVisibility: 'change its visibility',
  delete: 'delete it',
  move: 'give it another owner',
  share: 'share it',
  pin: 'pin its revisions',
  eraseRevision: 'erase its revisions',
  label: 'change its labels',
  pinToTop: 'pin it to the top',
} as const satisfies Record<DocumentAction, string>;

/** Returns what the actor sees if `action` is allowed. @throws NOT_FOUND, FORBIDDEN, TakenDown */
export function requireAction<Row extends DocumentRow>(
  seen: Seen<Row> | undefined,
  ref: DocumentRef,
  action: DocumentAction,
): Seen<Row> {
  switch (decide(seen?.document, action)) {
    case 'allow':
      return seen as Seen<Row>;
    case 'forbidden':
      throw new ServiceError(
        'FORBIDDEN',
        `You can ${CAN[seen?.level ?? 'read']} this ${ref.kind}, but not ${DONE[action]}.`,
      );
    case 'taken-down':
      throw new TakenDown((seen as Seen<Row>).document);
    case 'not-found':
      throw documentNotFound(ref.kind);
  }
}

/** Adds the level and entity tag to a row. */
export function see<Row extends DocumentRow | undefined>(
  row: Row,
): Row extends DocumentRow ? Seen<Row> : undefined;
export function see(row: DocumentRow | undefined): Seen<DocumentRow> | undefined {
  if (!row) return undefined;
  const level = effectiveLevel(row);
  return { document: row, level, etag: documentEtag(row, level) };
}
