import type { Context } from '../context.ts';
import { BackEndUnavailable } from '../errors.ts';
import { deliver } from './delivery-service.ts';
import { listDue } from './webhook-delivery-store.ts';

/** How often a process looks for deliveries, including those of other processes. */
const EVERY_MS = 1_000;

/** How long it waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/** How many attempts a process runs at once. */
const AT_ONCE = 32;

/** How many of them go to one webhook, so that a slow one doesn't stop the others. */
const PER_WEBHOOK = 4;

/** Sends deliveries in the background. */
export interface Sender {
  /** Ends running attempts, which other processes or the next start repeat, and resolves then. */
  stop(): Promise<void>;
}

/** @param onFailure called on failures; the sender retries after a while */
export function startSender(context: Context, onFailure: (error: unknown) => void): Sender {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Running attempts, and to which webhook each goes. */
  const running = new Map<string, { webhookId: string; done: Promise<void> }>();
  let isWoken = false;
  let interrupt = () => {};

  context.wakeWebhooks = () => {
    isWoken = true;
    interrupt();
  };
  signal.addEventListener('abort', () => interrupt());

  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    interrupt = () => {};
  }

  async function step(): Promise<void> {
    const limit = AT_ONCE - running.size;
    if (limit <= 0) return;
    const now = context.now();
    const due = await listDue(context.sql.read, { now, limit, perWebhook: PER_WEBHOOK });
    for (const delivery of due) {
      const { id, webhookId } = delivery;
      const busy = [...running.values()].filter((one) => one.webhookId === webhookId);
      if (running.has(id) || busy.length >= PER_WEBHOOK) continue;
      const done = deliver(context, delivery, signal)
        .catch(onFailure)
        .finally(() => {
          running.delete(id);
          context.wakeWebhooks();
        });
      running.set(id, { webhookId, done });
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false;
      let ms = EVERY_MS;
      try {
        await step();
      } catch (error) {
        onFailure(error);
        if (error instanceof BackEndUnavailable) ms = WHILE_AWAY_MS;
        isWoken = false;
      }
      if (!isWoken && !signal.aborted) await rest(ms);
    }
    await Promise.all([...running.values()].map(({ done }) => done));
  }

  const loop = run();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
