import type { FastifyReply } from 'fastify';

/** A response header for the service worker. */
const HEADER = 'offline-copies';

/** Orders the browser to delete all copies, or others' alone, and perhaps to keep this page. */
export function orderCopies(reply: FastifyReply, order: 'clear'): void;
export function orderCopies(reply: FastifyReply, order: 'only' | 'keep', username: string): void;
export function orderCopies(reply: FastifyReply, order: string, username?: string): void {
  reply.header(HEADER, username === undefined ? order : `${order} ${username}`);
}
