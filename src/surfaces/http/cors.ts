import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** How long browsers can cache a preflight, in seconds. */
const MAX_AGE_S = 86_400;

/**
 * Lets pages of any origin call a surface that needs a token and ignores cookies. Answers every
 * OPTIONS with 204, even without a preflight's headers.
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
