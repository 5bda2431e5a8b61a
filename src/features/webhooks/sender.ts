import { createSlots } from '../../base/limits/slots.ts';
import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { deliver } from './delivery-service.ts';
import { hasDue, listDue } from './webhook-delivery-store.ts';

/** How often a process looks for deliveries, including those of other processes. */
const EVERY_MS = 1_000;

/** How long the sender waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/**
 * How many attempts a process runs at once: in all, of the webhooks that one account created, and
 * only of accounts that have none running. So slow webhooks of a few people don't delay the others.
 */
const ATTEMPTS = { total: 128, perKey: 8, reserved: 32 };

/** How many attempts run at once for one webhook, so that a slow one doesn't delay the others. */
const PER_WEBHOOK = 4;

/**
 * Sends deliveries in the background. On shutdown, aborts running attempts; another process or the
 * next start repeats them.
 *
 * @param onFailure called on failures; the sender retries after a while
 */
export function startSender(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  const stopping = new AbortController();
  /** The running attempts, each with its webhook. */
  const running = new Map<string, { webhookId: string; done: Promise<void> }>();
  const attempts = createSlots(ATTEMPTS);

  async function step(): Promise<undefined> {
    const limit = ATTEMPTS.total - running.size;
    if (limit <= 0) return;
    const now = context.now();
    if (!(await hasDue(context.sql.read, now))) return;
    const due = await listDue(context.sql.read, {
      now,
      limit,
      perWebhook: PER_WEBHOOK,
      perAccount: ATTEMPTS.perKey,
      without: attempts.listFull(),
    });
    for (const delivery of due) {
      const { id, webhookId, accountId } = delivery;
      const busy = [...running.values()].filter((one) => one.webhookId === webhookId);
      if (running.has(id) || busy.length >= PER_WEBHOOK) continue;
      const leave = attempts.take(accountId);
      if (typeof leave === 'string') continue;
      const done = deliver(context, delivery, stopping.signal)
        .catch(onFailure)
        .finally(() => {
          leave();
          running.delete(id);
          loop.wake();
        });
      running.set(id, { webhookId, done });
    }
  }

  const loop = startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
  context.wakeWebhooks = loop.wake;
  return {
    ...loop,
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
