import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

/** How long a connection may transport nothing before we look whether something is unread. */
const IDLE_MS = 15_000;

/**
 * Ends the connection of a stream whose reader doesn't read: once the system's buffers are full and
 * the reader has taken nothing for 15 to 30 seconds. It may stay silent for longer.
 */
export function endIfUnread({ raw }: FastifyReply): void {
  raw.setTimeout(IDLE_MS, () => {
    if (raw.writableLength > 0) raw.destroy();
  });
}

/**
 * Waits until the reader of a stream has taken what was sent, except for a small buffer. Resolves
 * at once when the signal aborts.
 */
export async function untilRead({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
  if (!raw.writableNeedDrain) return;
  await once(raw, 'drain', { signal }).catch(() => {});
}
