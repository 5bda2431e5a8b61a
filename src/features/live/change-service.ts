import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Means } from '../../base/schema/means.ts';
import type { Actor, Call } from '../../core/context.ts';
import { requireAction, type Seen, see } from '../../core/document/authorize.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import {
  type ChangeRow,
  countTaken,
  findLive,
  findNumberOf,
  findTaken,
  insertChange,
  insertLive,
  type LiveRow,
  listChanges,
  lockLive,
  measureChanges,
  updateLive,
} from '../../core/live/live-store.ts';
import {
  applied,
  isOverwritten,
  type LiveText,
  readChanges,
  rebase,
  requireFitting,
  type SentChange,
  storedChanges,
} from '../../core/live/live-text.ts';
import { keepText, keptText, loadLiveText } from '../../core/live/live-texts.ts';
import { isFollowed } from '../../core/live/typed-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireStorage } from '../../core/quota/quota-service.ts';
import { isProtected } from '../../core/review/protection-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { checkpoint, deleteSaved } from './checkpoint-service.ts';

/** The most changes that an editor can send at once. */
export const MAX_CHANGES = 500;

/** How much may wait to become a revision. Nobody writes as much before the next one. */
const MAX_UNSAVED = { count: 20_000, bytes: 8 * 1024 * 1024 };

/**
 * How much an editor can have missed. More is not read, and the editor gets the whole text. `product`
 * is that of the missed bytes and the places of changes that are moved over them.
 */
const MAX_MISSED = { count: 20_000, bytes: 8 * 1024 * 1024, product: 10_000_000 };

/** How long to wait for the next revision, in seconds. */
const SAVE_S = 30;

/** So few changes need no measuring. */
const FEW_CHANGES = 3;

/** A change of a list, with who made it. */
export interface AuthoredChange extends SentChange {
  /** A username; `null` if the account is gone. */
  author: string | null;
  via: Means | null;
  viaName: string | null;
}

/** What an editor needs to go along with a document's list of changes. */
export interface Joined {
  list: string;
  /** The number that `changes` come after, or of the text. */
  number: number;
  changes: AuthoredChange[];
  /** Only if the list doesn't reach back to what the editor has. */
  text?: string;
  /** With `text`: how many changes of this editor are in it, in all that it has ever sent. */
  taken?: number;
}

/** What an editor has: a number of a list, or a revision. */
export interface Known {
  list?: string | undefined;
  number?: number | undefined;
  version?: number | undefined;
}

/**
 * Finds a document that the actor can edit directly.
 *
 * @throws NOT_FOUND, FORBIDDEN; UNPROCESSABLE if changes need an approval
 */
export async function requireLive(
  db: Reader,
  actor: Actor,
  documentId: string,
): Promise<Seen<DocumentRow>> {
  const row = await findDocumentById(db, documentId, actor.id);
  const ref = { kind: row?.kind ?? 'brief', owner: '', name: '' } as const;
  const seen = requireAction(see(row as DocumentRow), ref, 'editContent');
  const { ownerId, visibility } = seen.document;
  if (visibility === 'public' && (await isProtected(db, { documentId, ownerId }))) {
    throw new ServiceError('UNPROCESSABLE', 'This document is protected. Propose the change.');
  }
  return seen;
}

/**
 * Begins to edit a document, or comes back to it.
 *
 * @param client the editor's id
 * @throws errors of {@link requireLive}
 */
export async function joinList(
  call: Call,
  documentId: string,
  client: string,
  known: Known,
): Promise<Joined> {
  const { document } = await requireLive(call.sql.read, call.actor, documentId);
  let list = await findLive(call.sql.read, documentId);
  if (list && !(await isFollowed(call.sql.read, list, document))) {
    // It missed a write while the document was protected. What it has alone becomes a proposal.
    await checkpoint(call, documentId);
    await deleteSaved(call, documentId);
    list = undefined;
  }
  if (!list) {
    // Under the lock of writes: one that came between would be missing in the list.
    await changeOwned(call, document.ownerNamespace, async (tx) => {
      const current = await findDocumentById(tx, documentId, call.actor.id);
      if (!current) return;
      const { version } = current;
      await insertLive(tx, { documentId, listId: call.newId(), version, at: call.now() });
    });
  }
  const text = await loadLiveText(call, documentId);
  const row = await findLive(call.sql.read, documentId);
  if (!text || !row) throw new ServiceError('NOT_FOUND', 'This document was deleted.');
  const from = await numberOf(call.sql.read, row, known);
  const changes = from !== undefined && (await listMissed(call.sql.read, row, from));
  if (from !== undefined && changes) {
    return { list: row.listId, number: from, changes: changes.map(authored) };
  }
  return {
    list: row.listId,
    number: text.number,
    changes: [],
    text: text.text.toString(),
    taken: await findTaken(call.sql.read, documentId, client),
  };
}

/**
 * Lists all changes after a number.
 *
 * @param moved how many places of changes are to be moved over them
 * @returns `undefined` if some are no longer there, or they are too many
 */
export async function listMissed(
  db: Reader,
  { documentId, lastNumber }: LiveRow,
  number: number,
  moved = 1,
): Promise<readonly ChangeRow[] | undefined> {
  if (lastNumber - number > FEW_CHANGES) {
    const { count, bytes } = await measureChanges(db, documentId, number);
    if (count > MAX_MISSED.count || bytes > MAX_MISSED.bytes) return undefined;
    if (bytes * moved > MAX_MISSED.product) return undefined;
  }
  const changes = await listChanges(db, documentId, number);
  const isWhole = number === lastNumber || changes[0]?.number === number + 1;
  return isWhole ? changes : undefined;
}

/** Returns the number of what an editor has; `undefined` if the list doesn't know. */
async function numberOf(
  db: Reader,
  row: LiveRow,
  { list, number, version }: Known,
): Promise<number | undefined> {
  if (list === row.listId && number !== undefined && number <= row.lastNumber) return number;
  if (list !== undefined || version === undefined) return undefined;
  if (version === row.textVersion) return row.textNumber;
  return findNumberOf(db, row.documentId, version);
}

export function authored(row: ChangeRow): AuthoredChange {
  const { clientId, author, via, viaName, changes, replaces } = row;
  const sent = { clientId, author, via, viaName, changes: JSON.parse(changes) };
  return replaces ? { ...sent, replaces: true } : sent;
}

/** Refuses more changes while too many wait to become a revision. @throws RATE_LIMITED */
async function requireSaved(
  db: Reader,
  { documentId, lastNumber, textNumber }: LiveRow,
): Promise<void> {
  if (lastNumber - textNumber <= FEW_CHANGES) return;
  const { count, bytes } = await measureChanges(db, documentId, textNumber);
  if (count <= MAX_UNSAVED.count && bytes <= MAX_UNSAVED.bytes) return;
  throw new ServiceError('RATE_LIMITED', 'Too many changes are not saved yet.', SAVE_S);
}

/** The list is another one than the editor knows, or no longer has what the editor hasn't seen. */
export class ListLost extends Error {}

/** A program has changed the same places, so the editor has to merge its changes first. */
export class Overwritten extends ServiceError {
  constructor() {
    super('CONFLICT', 'The text has changed here. Take the changes, then send yours again.');
  }
}

const placesOf = (sent: readonly SentChange[]) =>
  sent.reduce((sum, { changes }) => sum + (changes as unknown[]).length, 0);

/**
 * Adds an editor's changes to a document's list.
 *
 * @param push.seen the number of the last change that the editor has
 * @returns the number of the last change now
 * @throws errors of {@link requireLive}; ListLost; Overwritten; BAD_REQUEST; CONTENT_TOO_LARGE
 */
export async function pushChanges(
  call: Call,
  documentId: string,
  push: { list: string; seen: number; changes: readonly SentChange[] },
): Promise<number> {
  const { actor } = call;
  const sent = readChanges(push.changes);
  if (sent.length > MAX_CHANGES) {
    throw new FieldError('BAD_REQUEST', 'changes', `must be at most ${MAX_CHANGES}.`);
  }
  // Editors take changes with their own id as what they sent themselves.
  if (sent.some(({ clientID }) => !clientID.startsWith(`${actor.id}/`))) {
    throw new FieldError('BAD_REQUEST', 'clientId', 'must begin with the id of the account.');
  }
  const known = keptText(call, { documentId, listId: push.list });
  if (!known && !(await loadLiveText(call, documentId))) throw new ListLost();
  const exclusive = {
    key: `live:${documentId}`,
    lock: (tx: Parameters<typeof lockLive>[0]) => lockLive(tx, documentId),
  };
  const text = await call.sql.transaction<LiveText>(
    async (tx) => {
      const [{ document }, row] = await Promise.all([
        requireLive(tx, actor, documentId),
        lockLive(tx, documentId),
      ]);
      if (!row || row.listId !== push.list || push.seen > row.lastNumber) throw new ListLost();
      const before = keptText(call, row);
      // Another process can have begun the list anew since.
      if (!before) throw new ListLost();
      const from = Math.min(push.seen, before.number);
      const since = await listMissed(tx, row, from, placesOf(push.changes));
      if (since?.length !== row.lastNumber - from) throw new ListLost();
      await requireSaved(tx, row);
      await requireStorage(call, tx, document.ownerId);
      const changes = since.map(({ number, clientId, changes }) => ({
        number,
        clientID: clientId,
        changes: storedChanges(changes),
      }));
      const current = applied(
        before,
        changes.filter(({ number }) => number > before.number).map(({ changes }) => changes),
      );
      const missed = changes.filter(({ number }) => number > push.seen);
      if (isOverwritten(sent, missed)) throw new Overwritten();
      const added = rebase(sent, missed, missed[0]?.changes.length ?? current.text.length);
      if (added.length === 0) return current;
      const after = applied(
        current,
        added.map(({ changes }) => changes),
      );
      requireFitting(current, after, document.kind);
      const at = call.now();
      const { means: via, name: viaName } = actor.via;
      const taken = new Map<string, number>();
      for (const [index, { clientID: clientId, changes }] of added.entries()) {
        const number = row.lastNumber + index + 1;
        const by = { documentId, number, clientId, accountId: actor.id, via, viaName, at };
        const asSent = push.changes[sent.length - added.length + index];
        const replaces = Number(asSent?.replaces === true);
        await insertChange(tx, { ...by, changes: JSON.stringify(changes), replaces });
        taken.set(clientId, (taken.get(clientId) ?? 0) + 1);
      }
      for (const [clientId, count] of taken) {
        await countTaken(tx, { documentId, clientId, accountId: actor.id, taken: count, at });
      }
      await updateLive(tx, {
        ...row,
        lastNumber: after.number,
        unsavedSince: row.unsavedSince ?? at,
        sittingId: row.sittingId ?? call.newId(),
        changedAt: at,
      });
      return after;
    },
    { exclusive },
  );
  keepText(call, documentId, text);
  return text.number;
}
