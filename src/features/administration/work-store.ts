import { listRaw } from '../../core/revision/packing-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The most that is counted, so that a large backlog costs no more to look at. */
const MOST = 10_000;

/** Counts old texts that aren't packed yet, at most 10,000. */
export async function countUnpacked(db: Reader): Promise<number> {
  return (await listRaw(db, { documentId: '', lastVersion: 0 }, MOST)).length;
}

/** A mail that could not be sent yet. Never its text. */
export interface FailingMail {
  id: string;
  kind: string;
  /** Whose account it goes to; `null` for a mail to an address. */
  username: string | null;
  attempts: number;
  fault: string | null;
  nextAt: string;
  createdAt: string;
}

/** Lists mails of which attempts failed, the next one first. */
export async function listFailingMails(db: Reader, limit: number): Promise<FailingMail[]> {
  return db
    .selectFrom('mail')
    .leftJoin('owner', 'owner.id', 'mail.account_id')
    .where('mail.attempts', '>', 0)
    .select([
      'mail.id',
      'mail.kind',
      'owner.namespace as username',
      'mail.attempts',
      'mail.fault',
      'mail.due_at as nextAt',
      'mail.created_at as createdAt',
    ])
    .orderBy('mail.due_at')
    .orderBy('mail.id')
    .limit(limit)
    .execute();
}

/** A delivery to a webhook that failed and will be tried again. */
export interface FailingDelivery {
  id: string;
  owner: string;
  /** The webhook's address, which may have a secret in its path. */
  url: string;
  attempts: number;
  code: number | null;
  fault: string | null;
  nextAt: string;
  createdAt: string;
}

/** Lists deliveries of which attempts failed, the next one first. */
export async function listFailingDeliveries(db: Reader, limit: number): Promise<FailingDelivery[]> {
  return db
    .selectFrom('webhook_delivery as delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .innerJoin('owner', 'owner.id', 'webhook.owner_id')
    .where('delivery.status', '=', 'pending')
    .where('delivery.attempt', '>', 0)
    .select([
      'delivery.id',
      'owner.namespace as owner',
      'webhook.url',
      'delivery.attempt as attempts',
      'delivery.code',
      'delivery.fault',
      'delivery.next_at as nextAt',
      'delivery.created_at as createdAt',
    ])
    .orderBy('delivery.next_at')
    .orderBy('delivery.webhook_id')
    .limit(limit)
    .$castTo<FailingDelivery>()
    .execute();
}

/** Makes mails of which attempts failed due now, except those that are being sent. @returns how many */
export async function makeMailsDue(db: Writer, now: string): Promise<number> {
  const due = await db
    .updateTable('mail')
    .set({ due_at: now })
    .where('attempts', '>', 0)
    .where('due_at', '>', now)
    .where((mail) => mail.or([mail('claimed_until', 'is', null), mail('claimed_until', '<=', now)]))
    .returning('id')
    .execute();
  return due.length;
}

/**
 * Makes deliveries of which attempts failed due now.
 *
 * @param after only those that are due later than this, because others may be claimed
 * @returns how many
 */
export async function makeDeliveriesDue(db: Writer, now: string, after: string): Promise<number> {
  const due = await db
    .updateTable('webhook_delivery')
    .set({ next_at: now })
    .where('status', '=', 'pending')
    .where('attempt', '>', 0)
    .where('next_at', '>', after)
    .returning('id')
    .execute();
  return due.length;
}
