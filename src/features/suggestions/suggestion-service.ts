import { ConflictError, FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { carried, type Edit, editsOf, type Span, writtenOf } from '../../base/text/authorship.ts';
import { lineOf } from '../../base/text/closest.ts';
import { asInTextArea, textAreaOffsets } from '../../base/text/text-area.ts';
import type { Actor, Call } from '../../core/context.ts';
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
import { requireBody } from '../../core/review/text-size.ts';
import type { ThreadKind } from '../../core/review/thread.ts';
import { findThreads, type ThreadRow } from '../../core/review/thread-store.ts';
import { insertWrittenSpans, type WrittenSpan } from '../../core/revision/written-span-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { commentIn } from '../comments/comment-service.ts';
import { refit } from '../comments/quote-service.ts';
import { type Closing, closeThread } from '../comments/thread-change-service.ts';
import { mentionsIn } from '../comments/thread-event-service.ts';
import {
  asRead,
  type MergedProposal,
  mergeProposals,
} from '../proposals/proposal-merge-service.ts';

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
  call: Call,
  ref: DocumentRef,
  threadIds: readonly string[],
  { message, ...shown }: Shown & { message?: string | undefined } = {},
): Promise<WholeDocument> {
  const { sight } = await requireReview(call.sql.read, call.actor, ref, 'accept');
  requireCondition(call.actor, shown);
  return editDocument(
    call,
    ref,
    async (current) => {
      const { document, text } = current;
      const found = await requireSuggestions(call.sql.read, { document, sight }, threadIds);
      const threads = await carryThreads(call, document, found);
      requirePlaced(threads, 'Nothing was accepted.');
      const read = await requireAsRead(call, document, threads, shown);
      const expected = read.map(digestOf);
      const ofKind = (kind: ThreadKind) => threads.filter((thread) => thread.kind === kind);
      const suggested = ofKind('replacement');
      requireUnchanged(text, suggested, document.version);
      const replaced = await replaceAll(call, current, suggested);
      const { replacements } = replaced;
      const merging = { ...current, text: replaced.text };
      const merged = await mergeProposals(call, merging, ofKind('proposal'));
      const { content, proposals } = merged;
      const written = await acceptedWords(call, text, { replacements, proposals });
      const placed = Math.min(...found.map(({ madeVersion }) => madeVersion));
      const since = await listTextWrites(call.sql.read, document.id, placed);
      const ids = found.map(({ id }) => id);
      const others = await listThreadWriters(call.sql.read, ids);
      return {
        input: { content },
        note: {
          message: message ?? messageOf(threads),
          shown: shown.revision,
          accepts: {
            authors: [...found.flatMap(writersOf), ...others],
            seenBy: seenByAccepting(found, call.actor, since),
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
            return closeAll(call, tx, after, now, { state: 'accepted', closedVersion });
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
 * @param shown what the actor saw, and what to say in each thread
 * @throws NOT_FOUND; FORBIDDEN unless the actor wrote the suggestions or can edit the text;
 *   BAD_REQUEST if a token or an application doesn't say what it saw;
 *   UNPROCESSABLE for a thread that is not an open suggestion; CONFLICT if something else was
 *   shown; errors of {@link requirePlaced}
 */
export async function rejectSuggestions(
  call: Call,
  ref: DocumentRef,
  threadIds: readonly string[],
  { body, ...shown }: Shown & { body?: string | undefined } = {},
): Promise<void> {
  const { actor } = call;
  if (body !== undefined) requireBody(body);
  const seen = await requireReview(call.sql.read, actor, ref, 'see');
  requireCondition(actor, shown);
  const found = await requireSuggestions(call.sql.read, seen, threadIds);
  const placed = await carryThreads(call, seen.document, found);
  if (shown.expected) requirePlaced(placed, 'Nothing was rejected.');
  const read = await requireAsRead(call, seen.document, placed, shown);
  const names = await mentionsIn(call, body);
  await changeOwned(call, ref.owner, async (tx) => {
    const now = await requireReview(tx, actor, ref, 'see');
    const { document, comments } = now;
    const threads = await requireSuggestions(tx, now, threadIds);
    await requireShown(tx, document, shown.revision ?? seen.document.version);
    requireExpected(document, placedAs(read, threads), shown);
    for (const thread of threads) requireCloser(actor, document, comments, thread);
    for (const { id } of body === undefined ? [] : threads) {
      await commentIn(call, tx, ref, id, { body: body as string, names });
    }
    const to = { state: 'rejected', closedVersion: document.version } as const;
    await closeAll(call, tx, document, threads, to);
  });
  call.wakeFeed();
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
  call: Call,
  document: DocumentRow,
  threads: readonly ThreadRow[],
  shown: Shown,
): Promise<ThreadRow[]> {
  const read: ThreadRow[] = [];
  for (const [index, thread] of threads.entries()) {
    read.push(await asRead(call, document, thread, shown.expected?.[index] ?? ''));
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
  call: Call,
  threadIds: readonly string[] | undefined,
): ((tx: Writer, document: DocumentRow) => Promise<void>) | undefined {
  if (!threadIds || threadIds.length === 0) return undefined;
  return async (tx, document) => {
    const { comments, opening } = await findReviewSettings(tx, document.id);
    const seen = { document, sight: sightOf(document, opening) };
    const threads = await requireThreads(tx, seen, threadIds, 'resolves');
    for (const thread of threads) {
      requireCloser(call.actor, document, comments, thread);
      if (thread.state === 'open') {
        const to = { state: 'resolved', closedVersion: document.version } as const;
        await closeThread(call, tx, document, thread, to);
      }
    }
  };
}

/** @throws UNPROCESSABLE if another request closed one of the threads first */
async function closeAll(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  threads: readonly ThreadRow[],
  to: Closing,
): Promise<void> {
  for (const thread of threads) {
    const isClosed = await closeThread(call, tx, document, thread, to);
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

/**
 * Replaces the passages of suggestions, from the last to the first.
 *
 * @returns the text; and in this order what each replaced, in the text as it was then
 * @throws CONFLICT
 */
async function replaceAll(
  call: Call,
  current: WholeDocument,
  threads: readonly ThreadRow[],
): Promise<{ text: string; replacements: ThreadRow[] }> {
  let { text } = current;
  const replacements: ThreadRow[] = [];
  const ordered = threads.toSorted(byPlace);
  for (const [index, thread] of [...ordered.entries()].reverse()) {
    const least = ordered[index - 1]?.atEnd ?? 0;
    const fitted = await refit(call, current, thread, { text, least });
    if (!fitted) {
      const what =
        'stands in another block now, where the suggested text would change what is around it';
      throw conflict(current.text, [thread], current.document.version, what);
    }
    const { start, end, text: replacement } = fitted;
    replacements.push({ ...thread, atStart: start, atEnd: end, replacement });
    text = text.slice(0, start) + replacement + text.slice(end);
  }
  return { text, replacements };
}

/**
 * Tells whether words were added at the edge of a passage that ended there: a word goes on, or whole
 * lines do, as while somebody is typing. Replacing a part of it would tear them. Marks, such as those
 * of bold text, can come around it.
 */
function hasGrown(text: string, { prefix, suffix, atStart, atEnd }: ThreadRow): boolean {
  const start = atStart ?? 0;
  const before = text.slice(Math.max(0, start - MOST_MARKS), start).replace(MARKS_BEFORE, '');
  const after = text.slice(atEnd ?? 0).replace(MARKS_AFTER, '');
  const isWhole = LINE_START.test(prefix ?? '') && LINE_END.test(suffix ?? '');
  if (isWhole && !(LINE_START.test(before) && LINE_END.test(after))) return true;
  const goesOn = (was: string, now: string, apart: RegExp) => apart.test(was) && !apart.test(now);
  return goesOn(prefix ?? '', before, /(?:^|\s)$/) || goesOn(suffix ?? '', after, /^(?:\s|$)/);
}

const LINE_START = /(?:^|\n)$/;
const LINE_END = /^(?:\r?\n|$)/;

const MOST_MARKS = 500;
const MARKS_BEFORE = /(?:[*_~`[]|<[^<>]*>)+$/;
const MARKS_AFTER = /^(?:[*_~`]|<\/[^<>]*>|\]\([^()\n]*\))+/;

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
    // The text has no changes merged into it, so both lines are the same.
    conflicts: threads.map(({ quote, replacement, shownStart, shownEnd }) => ({
      line: lineOf(text, shownStart ?? 0),
      currentLine: lineOf(text, shownStart ?? 0),
      base: quote ?? '',
      current: text.slice(shownStart ?? 0, shownEnd ?? 0),
      yours: replacement ?? '',
    })),
  });
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

type Spans = Span<ThreadRow | undefined>[];

/**
 * Tells which parts of a text accepted suggestions wrote, so that they stay their authors'.
 *
 * @param text before they were accepted
 * @param replacements those that replaced their passages, from the last: each in the text as it was then
 * @param proposals those that were merged after them, with the text after each
 */
async function acceptedWords(
  call: Call,
  text: string,
  { replacements, proposals }: { replacements: readonly ThreadRow[]; proposals: MergedProposal[] },
): Promise<WrittenSpan[]> {
  let spans: Spans = [[asInTextArea(text).length, undefined]];
  let rest = text;
  for (const thread of replacements) {
    const { atStart, atEnd, replacement } = thread;
    const [start, end, by] = [atStart ?? 0, atEnd ?? 0, replacement ?? ''];
    const { into } = textAreaOffsets(rest);
    const edit: Edit = { from: into(start), to: into(end), length: asInTextArea(by).length };
    spans = carried(spans, [edit], thread);
    rest = rest.slice(0, start) + by + rest.slice(end);
  }
  for (const { thread, before, after } of proposals) {
    const texts: [string, string] = [asInTextArea(before), asInTextArea(after)];
    const changes = await call.texts.run(call.actor.id, 'changes', texts);
    spans = carried(spans, editsOf(changes), thread);
  }
  return writtenOf(spans).map(({ start, end, origin }) => {
    const { accountId, wordsBy, via, viaName } = origin;
    // Whoever moved a suggestion did so with other means than its words were written.
    const by =
      wordsBy === null
        ? { accountId, via, viaName }
        : { accountId: wordsBy, via: null, viaName: null };
    return { start, length: end - start, ...by };
  });
}
