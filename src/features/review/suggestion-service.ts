import { ConflictError, FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { editDocument } from '../../core/document/retried-edit-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { carryThreads, requirePlaced } from '../../core/review/anchor-service.ts';
import { listThreadWriters } from '../../core/review/proposal-store.ts';
import { seenByAccepting, writersOf } from '../../core/review/review.ts';
import { type Reviewed, requireCloser, requireReview } from '../../core/review/review-authorize.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { listTextWrites } from '../../core/review/review-store.ts';
import { requireExpected, requireShown, type Shown } from '../../core/review/shown-service.ts';
import { sightOf } from '../../core/review/sight.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import type { ThreadKind } from '../../core/review/thread.ts';
import { findThreads, type ThreadRow } from '../../core/review/thread-store.ts';
import { insertWrittenSpans } from '../../core/revision/written-span-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { acceptedWords } from './accepted-words-service.ts';
import { asRead, mergeProposals } from './proposal-merge-service.ts';
import { refit } from './quote-service.ts';
import { type Closing, closeThread } from './thread-change-service.ts';

/**
 * Accepts suggestions: replaces their passages and merges proposals, as one revision.
 *
 * @param shown what the actor saw
 * @throws NOT_FOUND; FORBIDDEN unless the actor can edit the text; BAD_REQUEST if a token or an
 *   application doesn't say what it saw; UNPROCESSABLE for a thread that
 *   is not an open suggestion, and for one's own in a protected public document that needs two people;
 *   CONFLICT if something else was shown, a passage has changed, two suggestions overlap, or a
 *   proposal changes lines that have changed since; errors of {@link requirePlaced}
 */
export async function acceptSuggestions(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  threadIds: readonly string[],
  { message, ...shown }: Shown & { message?: string | undefined } = {},
): Promise<WholeDocument> {
  const { sight } = await requireReview(context.sql.read, actor, ref, 'accept');
  requireCondition(actor, shown);
  return editDocument(
    context,
    actor,
    ref,
    async (current) => {
      const { document, text } = current;
      const found = await requireSuggestions(context.sql.read, { document, sight }, threadIds);
      const threads = await carryThreads(context, actor, document, found);
      requirePlaced(threads, 'Nothing was accepted.');
      const read = await requireAsRead(context, actor, document, threads, shown);
      const expected = read.map(digestOf);
      const ofKind = (kind: ThreadKind) => threads.filter((thread) => thread.kind === kind);
      const suggested = ofKind('replacement');
      requireUnchanged(text, suggested, document.version);
      const replacements = await refitAll(context, actor, current, suggested);
      const merging = { ...current, text: replaceAll(text, replacements) };
      const merged = await mergeProposals(context, actor, merging, ofKind('proposal'));
      const { content, proposals } = merged;
      const written = await acceptedWords(context, actor, text, { replacements, proposals });
      const placed = Math.min(...found.map(({ madeVersion }) => madeVersion));
      const since = await listTextWrites(context.sql.read, document.id, placed);
      const ids = found.map(({ id }) => id);
      const others = await listThreadWriters(context.sql.read, ids);
      return {
        input: { content },
        note: {
          message: message ?? messageOf(threads),
          shown: shown.revision,
          accepts: {
            authors: [...found.flatMap(writersOf), ...others],
            seenBy: seenByAccepting(found, actor, since),
          },
          alongside: async (tx, after) => {
            // Someone can have moved one since it was read.
            const now = await requireSuggestions(tx, { document, sight }, threadIds);
            requireExpected(after, placedAs(read, now), { ...shown, expected });
            // If nothing changes, no revision is theirs: `isFresh` trusts that it only accepts them.
            const { id: documentId, version } = after;
            const closedVersion = version === document.version ? null : version;
            if (closedVersion !== null) {
              await insertWrittenSpans(tx, { documentId, version }, written);
            }
            return closeAll(context, tx, actor, after, now, { state: 'accepted', closedVersion });
          },
        },
      };
    },
    undefined,
  );
}

/**
 * Rejects suggestions.
 *
 * @param shown what the actor saw
 * @throws NOT_FOUND; FORBIDDEN unless the actor wrote the suggestions or can edit the text;
 *   BAD_REQUEST if a token or an application doesn't say what it saw;
 *   UNPROCESSABLE for a thread that is not an open suggestion; CONFLICT if something else was
 *   shown; errors of {@link requirePlaced}
 */
export async function rejectSuggestions(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  threadIds: readonly string[],
  shown: Shown = {},
): Promise<void> {
  const seen = await requireReview(context.sql.read, actor, ref, 'see');
  requireCondition(actor, shown);
  const found = await requireSuggestions(context.sql.read, seen, threadIds);
  const placed = await carryThreads(context, actor, seen.document, found);
  if (shown.expected) requirePlaced(placed, 'Nothing was rejected.');
  const read = await requireAsRead(context, actor, seen.document, placed, shown);
  await changeOwned(context, ref.owner, async (tx) => {
    const now = await requireReview(tx, actor, ref, 'see');
    const { document, comments } = now;
    const threads = await requireSuggestions(tx, now, threadIds);
    await requireShown(tx, document, shown.revision ?? seen.document.version);
    requireExpected(document, placedAs(read, threads), shown);
    for (const thread of threads) requireCloser(actor, document, comments, thread);
    const to = { state: 'rejected', closedVersion: document.version } as const;
    await closeAll(context, tx, actor, document, threads, to);
  });
  context.wakeFeed();
}

/**
 * Requires that whoever isn't a person in the web app, whose forms always do, says what it saw.
 *
 * @throws BAD_REQUEST
 */
function requireCondition({ via }: Actor, { revision, expected }: Shown): void {
  if (via.means === 'web' || revision !== undefined || expected !== undefined) return;
  const problem = 'is needed: the `digest` of each thread as you read it. Or send `revision`.';
  throw new FieldError('BAD_REQUEST', 'expected', problem);
}

/**
 * Requires that suggestions are as they were shown, and where.
 *
 * @returns them as they were shown
 * @throws errors of {@link requireExpected}
 */
async function requireAsRead(
  context: Context,
  actor: Actor,
  document: DocumentRow,
  threads: readonly ThreadRow[],
  shown: Shown,
): Promise<ThreadRow[]> {
  const read: ThreadRow[] = [];
  for (const [index, thread] of threads.entries()) {
    read.push(await asRead(context, actor, document, thread, shown.expected?.[index] ?? ''));
  }
  requireExpected(document, read, shown);
  return read;
}

/** Returns threads as they are now, in the places that they were read in. */
function placedAs(read: readonly ThreadRow[], now: readonly ThreadRow[]): ThreadRow[] {
  return now.map((thread, index) => {
    const { atVersion, atAround } = read[index] as ThreadRow;
    return { ...thread, atVersion, atAround };
  });
}

/**
 * Prepares to resolve the threads that a write answers, in the write's transaction.
 *
 * @returns `WriteNote.alongside` for the write; `undefined` if there are no threads. The function
 *   throws FORBIDDEN unless the actor opened each thread or can edit the text, and UNPROCESSABLE if
 *   a thread is missing.
 */
export function resolving(
  context: Context,
  actor: Actor,
  threadIds: readonly string[] | undefined,
): ((tx: Writer, document: DocumentRow) => Promise<void>) | undefined {
  if (!threadIds || threadIds.length === 0) return undefined;
  return async (tx, document) => {
    const { comments, opening } = await findReviewSettings(tx, document.id);
    const seen = { document, sight: sightOf(document, opening) };
    const threads = await requireThreads(tx, seen, threadIds, 'resolves');
    for (const thread of threads) {
      requireCloser(actor, document, comments, thread);
      if (thread.state === 'open') {
        const to = { state: 'resolved', closedVersion: document.version } as const;
        await closeThread(context, tx, actor, document, thread, to);
      }
    }
  };
}

/** @throws UNPROCESSABLE if another request closed one of the threads first */
async function closeAll(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  threads: readonly ThreadRow[],
  to: Closing,
): Promise<void> {
  for (const thread of threads) {
    const isClosed = await closeThread(context, tx, actor, document, thread, to);
    if (!isClosed) throw notOpen(thread.id);
  }
}

/** A document, and which of its threads the actor sees. */
type Seen = Pick<Reviewed, 'document' | 'sight'>;

async function requireThreads(
  db: Reader,
  { document, sight }: Seen,
  threadIds: readonly string[],
  field: string,
): Promise<ThreadRow[]> {
  const wanted = [...new Set(threadIds.map(normaliseId))];
  const found = await findThreads(db, document.id, sight, wanted);
  const byId = new Map(found.map((thread) => [thread.id, thread]));
  return wanted.map((threadId, index) => {
    const thread = byId.get(threadId);
    if (thread) return thread;
    throw new FieldError('UNPROCESSABLE', field, `there is no thread ${threadIds[index]}.`);
  });
}

async function requireSuggestions(
  db: Reader,
  seen: Seen,
  threadIds: readonly string[],
): Promise<ThreadRow[]> {
  const threads = await requireThreads(db, seen, threadIds, 'threads');
  for (const { id, kind, state } of threads) {
    if (kind === 'comment') {
      throw new FieldError('UNPROCESSABLE', 'threads', `${id} suggests nothing to accept.`);
    }
    if (state !== 'open') throw notOpen(id);
  }
  return threads;
}

function notOpen(id: string): FieldError {
  return new FieldError('UNPROCESSABLE', 'threads', `${id} is no longer open.`);
}

const byPlace = (a: ThreadRow, b: ThreadRow) => (a.atStart ?? 0) - (b.atStart ?? 0);

/** @throws CONFLICT */
function requireUnchanged(text: string, threads: readonly ThreadRow[], version: number): void {
  const ordered = threads.toSorted(byPlace);
  const problems = ordered.filter((thread, index) => {
    const before = ordered[index - 1];
    const overlaps = before && (before.atEnd ?? 0) > (thread.atStart ?? 0);
    return overlaps || thread.atState !== 'kept' || hasGrown(text, thread);
  });
  if (problems.length === 0) return;
  throw conflict(text, problems, version, 'has changed, or two suggestions overlap');
}

/** Returns suggestions with what is written in their places now. @throws CONFLICT */
async function refitAll(
  context: Context,
  actor: Actor,
  current: WholeDocument,
  threads: readonly ThreadRow[],
): Promise<ThreadRow[]> {
  const fitted: ThreadRow[] = [];
  for (const thread of threads) {
    const replacement = await refit(context, actor, current, thread);
    if (replacement === undefined) {
      const what =
        'stands in another block now, where the suggested text would change what is around it';
      throw conflict(current.text, [thread], current.document.version, what);
    }
    fitted.push({ ...thread, replacement });
  }
  return fitted;
}

function replaceAll(text: string, threads: readonly ThreadRow[]): string {
  return threads
    .toSorted(byPlace)
    .reduceRight(
      (result, { atStart, atEnd, replacement }) =>
        result.slice(0, atStart ?? 0) + replacement + result.slice(atEnd ?? 0),
      text,
    );
}

/**
 * Tells whether words were added at the edge of a passage that ended there: a word goes on, or whole
 * lines do, as while somebody is typing. Replacing a part of it would tear them.
 */
function hasGrown(text: string, { prefix, suffix, atStart, atEnd }: ThreadRow): boolean {
  const [before, after] = [text.slice(0, atStart ?? 0), text.slice(atEnd ?? 0)];
  const isWhole = LINE_START.test(prefix ?? '') && LINE_END.test(suffix ?? '');
  if (isWhole && !(LINE_START.test(before) && LINE_END.test(after))) return true;
  const goesOn = (was: string, now: string, apart: RegExp) => apart.test(was) && !apart.test(now);
  return goesOn(prefix ?? '', before, /(?:^|\s)$/) || goesOn(suffix ?? '', after, /^(?:\s|$)/);
}

const LINE_START = /(?:^|\n)$/;
const LINE_END = /^(?:\r?\n|$)/;

/** Describes the suggestions that no longer fit, as a conflict. */
function conflict(
  text: string,
  threads: readonly ThreadRow[],
  version: number,
  what: string,
): ConflictError {
  const ids = threads.map(({ id }) => id).join(', ');
  return new ConflictError(`The passage of ${ids} ${what}. Nothing was accepted.`, {
    baseRevision: Math.min(...threads.map(({ madeVersion }) => madeVersion)),
    currentRevision: version,
    by: null,
    conflicts: threads.map(({ quote, replacement, shownStart, shownEnd }) => ({
      ...linesAt(text, shownStart ?? 0),
      base: quote ?? '',
      current: text.slice(shownStart ?? 0, shownEnd ?? 0),
      yours: replacement ?? '',
    })),
  });
}

/** The text has no changes merged into it, so both lines are the same. */
function linesAt(text: string, at: number): { line: number; currentLine: number } {
  const line = text.slice(0, at).split('\n').length;
  return { line, currentLine: line };
}

/** How many authors a message names. */
const MAX_NAMED = 3;

function messageOf(threads: readonly ThreadRow[]): string {
  const authors = [...new Set(threads.map(({ author }) => author ?? 'a deleted account'))];
  const isProposal = threads.every(({ kind }) => kind === 'proposal');
  const what = isProposal ? 'proposal' : 'suggestion';
  const count = threads.length === 1 ? `a ${what}` : `${threads.length} ${what}s`;
  // No name is cut: account-deletion-store.ts removes the name of a deleted account.
  const others = authors.length - MAX_NAMED;
  const more = others > 0 ? `, and ${others} ${others === 1 ? 'other' : 'others'}` : '';
  return `Accepted ${count} by ${authors.slice(0, MAX_NAMED).join(', ')}${more}`;
}
