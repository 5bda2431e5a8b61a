import type { EventType } from '../../base/schema/event.ts';
import { MENTION } from '../../base/text/mention.ts';
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

// FENCED and CODE must not begin or end within a run of backticks. Otherwise a hostile comment
// takes exponential time.
const FENCED =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;

/** A `@` that is no mention: escaped, or in the text of a link. */
const NO_MENTION = /\\[\\@]|\[[^[\]]*\](?=\()/g;

/** Lines that say where link texts lead; the first group of `LABEL` is such a text. */
const DEFINITIONS =
  /(?<![^\n]\n|[^\n])(?: {0,3}\[[^[\]\n]+\]:[ \t]*\S+(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*(?:\n|$))+/g;
const LABEL = /^ {0,3}\[([^[\]\n]+)\]:/gm;

/** A text in brackets, and the label that may follow it. */
const IN_BRACKETS = /\[([^[\]]*)\](?:\[([^[\]]*)\])?/g;

/**
 * Returns the usernames that a comment mentions with `@`, in lowercase, without duplicates. Ignores
 * code, links and what is escaped, as the comment's readers see it (`base/markdown/comment.ts`).
 */
export function mentionsIn(body: string): string[] {
  const labels = new Set<string>();
  const words = body
    .replace(FENCED, ' ')
    .replace(CODE, ' ')
    .replace(DEFINITIONS, (lines) => {
      for (const [, label = ''] of lines.matchAll(LABEL)) labels.add(label.toLowerCase());
      return '\n';
    })
    .replace(NO_MENTION, ' ')
    .replace(IN_BRACKETS, (all, text: string, label?: string) =>
      labels.has((label || text).toLowerCase()) ? ' ' : all,
    );
  const names = Array.from(words.matchAll(MENTION), ([, name]) => (name as string).toLowerCase());
  return [...new Set(names)].slice(0, MAX_MENTIONS);
}

/** Records an event of a thread, and whom its comment mentions. */
export async function recordThreadEvent(
  call: Call,
  tx: Writer,
  document: DocumentRow,
  type: EventType,
  said: { threadId: string; body?: string | undefined; at: string; version?: number },
): Promise<void> {
  const mentions = await mentionedInsiders(tx, call.actor, document, said.body ?? '');
  const { threadId, at, version = document.version } = said;
  const about = { documentId: document.id, ownerId: document.ownerId, threadId, version };
  await insertEvent(tx, eventOf(call, { ...about, type, at, mentions }));
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
