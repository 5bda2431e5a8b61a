import { type Context, callOf, later } from '../../core/context.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { revisionEvent } from '../../core/event/new-event.ts';
import {
  type ChangeRow,
  deleteLive,
  findLastOfSitting,
  listIdle,
  lockLive,
  updateLive,
} from '../../core/live/live-store.ts';
import { forgetText } from '../../core/live/live-texts.ts';
import { KEPT_MS, NOBODY_LEFT, saveTyped, type Typed } from '../../core/live/typed-service.ts';
import { insertThreadWriters } from '../../core/review/proposal-store.ts';
import { listCoWriters, listSittings, nameRevision } from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { proposeText } from '../proposals/proposal-service.ts';

/** How long changes may wait for a process that keeps the document's editors: longer than they wait there. */
const LEFT_BEHIND_MS = 6_000;

/** After this long without a change, a sitting has ended. */
const SITTING_MS = 5 * 60_000;

/** The most lists that one tidying looks at. */
const MAX_TIDIED = 100;

/**
 * Makes the changes that no revision has yet a revision by the people who made them. If they can't
 * be, as the document was protected meanwhile, they become a proposal.
 *
 * @returns whether the document has a new revision
 */
export async function checkpoint(context: Context, documentId: string): Promise<boolean> {
  const version = await saveTyped(context, documentId, (typed) => proposeInstead(context, typed));
  return version !== undefined;
}

/**
 * Says something about a sitting's last revision that has nothing said about it yet.
 *
 * @param accountId who says it: one of its writers
 * @returns whether there is such a revision
 */
export async function nameLast(
  context: Context,
  documentId: string,
  { accountId, message }: { accountId: string; message: string },
): Promise<boolean> {
  return context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    const last = live?.sittingId && (await findLastOfSitting(tx, documentId, live.sittingId));
    if (!last || last.version !== live.textVersion) return false;
    const { version } = last;
    const others = await listCoWriters(tx, documentId, { from: version, to: version });
    const isWriter =
      last.accountId === accountId || others.some((other) => other.accountId === accountId);
    return isWriter && nameRevision(tx, { documentId, version, message });
  });
}

/** Somebody else has kept or deleted the words meanwhile. */
class KeptMeanwhile extends Error {}

/**
 * Keeps what was written before the document was protected as a proposal, and ends the list, in one
 * transaction, so that of two processes one does.
 */
async function proposeInstead(
  context: Context,
  { row, document, mine, writers, changes, content }: Typed,
): Promise<void> {
  const { id, kind, ownerNamespace: owner, name } = document;
  const baseRevision = row.seenVersion;
  const end = async (tx: Writer) => {
    const live = await lockLive(tx, id);
    if (live?.listId !== row.listId || live.lastNumber !== mine.number) throw new KeptMeanwhile();
    await deleteLive(tx, row);
  };
  const [writer, ...others] = writers;
  const names = writers.map(({ username }) => `@${username}`).join(', ');
  const body = `Written by ${names} before this document was protected.`;
  const isGone = ({ clientId, accountId }: ChangeRow) => clientId !== '' && accountId === null;
  const coWriters = [...others.map((other) => other.id), ...(changes.some(isGone) ? [null] : [])];
  try {
    if (!writer || content === (await loadRevisionText(context, id, baseRevision))) {
      await context.sql.transaction(end);
    } else {
      const alongside = async (tx: Writer, threadId: string) => {
        await end(tx);
        await insertThreadWriters(tx, threadId, coWriters);
      };
      const given = { content, baseRevision, body, alongside };
      await proposeText(callOf(context, writer), { kind, owner, name }, given);
    }
  } catch (error) {
    if (!(error instanceof KeptMeanwhile)) throw error;
  }
  forgetText(context, id);
}

/** Ends a sitting: those who watch the document are told of it once, with its last revision. */
export async function endSitting(context: Context, documentId: string): Promise<void> {
  await checkpoint(context, documentId);
  const document = await findDocumentById(context.sql.read, documentId, '');
  if (!document) return;
  await context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    if (!live?.sittingId || live.unsavedSince !== null) return;
    const last = await findLastOfSitting(tx, documentId, live.sittingId);
    if (last?.accountId) {
      const via = { means: last.via ?? 'web', name: last.viaName };
      const writer = { ...NOBODY_LEFT, id: last.accountId, via };
      const { ownerId } = document;
      const { version, at } = last;
      const [sitting] = await listSittings(tx, documentId, [live.sittingId]);
      const firstVersion = sitting?.first ?? version;
      const write = { documentId, ownerId, version, firstVersion, changed: ['content'], at };
      await insertEvent(tx, revisionEvent(callOf(context, writer), write));
    }
    await updateLive(tx, { ...live, sittingId: null });
  });
  context.wakeFeed();
}

/**
 * Finishes what processes have left behind, ends sittings that are over, and deletes lists that
 * nobody needs any more.
 *
 * @param onFailure called for each document that can't be finished now
 */
export async function tidyLists(
  context: Context,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const now = context.now();
  const [left, over, old] = [LEFT_BEHIND_MS, SITTING_MS, KEPT_MS].map((ms) => later(now, -ms));
  const idle = { left: left ?? now, over: over ?? now, old: old ?? now };
  for (const row of await listIdle(context.sql.read, idle, MAX_TIDIED)) {
    try {
      if (row.unsavedSince !== null) await checkpoint(context, row.documentId);
      if (row.changedAt < idle.over) await endSitting(context, row.documentId);
      if (row.changedAt < idle.old) await deleteSaved(context, row.documentId);
    } catch (error) {
      onFailure(error);
    }
  }
}

/** Deletes a document's list, unless it has words that no revision has. */
export async function deleteSaved(context: Context, documentId: string): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    if (live?.unsavedSince === null) await deleteLive(tx, live);
  });
  forgetText(context, documentId);
}
