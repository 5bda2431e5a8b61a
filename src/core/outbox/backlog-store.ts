import type { Reader } from '../../storage/sql/sql.ts';

/** The most that is counted of each kind, so that a large backlog costs no more to look at. */
const MOST = 10_000;

/** Work that processes do in the background. */
export type BackgroundWork = 'mail' | 'webhooks' | 'search' | 'feed';

/** What of a kind of work is due. */
export interface Backlog {
  work: BackgroundWork;
  /** How many pieces, at most 10,000. */
  waiting: number;
  /** Since when the oldest of them is due (ISO 8601); `null` if none is, or it isn't stored. */
  since: string | null;
}

/**
 * Counts mails, deliveries to webhooks, documents to index and events to place that are due and that
 * no process works on.
 */
export async function listBacklogs(db: Reader, now: string): Promise<Backlog[]> {
  const mails = db
    .selectFrom('mail')
    .where('dueAt', '<=', now)
    .where((mail) => mail.or([mail('claimedUntil', 'is', null), mail('claimedUntil', '<=', now)]))
    .select('dueAt as at')
    .orderBy('dueAt');
  const deliveries = db
    .selectFrom('webhook_delivery')
    .where('status', '=', 'pending')
    .where('nextAt', '<=', now)
    .select('nextAt as at')
    .orderBy('nextAt');
  // When a document was to be indexed isn't stored.
  const documents = db
    .selectFrom('search_pending')
    .where('claimedUntil', '<=', now)
    .select((is) => is.val(null).as('at'));
  const events = db.selectFrom('event').where('position', 'is', null).select('at').orderBy('id');
  const count = (work: BackgroundWork, due: readonly { at: string | null }[]): Backlog => ({
    work,
    waiting: due.length,
    since: due[0]?.at ?? null,
  });
  return [
    count('mail', await mails.limit(MOST).execute()),
    count('webhooks', await deliveries.limit(MOST).execute()),
    count('search', await documents.limit(MOST).execute()),
    count('feed', await events.limit(MOST).execute()),
  ];
}
