import { lineOf } from '../../base/text/closest.ts';
import { type OutlineEntry, outlineOf, sectionAt } from '../../base/text/sections.ts';
import type { Context } from '../../core/context.ts';
import type { Level } from '../../core/document/access-rules.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';
import { levelsOf } from '../comments/commenter-service.ts';
import type { Thread } from '../comments/thread-service.ts';

/**
 * Quotes threads for a model. A comment can contain instructions to the model, so its row states the author's permission on the document.
 */
export async function quoteThreads(
  context: Context,
  { document, text }: Pick<WholeDocument, 'document' | 'text'>,
  threads: readonly Thread[],
): Promise<Quotation[]> {
  if (threads.length === 0) return [];
  const authors = threads.flatMap(({ comments, accountId }) => [
    accountId,
    ...comments.map((comment) => comment.accountId),
  ]);
  const levels = await levelsOf(context, document, authors);
  const outline = document.kind === 'brief' ? outlineOf(text) : [];
  const rows = threads.map((thread) => present(text, outline, thread, levels));
  return [{ what: 'the threads (one per line)', isPlural: true, rows }];
}

function present(
  text: string,
  outline: readonly OutlineEntry[],
  thread: Thread,
  levels: ReadonlyMap<string, Level>,
) {
  const { quote, shownStart, shownEnd, shownState, replacement, comments, assignee } = thread;
  const by = (one: { author: string | null; accountId: string | null; via: string | null }) => ({
    by: one.author,
    ...(one.via !== null && { via: one.via }),
    may: (one.accountId !== null && levels.get(one.accountId)) || 'none',
  });
  const isPlaced = shownStart !== null && shownState !== 'unverified' && shownState !== 'pending';
  const line = isPlaced ? lineOf(text, shownStart) : undefined;
  const section = line === undefined ? undefined : sectionAt(outline, line);
  return {
    id: thread.id,
    kind: thread.kind,
    state: thread.state,
    ...(quote !== null && { quote, place: shownState }),
    ...(thread.element !== null && { element: thread.element }),
    ...(line !== undefined && shownState !== 'gone' && { line }),
    ...(section !== undefined && { section }),
    ...(shownState === 'changed' || shownState === 'moved'
      ? { now: text.slice(shownStart ?? 0, shownEnd ?? 0) }
      : {}),
    ...(replacement !== null && { replacement }),
    ...(thread.kind !== 'comment' && { digest: digestOf(thread) }),
    ...(thread.added !== null && {
      proposal: { base: thread.madeVersion, added: thread.added, removed: thread.removed },
    }),
    ...(assignee !== null && { assignee }),
    ...(comments.length === 0 && by(thread)),
    comments: comments.map((comment) => ({
      ...by(comment),
      at: comment.createdAt,
      body: comment.body,
    })),
  };
}
