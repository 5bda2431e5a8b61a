import { type Context, later } from '../../context.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { decide, isInsider, type Standing } from '../access.ts';
import { findDocumentById } from '../document-store.ts';
import { findTrashed } from '../trash/trash-store.ts';
import type { EventType } from './event.ts';

/** Who is told of an event: everyone who can read the document, or only insiders. */
const AUDIENCE = {
  'revision.created': 'readers',
  'document.changed': 'readers',
  'document.deleted': 'insiders',
  'document.restored': 'insiders',
  'thread.opened': 'insiders',
  'comment.added': 'insiders',
  'thread.closed': 'insiders',
  'thread.reopened': 'insiders',
  'suggestion.accepted': 'insiders',
  'suggestion.rejected': 'insiders',
  'review.requested': 'insiders',
  'review.given': 'insiders',
} as const satisfies Record<EventType, 'readers' | 'insiders'>;

/** Whether someone may know of an event of this type. */
export function canKnow(standing: Standing | undefined, type: EventType): boolean {
  if (!standing || decide(standing, 'read') !== 'allow') return false;
  return AUDIENCE[type] === 'readers' || isInsider(standing);
}

/**
 * Returns a function that finds someone's standing towards a document, also one in the trash. Looks
 * up each pair once.
 */
export function createStandings({ now, trashMs }: Context, db: Reader) {
  const known = new Map<string, Promise<Standing | undefined>>();
  const find = async (id: string, actorId: string) =>
    (await findDocumentById(db, id, actorId)) ??
    (await findTrashed(db, { id, actorId, after: later(now(), -trashMs) }));
  return (documentId: string, accountId: string): Promise<Standing | undefined> => {
    const key = `${documentId} ${accountId}`;
    const standing = known.get(key) ?? find(documentId, accountId);
    known.set(key, standing);
    return standing;
  };
}
