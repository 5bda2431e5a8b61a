import { listRaw } from '../../core/revision/packing-store.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The most that is counted, so that a large backlog costs no more to look at. */
const MOST = 10_000;

/** Counts old texts that aren't packed yet, at most 10,000. */
export async function countUnpacked(db: Reader): Promise<number> {
  return (await listRaw(db, { documentId: '', lastVersion: 0 }, MOST)).length;
}

/** A mail that could not be sent yet. Never its text. */
export type FailingMail = Row<'mail', 'id' | 'kind' | 'attempts' | 'fault' | 'createdAt'> & {
  username: string | null;
  nextAt: string;
};

/** Lists mails of which attempts failed, the next one first. */
export async function listFailingMails(db: Reader, limit: number): Promise<FailingMail[]> {
  return db
    .selectFrom('mail')
    .leftJoin('owner', 'owner.id', 'mail.accountId')
    .where('mail.attempts', '>', 0)
    .select([
      'mail.id',
      'mail.kind',
      'owner.namespace as username',
      'mail.attempts',
      'mail.fault',
      'mail.dueAt as nextAt',
      'mail.createdAt',
    ])
    .orderBy('mail.dueAt')
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
    .innerJoin('webhook', 'webhook.id', 'delivery.webhookId')
    .innerJoin('owner', 'owner.id', 'webhook.ownerId')
    .where('delivery.status', '=', 'pending')
    .where('delivery.attempt', '>', 0)
    .select([
      'delivery.id',
      'owner.namespace as owner',
      'webhook.url',
      'delivery.attempt as attempts',
      'delivery.code',
      'delivery.fault',
      'delivery.nextAt',
      'delivery.createdAt',
    ])
    .orderBy('delivery.nextAt')
    .orderBy('delivery.webhookId')
    .limit(limit)
    .$castTo<FailingDelivery>()
    .execute();
}

/** Makes mails of which attempts failed due now, except those that are being sent. @returns how many */
export async function makeMailsDue(db: Writer, now: string): Promise<number> {
  const due = await db
    .updateTable('mail')
    .set({ dueAt: now })
    .where('attempts', '>', 0)
    .where('dueAt', '>', now)
    .where((mail) => mail.or([mail('claimedUntil', 'is', null), mail('claimedUntil', '<=', now)]))
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
    .set({ nextAt: now })
    .where('status', '=', 'pending')
    .where('attempt', '>', 0)
    .where('nextAt', '>', after)
    .returning('id')
    .execute();
  return due.length;
}
