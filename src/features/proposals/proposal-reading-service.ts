import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Comparison } from '../../base/text/comparison.ts';
import type { Merged } from '../../base/text/merge.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { placedIn } from '../../core/review/anchor-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import { findReadableText } from '../../core/revision/readable-text-service.ts';
import { requireThread } from '../comments/thread-service.ts';
import { shownOf } from '../revisions/comparison-service.ts';
import { diffOf } from '../revisions/edit-service.ts';
import { loadProposal } from './proposal-merge-service.ts';

/** A proposal, its base text, and the result of accepting it now. */
export interface Proposal {
  thread: ThreadRow;
  text: string;
  base: { number: number; text: string };
  current: WholeDocument;
  /** If it has conflicts, the proposal can't be accepted. */
  merged: Merged;
}

/**
 * Loads a proposal to compare with its base and the current text.
 *
 * @throws NOT_FOUND; FORBIDDEN if the actor can't see comments, or can't read the base text of
 *   someone else's proposal; UNPROCESSABLE if the thread isn't a proposal or a text is gone
 */
export async function readProposal(
  call: Call,
  ref: DocumentRef,
  threadId: string,
): Promise<Proposal> {
  const { read } = call.sql;
  const seen = await requireReview(read, call.actor, ref, 'see');
  const { document } = seen;
  const thread = await requireThread(read, seen, threadId);
  requireProposal(thread);
  const { madeVersion: number } = thread;
  const isOwn = thread.accountId === call.actor.id;
  if (!isOwn && (await findReadableText(call, document, number)) === undefined) {
    throw new ServiceError('FORBIDDEN', 'Only insiders can read proposals to an older text.');
  }
  const { text, base } = await loadProposal(call, thread);
  const current = await getDocument(call, ref);
  const merged = await call.texts.run(call.actor.id, 'merge', [base, current.text, text]);
  const placed = placedIn(current.document, thread);
  return { thread: placed, text, base: { number, text: base }, current, merged };
}

export interface ProposalDiff {
  baseRevision: number;
  currentRevision: number;
  /** The changes to the base, in unified format. */
  diff: string;
  /** What accepting it would change in the current text; `null` if it can't be accepted. */
  currentDiff: string | null;
  conflicts: { line: number; base: string; current: string; proposed: string }[];
}

export async function diffProposal(
  call: Call,
  { text, base, current, merged }: Proposal,
): Promise<ProposalDiff> {
  const isMerged = merged.conflicts.length === 0;
  const diff = await diffOf(call, base.text, text);
  const after = isMerged ? await diffOf(call, current.text, merged.text) : undefined;
  return {
    baseRevision: base.number,
    currentRevision: current.document.version,
    diff: diff.unified,
    currentDiff: after?.unified ?? null,
    conflicts: merged.conflicts.map((each) => ({
      line: each.currentLine,
      base: each.base.join('\n'),
      current: each.current.join('\n'),
      proposed: each.yours.join('\n'),
    })),
  };
}

export interface ComparedProposal extends Proposal {
  comparison: Comparison;
  against: 'base' | 'current';
  rights: { accept: boolean; close: boolean };
}

/**
 * Compares a proposal with its base, or shows what accepting it would change. A proposal that is
 * closed or has conflicts can only be compared with its base.
 *
 * @param options.isWhole whether to show everything, up to `MAX_WHOLE`
 * @throws errors of {@link readProposal}
 */
export async function compareProposal(
  call: Call,
  ref: DocumentRef,
  threadId: string,
  { wanted, isWhole }: { wanted: 'base' | 'current'; isWhole: boolean },
): Promise<ComparedProposal> {
  const proposal = await readProposal(call, ref, threadId);
  const { thread, text, base, current, merged } = proposal;
  const isMergeable = thread.state === 'open' && merged.conflicts.length === 0;
  const against = isMergeable ? wanted : 'base';
  const [before, after] = against === 'base' ? [base.text, text] : [current.text, merged.text];
  const options = shownOf({ isWhole });
  const comparison = await call.texts.run(call.actor.id, 'compare', [before, after, options]);
  const { document } = current;
  const { comments } = await findReviewSettings(call.sql.read, document.id);
  const close = thread.accountId === call.actor.id || canReview(document, comments, 'close');
  // Only what is shown whole, as a change of the current text, can be accepted.
  const isShown = against === 'current' && !comparison.isCut;
  const accept = canReview(document, comments, 'accept') && isMergeable && isShown;
  const rights = { accept, close };
  return { ...proposal, comparison, against, rights };
}

/** @throws UNPROCESSABLE */
function requireProposal({ id, kind }: ThreadRow): void {
  if (kind === 'proposal') return;
  throw new FieldError('UNPROCESSABLE', 'thread', `${id} isn’t a proposal.`);
}
