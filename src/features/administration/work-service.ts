import { ServiceError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { getOwnAccount } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { type BackgroundWork, listBacklogs } from '../../core/outbox/backlog-store.ts';
import {
  countUnpacked,
  type FailingDelivery,
  type FailingMail,
  listFailingDeliveries,
  listFailingMails,
  makeDeliveriesDue,
  makeMailsDue,
} from './work-store.ts';

/** How many failing mails and deliveries are listed. */
const SHOWN = 50;

/** Longer than a process can claim a delivery, so that one that is being sent isn't sent twice. */
const CLAIMED_FOR_MS = 2 * 60_000;

/** The kinds of work that can be tried again at once. */
export const RETRIED = ['mail', 'webhooks'] as const;
export type Retried = (typeof RETRIED)[number];

/** What processes do in the background, and what fails. */
export interface Work {
  queues: readonly {
    work: BackgroundWork | 'packing';
    /** How many pieces are due, at most 10,000. */
    waiting: number;
    /** Since when the oldest is due; `null` if none is, or it isn't stored. */
    since: string | null;
  }[];
  mails: readonly FailingMail[];
  /** With the host of the address only: its path may have a secret. */
  deliveries: readonly (Omit<FailingDelivery, 'url'> & { host: string })[];
}

/** Describes the background work. @throws FORBIDDEN */
export async function describeWork(context: Context, by: Actor | undefined): Promise<Work> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const [backlogs, unpacked, mails, deliveries] = await Promise.all([
    listBacklogs(read, context.now()),
    countUnpacked(read),
    listFailingMails(read, SHOWN),
    listFailingDeliveries(read, SHOWN),
  ]);
  return {
    queues: [...backlogs, { work: 'packing', waiting: unpacked, since: null }],
    mails,
    deliveries: deliveries.map(({ url, ...delivery }) => ({
      ...delivery,
      host: URL.parse(url)?.host ?? '',
    })),
  };
}

/**
 * Makes mails or deliveries of which attempts failed due at once, instead of at their next attempt.
 *
 * @returns how many
 * @throws FORBIDDEN
 */
export async function retryWork(call: Call, work: Retried): Promise<number> {
  const tried = await call.sql.transaction(async (tx) => {
    await requireAdmin(tx, call.actor);
    const now = call.now();
    const due =
      work === 'mail'
        ? await makeMailsDue(tx, now)
        : await makeDeliveriesDue(tx, now, later(now, CLAIMED_FOR_MS));
    await audit(call, tx, {
      action: 'work.retried',
      actor: call.actor,
      detail: { work, tried: due },
    });
    return due;
  });
  if (work === 'webhooks') call.wakeWebhooks();
  return tried;
}

/** How a test mail went. */
export interface TestMail {
  to: string;
  sent: boolean;
  /** What the mail server answered, or the error. */
  answer: string;
}

/**
 * Checks the settings of the provider that people sign in through.
 *
 * @returns what is wrong, if anything
 * @throws FORBIDDEN; UNPROCESSABLE without a provider
 */
export async function testProvider(call: Call): Promise<string | undefined> {
  await requireAdmin(call.sql.read, call.actor);
  if (!call.testProvider) {
    throw new ServiceError('UNPROCESSABLE', 'No provider is set (OIDC_ISSUER).');
  }
  return call.testProvider();
}

/**
 * Sends a mail to the actor's own address at once.
 *
 * @throws FORBIDDEN; UNPROCESSABLE if no mail server is set
 */
export async function sendTestMail(call: Call): Promise<TestMail> {
  await requireAdmin(call.sql.read, call.actor);
  if (!call.sendTestMail) {
    throw new ServiceError('UNPROCESSABLE', 'No mail server is set (SMTP_URL).');
  }
  const { username: name, email: address } = await getOwnAccount(call);
  try {
    return { to: address, sent: true, answer: await call.sendTestMail({ name, address }) };
  } catch (error) {
    return { to: address, sent: false, answer: (error as Error).message };
  }
}
