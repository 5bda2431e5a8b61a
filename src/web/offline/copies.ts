import type { FastifyReply } from 'fastify';

/** A response header for the service worker. */
const HEADER = 'offline-copies';

/**
 * Tells the browser to delete all copies, or only those of others, and whether to store this page.
 */
export function orderCopies(reply: FastifyReply, order: 'clear'): void;
export function orderCopies(reply: FastifyReply, order: 'only' | 'keep', username: string): void;
export function orderCopies(reply: FastifyReply, order: string, username?: string): void {
  reply.header(HEADER, username === undefined ? order : `${order} ${username}`);
}
