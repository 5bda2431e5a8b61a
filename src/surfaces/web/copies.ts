import type { FastifyReply } from 'fastify';

/** A response header for the service worker. */
const HEADER = 'offline-copies';

/**
 * Tells the service worker what to do with copies: `clear` deletes all, `only` deletes those of
 * other users, and `keep` also stores this page.
 */
export function orderCopies(reply: FastifyReply, order: 'clear'): void;
export function orderCopies(reply: FastifyReply, order: 'only' | 'keep', username: string): void;
export function orderCopies(reply: FastifyReply, order: string, username?: string): void {
  reply.header(HEADER, username === undefined ? order : `${order} ${username}`);
}
