import type { EventType } from '../../base/schema/event.ts';
import { linkedMentions, mentionsInText } from '../../base/text/mention.ts';
import type { Actor, Call } from '../../core/context.ts';
import { type DocumentRow, listStandings } from '../../core/document/document-store.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { eventOf } from '../../core/event/new-event.ts';
import { findAccountIds } from '../../core/identity/account-store.ts';
import { canSee } from '../../core/review/review-authorize.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The most people that one comment can mention. */
const MAX_MENTIONS = 20;

/**
 * Returns the usernames that a comment mentions with `@`, in lowercase, without duplicates, as its
 * readers see them. Call it before a transaction: the comment is rendered.
 */
export async function mentionsIn(
  { actor, markdown }: Pick<Call, 'actor' | 'markdown'>,
  body: string | undefined,
): Promise<string[]> {
  if (body === undefined || !/[@＠]/.test(body)) return [];
  const [html] = await markdown.renderComments(actor.id, [body]);
  // What can't be rendered is shown as text.
  const names = html === undefined ? mentionsInText(body) : linkedMentions(html);
  return [...new Set(names)].slice(0, MAX_MENTIONS);
}

/** Records an event of a thread, and whom its comment mentions, by {@link mentionsIn}. */
export async function recordThreadEvent(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  type: EventType,
  said: { threadId: string; names?: readonly string[]; at: string; version?: number },
): Promise<void> {
  const mentions = await mentionedInsiders(tx, call.actor, document, said.names ?? []);
  const { threadId, at, version = document.version } = said;
  const about = { documentId: document.id, ownerId: document.ownerId, threadId, version };
  await insertEvent(tx, eventOf(call, { ...about, type, at, mentions }));
}

/** Returns the ids of the mentioned people who can see the comment, without the actor. */
async function mentionedInsiders(
  db: Reader,
  actor: Actor,
  document: DocumentRow,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const { comments } = await findReviewSettings(db, document.id);
  const others = (await findAccountIds(db, names)).filter((id) => id !== actor.id);
  const standings = await listStandings(db, document.id, others);
  return standings.filter((row) => canSee(row, comments)).map(({ actorId }) => actorId);
}
