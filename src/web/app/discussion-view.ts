import type { Actor, Context } from '../../context.ts';
import type { WholeDocument } from '../../document/document-service.ts';
import { visitDiscussion } from '../../document/review/discussion-service.ts';
import type { Thread } from '../../document/review/thread-service.ts';
import type { RenderedRange } from '../../markdown/quotes.ts';
import { isRefusal } from '../form.ts';
import type { Discussion, ShownThread } from '../pages/app/discussion-state.ts';
import { documentPath } from './addresses.ts';

/**
 * Loads what the reading view shows beside a brief. Marks the inbox entries about the brief as read.
 *
 * @returns `undefined` if the actor can't see comments, or there is nothing to see or to do
 */
export async function loadDiscussion(
  context: Context,
  actor: Actor,
  { document, text }: WholeDocument,
): Promise<Discussion | undefined> {
  const found = await visitDiscussion(context, actor, document);
  if (!found) return undefined;
  const { open, closed, can, isCut } = found;
  const threads = [...open, ...closed];
  if (threads.length === 0 && !can.comment) return undefined;
  const [places, bodies] = await Promise.all([
    placesOf(context, actor, text, open),
    renderBodies(context, actor, threads),
  ]);
  const show = (thread: Thread): ShownThread => ({
    ...thread,
    comments: thread.comments.map((comment) => ({ ...comment, html: bodies.get(comment.id) })),
    place: places.get(thread.id),
    mayClose: can.close || thread.accountId === actor.id,
  });
  return {
    ...{ document, version: document.version, now: context.now() },
    action: documentPath('read', document),
    ...{ open: open.map(show), closed: closed.map(show), can, isCut },
  };
}

/** Returns where threads are shown in the rendered brief, by id. */
async function placesOf(
  context: Context,
  actor: Actor,
  text: string,
  threads: readonly Thread[],
): Promise<Map<string, RenderedRange | undefined>> {
  const placed = threads.filter(({ quote, shownState }) => quote !== null && shownState !== 'gone');
  if (placed.length === 0) return new Map();
  const ranges = placed.map(({ shownStart, shownEnd }) => ({
    start: shownStart ?? 0,
    end: shownEnd ?? 0,
  }));
  try {
    const found = await context.markdown.renderedRanges(actor.id, text, ranges);
    return new Map(placed.map(({ id }, index) => [id, found[index]]));
  } catch (error) {
    // Comments without their places are better than none.
    if (!isRefusal(error)) throw error;
    return new Map();
  }
}

async function renderBodies(
  context: Context,
  actor: Actor,
  threads: readonly Thread[],
): Promise<Map<string, string | undefined>> {
  const comments = threads.flatMap((thread) => thread.comments);
  const bodies = comments.map(({ body }) => body);
  const rendered = await context.markdown.renderComments(actor.id, bodies);
  return new Map(comments.map(({ id }, index) => [id, rendered[index]]));
}
