import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { type Allowance, addressKey, type RateLimiter } from '../../base/limits/rate-limit.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';
import type { Actor } from '../../core/context.ts';
import { closedToProgram } from '../../core/owner/program-rule.ts';
import { closedOwnerOf } from '../../core/owner/program-service.ts';
import { collectRoutes, MethodNotAllowed } from './allowed-methods.ts';
import { holdBody, type Unread } from './unread.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. Not set on open routes. */
    actor: Actor;
    /**
     * Requires that the token still works and reaches as much. Call it after everything that can take
     * long, such as a wait, a queue or a form, and repeatedly during a stream. Not set on open routes.
     *
     * @throws UNAUTHORIZED; FORBIDDEN if, since the request began, an organization has shut the token
     *   out, or scopes were taken away
     */
    requireToken: () => Promise<void>;
    /**
     * Counts the request as several, before it does the work of several. One alone never counts more
     * than a whole limit. Not set on open routes.
     *
     * @throws RATE_LIMITED if that is over the limit
     */
    countAs: (requests: number) => Promise<void>;
    /** Whether all of the body had arrived before the token was checked. */
    arrivedWhole: boolean;
  }
  interface FastifyContextConfig {
    /** Needs no token and has no rate limit. For descriptions of the API. */
    open?: boolean;
  }
}

/**
 * Authenticates every request and counts it against the token's rate limit, before anything else.
 * Requests without a valid token count by address. Checks the token again once the body has arrived,
 * which a client can delay for minutes.
 */
export function requireAuthentication(
  app: FastifyInstance,
  parts: {
    authenticate: (token: string) => Promise<Actor | undefined>;
    limiter: RateLimiter;
    unread: Unread;
    /** Adds parameters to the challenge (`WWW-Authenticate`) of a 401. */
    challenge?: (request: FastifyRequest) => string;
  },
): void {
  const { authenticate, limiter, unread, challenge } = parts;
  app.decorateRequest('actor');
  app.decorateRequest('requireToken');
  app.decorateRequest('countAs');
  app.decorateRequest('arrivedWhole', true);
  const { methodsOf, nearTo } = collectRoutes(app);
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open) return;
    // What came together with the headers is read once this turn ends. Noted before the look-up: a
    // body that arrives during it may come after the token was found and ended.
    await Promise.resolve();
    request.arrivedWhole = request.raw.complete;
    const token = bearerToken(request);
    const actor = token === undefined ? undefined : await authenticate(token);
    const key = actor ? `token:${actor.credentialId}` : addressKey(request.ip);
    const allowance = await limiter.consume('api', key);
    showAllowance(reply, allowance);
    if (!actor) {
      const problem = token === undefined ? [] : ['error="invalid_token"'];
      const parameters = [...problem, ...(challenge ? [challenge(request)] : [])].join(', ');
      reply.header('www-authenticate', `Bearer ${parameters}`.trim());
      throw refused(token);
    }
    request.actor = actor;
    request.requireToken = async () => {
      const current = await authenticate(token as string);
      if (!current) throw refused(token);
      const closed = current.closedOwners?.find(({ id }) => !closedOwnerOf(actor, id));
      if (closed) throw closedToProgram(closed, current.via.means);
      if (!actor.scopes.every((scope) => current.scopes.includes(scope))) {
        const problem = 'Permissions were taken away from this app. Send the request again.';
        throw new ServiceError('FORBIDDEN', problem);
      }
    };
    request.countAs = async (requests) => {
      const more = Math.min(requests, allowance?.limit ?? 1) - 1;
      if (more > 0) showAllowance(reply, await limiter.consume('api', key, more));
    };
    request.accountId = actor.id;
    // Before the body is parsed. Forms with files aren't collected.
    const isForm = /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
    if (!request.is404) return isForm ? undefined : holdBody(unread, request, reply);
    const path = pathOf(request.url);
    const allowed = methodsOf(path);
    if (allowed.length > 0) throw new MethodNotAllowed(request.method, allowed);
    throw new ServiceError('NOT_FOUND', `There is nothing at this address. ${nearTo(path)}`);
  });
  app.addHook('preValidation', async (request) => {
    if (!request.arrivedWhole) await request.requireToken();
  });
}

function refused(token: string | undefined): FieldError {
  return new FieldError(
    'UNAUTHORIZED',
    'Authorization',
    token === undefined
      ? 'send a bearer token, either a personal access token (brf_…) or one from OAuth.'
      : 'this token is unknown, has expired, was revoked, or was issued for another address. Create or request a new one.',
  );
}

/** Returns the token of `Authorization: Bearer …` (RFC 6750, section 2.1). */
function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Sets the rate limit headers. @throws RATE_LIMITED if the limit is reached */
export function showAllowance(reply: FastifyReply, allowance: Allowance | undefined): void {
  if (!allowance) return;
  reply.headers({
    'x-ratelimit-limit': allowance.limit,
    'x-ratelimit-remaining': allowance.remaining,
    'x-ratelimit-reset': Math.ceil(allowance.resetsAt / 1000),
  });
  if (allowance.allowed) return;
  const seconds = Math.max(1, Math.ceil((allowance.resetsAt - Date.now()) / 1000));
  reply.header('retry-after', seconds);
  throw new ServiceError('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`);
}

/** Returns the challenge parameter with a resource's metadata address (RFC 9728, section 5.1). */
export function resourceMetadataOf(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  const path = pathname === '/' ? '' : pathname;
  return `resource_metadata="${origin}/.well-known/oauth-protected-resource${path}${search}"`;
}
