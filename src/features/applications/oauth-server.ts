import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress, ServiceError } from '../../base/errors.ts';
import { addressKey, type LimitName, type RateLimiter } from '../../base/limits/rate-limit.ts';
import type { Context } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { ownResources } from '../../core/identity/resources.ts';
import { showAllowance } from '../../surfaces/http/authentication.ts';
import { allowOtherOrigins } from '../../surfaces/http/cors.ts';
import { refuseSubresources } from '../../surfaces/http/destination.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { tidyAuthorizeQuery } from './authorize-query.ts';
import { takeDecision } from './consent-decision.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import {
  authorizationServerMetadata,
  openidMetadata,
  PATHS,
  protectedResourceMetadata,
} from './metadata.ts';
import { renderOAuthError } from './oauth-errors.ts';
import { createProvider, type FetchDocument } from './provider.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rate limit to count against, by client address. */
    limit?: LimitName;
  }
}

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The library's own limit, but with our error. */
const MAX_BODY_BYTES = 56 * 1024;

const EXPOSED_HEADERS = [
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** Creates the authorization server's surface: `{base_url}/oauth`, `/sso` and their metadata. */
export async function createOAuthSurface(
  http: HttpParts,
  parts: { context: Context; limiter: RateLimiter; fetchDocument?: FetchDocument | undefined },
): Promise<FastifyInstance> {
  const { config, logger } = http;
  const { context, limiter, fetchDocument = fetchGuarded } = parts;
  const keys = await loadAuthorizationKeys(context);
  const provider = createProvider({ config, context, keys, fetchDocument, logger });
  const answer = provider.callback();
  const base = new URL(config.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const app = createSurface({
    ...http,
    surface: 'oauth',
    headers: HEADERS,
    renderError: renderOAuthError,
  });

  refuseSubresources(app);
  app.addHook('onRequest', async (request, reply) => {
    const { limit } = request.routeOptions.config;
    if (limit) showAllowance(reply, await limiter.consume(limit, addressKey(request.ip)));
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      throw new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is over the size limit.');
    }
  });
  // The library parses bodies.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  /** Passes a request to the library, with our public address in the forwarded headers. */
  function delegate(request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    request.raw.headers['x-forwarded-proto'] = base.protocol.slice(0, -1);
    request.raw.headers['x-forwarded-host'] = base.host;
    answer(request.raw, reply.raw);
  }

  await app.register(async (programs) => {
    await allowOtherOrigins(programs, {
      methods: ['GET', 'HEAD', 'POST'],
      allowedHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
      exposedHeaders: EXPOSED_HEADERS,
    });
    programs.post(prefix + PATHS.token, { config: { limit: 'oauthToken' } }, delegate);
    programs.post(prefix + PATHS.register, { config: { limit: 'oauthRegister' } }, delegate);
    programs.post(prefix + PATHS.revoke, { config: { limit: 'oauthRevoke' } }, delegate);
    programs.post(prefix + PATHS.introspect, { config: { limit: 'oauthIntrospect' } }, delegate);
    programs.get(prefix + PATHS.keys, delegate);
    addMetadata(programs, config.baseUrl, prefix);
  });

  app.get(prefix + PATHS.authorize, { config: { limit: 'ssoAuthorize' } }, (request, reply) => {
    const [path, query = ''] = (request.raw.url ?? '').split(/\?(.*)/s);
    request.raw.url = `${path}?${tidyAuthorizeQuery(query)}`;
    delegate(request, reply);
  });
  const secret = { config: { secretPath: true } };
  app.get<{ Params: { uid: string } }>(
    `${prefix}${PATHS.authorize}/:uid`,
    secret,
    (request, reply) => {
      // An empty uid would reach the route above without its rate limit.
      if (!/^[\w-]+$/.test(request.params.uid)) {
        throw nothingAtAddress();
      }
      delegate(request, reply);
    },
  );
  app.get<{ Params: { uid: string }; Querystring: { code?: unknown } }>(
    `${prefix}${PATHS.authorize}/:uid/decided`,
    secret,
    (request, reply) => takeDecision(provider, context, request, reply),
  );
  return app;
}

function addMetadata(app: FastifyInstance, baseUrl: string, prefix: string): void {
  const documents = new Map<string, object>();
  // Also at the root, for clients that ignore the issuer's path.
  for (const path of new Set(['', prefix])) {
    const server = authorizationServerMetadata(baseUrl);
    documents.set(`/.well-known/oauth-authorization-server${path}`, server);
    documents.set(`/.well-known/openid-configuration${path}`, openidMetadata(baseUrl));
    documents.set(`${path}/.well-known/openid-configuration`, openidMetadata(baseUrl));
    documents.set(`${path}/.well-known/oauth-authorization-server`, server);
  }
  const root = protectedResourceMetadata(baseUrl, baseUrl);
  documents.set('/.well-known/oauth-protected-resource', root);
  for (const resource of ownResources(baseUrl)) {
    const { pathname } = new URL(resource);
    const path = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
    documents.set(path, protectedResourceMetadata(baseUrl, resource));
  }
  for (const [path, document] of documents) {
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send(document),
    );
  }
}
