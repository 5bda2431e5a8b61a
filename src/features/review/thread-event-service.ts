import type { EventType } from '../../base/schema/event.ts';
import type { Actor, Context } from '../../core/context.ts';
import { type DocumentRow, listStandings } from '../../core/document/document-store.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { eventOf } from '../../core/event/new-event.ts';
import { findAccountIds } from '../../core/identity/account-store.ts';
import { canSee } from '../../core/review/review-authorize.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { mentionsIn } from './mention-syntax.ts';

/** Records an event of a thread, and whom its comment mentions. */
export async function recordThreadEvent(
  context: Context,
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  type: EventType,
  said: { threadId: string; body?: string | undefined; at: string; version?: number },
): Promise<void> {
  const mentions = await mentionedInsiders(tx, actor, document, said.body ?? '');
  const { threadId, at, version = document.version } = said;
  const about = { documentId: document.id, ownerId: document.ownerId, threadId, version };
  await insertEvent(tx, eventOf(context, actor, { ...about, type, at, mentions }));
}

/** Returns the ids of the mentioned people who can see the comment, without the actor. */
async function mentionedInsiders(
  db: Reader,
  actor: Actor,
  document: DocumentRow,
  body: string,
): Promise<string[]> {
  const names = mentionsIn(body);
  if (names.length === 0) return [];
  const { comments } = await findReviewSettings(db, document.id);
  const others = (await findAccountIds(db, names)).filter((id) => id !== actor.id);
  const standings = await listStandings(db, document.id, others);
  return standings.filter((row) => canSee(row, comments)).map(({ actorId }) => actorId);
}
