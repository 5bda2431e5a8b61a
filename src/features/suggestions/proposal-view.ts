import type { FastifyReply } from 'fastify';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { canReview } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import type { DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { getThread } from '../comments/thread-service.ts';
import { proposalPage, type ShownSuggestion, suggestionPage } from '../proposals/proposal-page.tsx';
import { compareProposal } from '../proposals/proposal-reading-service.ts';
import { loadChangedSince } from '../revisions/changed-since.ts';
import { suggestionSetPage } from './suggestion-set-page.tsx';
import { readSet } from './suggestion-set-service.ts';

/** Shows a suggestion whole: a passage and its replacement, or all changes of a proposal. */
export async function showSuggestion(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  { thread, as, whole }: Record<string, unknown>,
): Promise<FastifyReply> {
  const { context } = parts;
  const { call } = asked;
  const threadId = String(thread);
  const set = await readSet(call, ref, threadId);
  if (set) return parts.show(asked, suggestionSetPage({ ...set, now: context.now() }));
  const { kind } = await getThread(call, ref, threadId);
  if (kind === 'replacement') {
    return parts.show(asked, suggestionPage(await loadSuggestion(parts, asked, ref, threadId)));
  }
  const compared = await compareProposal(call, ref, threadId, {
    wanted: as === 'made' ? 'base' : 'current',
    isWhole: whole !== undefined,
  });
  return parts.show(
    asked,
    proposalPage({ ...compared, isWhole: whole !== undefined, now: context.now() }),
  );
}

/**
 * Shows that a suggestion, or the text that it is for, has changed since it was shown, with the
 * suggestion and its buttons as they are now.
 *
 * @param shown the revision that was shown; 0 if that isn't known
 */
export async function showChangedSuggestion(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  { threadId, shown }: { threadId: string; shown: number },
): Promise<FastifyReply> {
  const { context } = parts;
  const { call } = asked;
  const { document } = await requireDocument(context.sql.read, call.actor, ref, 'read');
  const changed = await loadChangedSince(call, document, shown);
  const set = await readSet(call, ref, threadId);
  if (set)
    return parts.show(asked, suggestionSetPage({ ...set, now: context.now(), changed }), 409);
  const { kind } = await getThread(call, ref, threadId);
  if (kind === 'replacement') {
    const suggestion = await loadSuggestion(parts, asked, ref, threadId);
    return parts.show(asked, suggestionPage({ ...suggestion, changed }), 409);
  }
  const compared = await compareProposal(call, ref, threadId, { wanted: 'current', isWhole: true });
  const page = proposalPage({ ...compared, isWhole: true, now: context.now(), changed });
  return parts.show(asked, page, 409);
}

async function loadSuggestion(
  { context }: AppParts,
  { call }: AppRequest,
  ref: DocumentRef,
  threadId: string,
): Promise<ShownSuggestion> {
  const { document, comments } = await requireReview(context.sql.read, call.actor, ref, 'see');
  const thread = await getThread(call, ref, threadId);
  const isOpen = thread.state === 'open';
  return {
    document,
    thread,
    now: context.now(),
    rights: {
      accept: isOpen && thread.atState === 'kept' && canReview(document, comments, 'accept'),
      close:
        isOpen && (thread.accountId === call.actor.id || canReview(document, comments, 'close')),
    },
  };
}
