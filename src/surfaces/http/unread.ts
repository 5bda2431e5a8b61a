import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BackEndUnavailable, RETRY_AFTER_S, ServiceError } from '../../base/errors.ts';
import { createFairQueue } from '../../base/limits/fair-queue.ts';
import { createSlots } from '../../base/limits/slots.ts';

const MIB = 1024 * 1024;

/**
 * How many bytes of answers may wait in this process for clients that don't read: in all, of one
 * account (or address, without one), and of these only for those for whom none wait.
 */
const UNREAD = { total: 224 * MIB, perKey: 48 * MIB, reserved: 64 * MIB };

/** Smaller answers fit into the system's buffers. */
const COUNTED_BYTES = 64 * 1024;

/** How many requests of one account are answered at once; the others wait. */
const RUNNING = { running: Number.POSITIVE_INFINITY, runningPerKey: 8 };
const WAITING = { waiting: 10_000, waitingPerKey: 1_000 };

/** Counts, for a whole process, what its clients haven't read yet. */
export interface Unread {
  /**
   * Does work that makes an answer of any size: of one account, only some at once, so that each next
   * one knows what is unread. Not for what waits for something else.
   *
   * @param key an account's id
   * @throws RATE_LIMITED (429) or BackEndUnavailable (503), see {@link requireRoom}
   */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * @throws RATE_LIMITED (429) if too much of the key's answers is unread, BackEndUnavailable (503) if
   *   too much is in all
   */
  requireRoom(key: string): void;
  /** Counts bytes that wait for a client. @returns a function to be called once, when they don't */
  hold(key: string, bytes: number): () => void;
}

/** Creates what counts the unread bytes of a process. */
export function createUnread(): Unread {
  const slots = createSlots(UNREAD);
  const queue = createFairQueue({ ...RUNNING, ...WAITING });

  function requireRoom(key: string): void {
    const refusal = slots.refusal(key);
    if (refusal === 'own') {
      throw new ServiceError(
        'RATE_LIMITED',
        'Read the answers to your earlier requests first: too much of them waits for you.',
        RETRY_AFTER_S,
      );
    }
    if (refusal === 'all') throw new BackEndUnavailable('Too much waits for clients to read it.');
  }

  return {
    inTurn: (key, work) =>
      queue.run(key, async () => {
        requireRoom(key);
        return work();
      }),
    requireRoom,
    hold: slots.add,
  };
}

/** The sizes of texts that streams keep until they are read, in UTF-16 code units. */
const keptBy = new WeakMap<object, number>();

/** Notes that a stream keeps a text. */
export function keepsText<Stream extends object>(stream: Stream, text: string): Stream {
  keptBy.set(stream, text.length);
  return stream;
}

/** Returns for whom what a request sends and gets counts: the account, or the address without one. */
export const keyOf = ({ accountId, ip }: FastifyRequest): string => accountId ?? ip;

/**
 * Counts a body that is collected in memory until its request is answered: clients can send it slowly,
 * and many at once.
 *
 * @throws errors of {@link Unread.requireRoom}
 */
export function holdBody(unread: Unread, request: FastifyRequest, reply: FastifyReply): void {
  const { headers, routeOptions } = request;
  const most = routeOptions.bodyLimit ?? 0;
  const bytes = Number(headers['content-length'] ?? (headers['transfer-encoding'] ? most : 0));
  if (bytes < COUNTED_BYTES) return;
  unread.requireRoom(keyOf(request));
  reply.raw.once('close', unread.hold(keyOf(request), bytes));
}

/** Counts an answer until it is read, or its connection ends. */
export function holdUntilRead(unread: Unread, key: string, reply: FastifyReply, body: unknown) {
  const isBytes = body instanceof Uint8Array;
  const units = typeof body === 'string' ? body.length : (keptBy.get(body as object) ?? 0);
  const bytes = isBytes ? body.length : 2 * units;
  // A client that has left already leaves no second time.
  if (bytes < COUNTED_BYTES || reply.raw.destroyed) return;
  reply.raw.once('close', unread.hold(key, bytes));
  endIfUnread(reply);
}

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
