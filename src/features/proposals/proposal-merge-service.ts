import { ConflictError, FieldError } from '../../base/errors.ts';
import { conflictLines } from '../../base/text/conflict-lines.ts';
import type { Merged } from '../../base/text/merge.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireContentSize } from '../../core/document/content.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { conflictOf } from '../../core/document/merge-service.ts';
import { loadProposedText } from '../../core/review/proposal-text.ts';
import { isCurrentText } from '../../core/review/shown-service.ts';
import { readIn } from '../../core/review/suggestion-digest.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import { findRevisionOfText } from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';

/** A proposal that was merged into a text. */
export interface MergedProposal {
  thread: ThreadRow;
  before: string;
  after: string;
}

/**
 * Merges proposals into the current text, one after another.
 *
 * @param current the document, and the text to merge into
 * @throws CONFLICT if a proposal changes lines that have changed since; UNPROCESSABLE if its text
 *   or its base is gone; CONTENT_TOO_LARGE
 */
export async function mergeProposals(
  call: Call,
  current: WholeDocument,
  threads: readonly ThreadRow[],
): Promise<{ content: string; proposals: MergedProposal[] }> {
  let { text } = current;
  const proposals: MergedProposal[] = [];
  for (const thread of threads) {
    const { text: yours, base } = await loadProposal(call, thread);
    const merged = await call.texts.run(call.actor.id, 'merge', [base, text, yours]);
    if (merged.conflicts.length > 0) {
      throw await conflict(call, { ...current, text }, thread, merged);
    }
    proposals.push({ thread, before: text, after: merged.text });
    text = merged.text;
  }
  requireContentSize(current.document.kind, text);
  return { content: text, proposals };
}

async function conflict(
  context: Context,
  current: WholeDocument,
  { id, madeVersion: baseRevision }: ThreadRow,
  merged: Merged,
): Promise<ConflictError> {
  const { document } = current;
  const writer = await findRevisionOfText(context.sql.read, document.id, document.version);
  return new ConflictError(
    `Proposal ${id} and later writes change the same text since revision ${baseRevision}, at ` +
      `${conflictLines(merged.conflicts)}. Nothing was accepted.`,
    conflictOf(merged, { baseRevision, current, writer }),
  );
}

/**
 * Returns a proposal as it was read, by its digest, if accepting it would do the same in the current
 * text: change the same words, with the same around them.
 */
export async function asRead(
  call: Call,
  document: DocumentRow,
  thread: ThreadRow,
  digest: string,
): Promise<ThreadRow> {
  const atVersion = readIn(digest);
  if (thread.kind !== 'proposal' || !(atVersion < document.version)) return thread;
  const read = { ...thread, atVersion };
  if (await isCurrentText(call.sql.read, document, atVersion)) return read;
  const { text: yours, base } = await loadProposal(call, thread);
  const [then, now] = await Promise.all([marksIn(atVersion), marksIn(document.version)]);
  return then !== undefined && then === now ? read : thread;

  async function marksIn(version: number): Promise<string | undefined> {
    const text = await loadRevisionText(call, document.id, version);
    if (text === undefined) return undefined;
    const merged = await call.texts.run(call.actor.id, 'merge', [base, text, yours]);
    if (merged.conflicts.length > 0) return undefined;
    const changed = await call.texts.run(call.actor.id, 'changes', [text, merged.text]);
    const ranges = changed.map(({ from, to }) => ({ start: from, end: to }));
    const marks = await call.texts.run(call.actor.id, 'marks', [text, ranges]);
    return JSON.stringify([marks, changed.map(({ insert }) => insert)]);
  }
}

/** Returns a proposed text and its base. @throws UNPROCESSABLE if one of them is gone */
export async function loadProposal(
  context: Context,
  { id, documentId, madeVersion }: ThreadRow,
): Promise<{ text: string; base: string }> {
  const [text, base] = await Promise.all([
    loadProposedText(context, id),
    loadRevisionText(context, documentId, madeVersion),
  ]);
  if (text !== undefined && base !== undefined) return { text, base };
  throw new FieldError('UNPROCESSABLE', 'threads', `the text of ${id} is no longer stored.`);
}
