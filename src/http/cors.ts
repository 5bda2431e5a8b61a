import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** How long browsers may remember what they were let do, in seconds. */
const MAX_AGE_S = 86_400;

/**
 * Lets pages of any origin call a surface whose callers show a token; no cookie plays a part there.
 * Every OPTIONS is answered with 204, one that is no browser's preflight too.
 */
export async function allowOtherOrigins(
  app: FastifyInstance,
  options: { methods: string[]; allowedHeaders: string[]; exposedHeaders: string[] },
): Promise<void> {
  await app.register(cors, {
    ...options,
    origin: '*',
    maxAge: MAX_AGE_S,
    strictPreflight: false,
  });
}
