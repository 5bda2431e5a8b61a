import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../account/token-service.ts';
import type { Actor, Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type Allowance, addressKey, type RateLimiter } from '../rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; set on every route but the open ones. */
    actor: Actor;
  }
  interface FastifyContextConfig {
    /** Answered without a token, and not counted: descriptions of the API itself. */
    open?: boolean;
  }
}

/**
 * Makes every request show whose it is and count against that caller's budget, before anything
 * else is looked at. Whoever has no valid token counts by address.
 */
export function requireAuthentication(
  app: FastifyInstance,
  context: Context,
  limiter: RateLimiter,
): void {
  app.decorateRequest('actor');
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open) return;
    const token = bearerToken(request);
    const credential = token === undefined ? undefined : await authenticate(context, token);
    const key = credential ? `token:${credential.tokenId}` : addressKey(request.ip);
    showAllowance(reply, await limiter.consume('api', key));
    if (!credential) {
      reply.header(
        'www-authenticate',
        token === undefined ? 'Bearer' : 'Bearer error="invalid_token"',
      );
      throw new ServiceError(
        'UNAUTHORIZED',
        token === undefined
          ? 'Authorization: a personal access token is needed (Authorization: Bearer brf_…).'
          : 'Authorization: this token is unknown, expired or revoked.',
      );
    }
    request.actor = credential.actor;
  });
}

/** The token of `Authorization: Bearer …` (RFC 6750, section 2.1). */
function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Says what is left of the budget. @throws RATE_LIMITED when nothing is */
function showAllowance(reply: FastifyReply, allowance: Allowance | undefined): void {
  if (!allowance) return;
  reply.headers({
    'x-ratelimit-limit': allowance.limit,
    'x-ratelimit-remaining': allowance.remaining,
    'x-ratelimit-reset': Math.ceil(allowance.resetsAt / 1000),
  });
  if (allowance.allowed) return;
  const seconds = Math.max(1, Math.ceil((allowance.resetsAt - Date.now()) / 1000));
  reply.header('retry-after', seconds);
  throw new ServiceError('RATE_LIMITED', `Too many requests. Try again in ${seconds} seconds.`);
}
