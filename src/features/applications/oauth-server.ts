import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { FieldError, nothingAtAddress, ServiceError } from '../../base/errors.ts';
import { addressKey, type LimitName, type RateLimiter } from '../../base/limits/rate-limit.ts';
import { queryOf } from '../../core/config/listening-addresses.ts';
import type { Context } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { ownResources, resourceAsCalled } from '../../core/identity/resources.ts';
import { ALL_SCOPES, type Scope, USUAL_SCOPES } from '../../core/identity/scope.ts';
import { refuseOtherMethods } from '../../surfaces/http/allowed-methods.ts';
import { showAllowance } from '../../surfaces/http/authentication.ts';
import { BARE_HEADERS } from '../../surfaces/http/bare-headers.ts';
import { allowOtherOrigins } from '../../surfaces/http/cors.ts';
import { refuseSubresources } from '../../surfaces/http/destination.ts';
import { createSurface, type ErrorRenderer, type HttpParts } from '../../surfaces/http/surface.ts';
import { applyDecision } from './consent-service.ts';
import { fetchGuarded } from './guarded-fetch.ts';
import {
  authorizationServerMetadata,
  openidMetadata,
  PATHS,
  protectedResourceMetadata,
} from './metadata.ts';
import { renderErrorPage } from './oauth-error-page.tsx';
import { promptResults } from './policy.ts';
import { createProvider, type FetchDocument } from './provider.ts';

/** OAuth's names of our errors (RFC 6749, sections 4.1.2.1 and 5.2). */
const NAMES: Partial<Record<ServiceError['code'], string>> = {
  INTERNAL: 'server_error',
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
};

/** Renders a page for browsers and OAuth's JSON for programs. 404 and 405 have the API's format. */
const renderOAuthError: ErrorRenderer = (error, { accept }) => {
  const name = NAMES[error.code] ?? 'invalid_request';
  if (/\btext\/html\b/.test(accept ?? '')) {
    const page = renderErrorPage({ error: name, description: error.message });
    return { contentType: 'text/html; charset=utf-8', body: page.html, headers: page.headers };
  }
  const isOfAddress = error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED';
  const body = isOfAddress ? error.toBody() : { error: name, error_description: error.message };
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
};

/**
 * Applies a user's decision, which arrives as a code from the web host. Accepts it only in the
 * browser that started the request. Otherwise an attacker could start a request, have someone else
 * consent to it, and use that grant.
 */
async function takeDecision(
  provider: Provider,
  context: Context,
  request: FastifyRequest<{ Params: { uid: string }; Querystring: { code?: unknown } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { uid } = request.params;
  const { code } = request.query;
  const { cookies } = provider.createContext(request.raw, reply.raw);
  if (cookies.get(provider.cookieName('resume'), { signed: true }) !== uid) {
    throw new ServiceError(
      'BAD_REQUEST',
      'This request started in another browser, so nothing was connected. If you did not start it, ' +
        'someone may have tried to connect their app to your account.',
    );
  }
  if (typeof code !== 'string') throw new FieldError('BAD_REQUEST', 'code', 'is missing.');
  const granted = await applyDecision(context, uid, code);
  const interaction = await provider.Interaction.find(uid);
  if (!interaction) {
    throw new ServiceError('BAD_REQUEST', 'This request has expired. Connect again from the app.');
  }
  interaction.result = granted ? promptResults(granted) : DENIED;
  await interaction.persist();
  return reply.redirect(interaction.returnTo, 303);
}

const DENIED = { error: 'access_denied', error_description: 'The user denied the request.' };

/** The parameters that we use; others are ignored (OAuth 2.1, 4.1.1). */
const KNOWN = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'response_mode',
  'prompt',
  // Unsupported, but too important to ignore: the library refuses them.
  'request',
  'request_uri',
];

/**
 * Normalises an authorization request's query: drops unknown parameters and scopes. If no scope is
 * requested, requests the usual ones, because users choose among them anyway. A request with only unknown
 * scopes, or with repeated parameters, is left for the library to refuse.
 */
function tidyAuthorizeQuery(query: string): string {
  const given = new URLSearchParams(query);
  const tidy = new URLSearchParams([...given].filter(([name]) => KNOWN.includes(name)));
  const scopes = given.getAll('scope');
  if (scopes.length <= 1) tidy.set('scope', tidyScope(scopes[0] ?? ''));
  const modes = given.getAll('response_mode');
  // Makes the library report any other mode as unsupported, in the query.
  if (modes.length === 1 && modes[0] !== 'query') tidy.set('response_mode', 'unsupported');
  return tidy.toString();
}

function tidyScope(text: string): string {
  // Every connection has a refresh token, so asking for one asks for no scope.
  const asked = text.split(' ').filter((scope) => scope !== '' && scope !== 'offline_access');
  if (asked.length === 0) return USUAL_SCOPES.join(' ');
  const known = ALL_SCOPES.filter((scope) => asked.includes(scope));
  return known.length > 0 ? known.join(' ') : text;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rate limit to count against, by client address. */
    limit?: LimitName;
  }
}

const HEADERS = {
  ...BARE_HEADERS,
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

/** Returns the scopes of the tools that `?tools=` chooses. @throws BAD_REQUEST */
type ScopesOfAddress = (tools: string | string[] | undefined) => readonly Scope[];

/** Creates the authorization server's surface: `{base_url}/oauth`, `/sso` and their metadata. */
export async function createOAuthSurface(
  http: HttpParts,
  parts: {
    context: Context;
    limiter: RateLimiter;
    fetchDocument?: FetchDocument | undefined;
    scopesOfAddress: ScopesOfAddress;
  },
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
  refuseOtherMethods(app);
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
    programs.post(prefix + PATHS.device, { config: { limit: 'oauthDevice' } }, delegate);
    programs.post(prefix + PATHS.register, { config: { limit: 'oauthRegister' } }, delegate);
    programs.post(prefix + PATHS.revoke, { config: { limit: 'oauthRevoke' } }, delegate);
    programs.post(prefix + PATHS.introspect, { config: { limit: 'oauthIntrospect' } }, delegate);
    programs.get(prefix + PATHS.keys, delegate);
    addMetadata(programs, { baseUrl: config.baseUrl, prefix }, parts.scopesOfAddress);
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

const METADATA_HEADERS = { 'cache-control': 'public, max-age=300' };

function addMetadata(
  app: FastifyInstance,
  { baseUrl, prefix }: { baseUrl: string; prefix: string },
  scopesOfAddress: ScopesOfAddress,
): void {
  const documents = new Map<string, object>();
  // Also at the root, for clients that ignore the issuer's path.
  for (const path of new Set(['', prefix])) {
    const server = authorizationServerMetadata(baseUrl);
    documents.set(`/.well-known/oauth-authorization-server${path}`, server);
    documents.set(`/.well-known/openid-configuration${path}`, openidMetadata(baseUrl));
    documents.set(`${path}/.well-known/openid-configuration`, openidMetadata(baseUrl));
    documents.set(`${path}/.well-known/oauth-authorization-server`, server);
  }
  const root = protectedResourceMetadata(baseUrl, baseUrl, USUAL_SCOPES);
  documents.set('/.well-known/oauth-protected-resource', root);
  for (const resource of ownResources(baseUrl)) {
    const { pathname } = new URL(resource);
    const path = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const called = resourceAsCalled(resource, queryOf(request.url));
      const { tools } = request.query as { tools?: string | string[] };
      const scopes =
        resource === baseUrl
          ? USUAL_SCOPES
          : scopesOfAddress(called === resource ? undefined : tools);
      const metadata = protectedResourceMetadata(baseUrl, called, scopes);
      return reply.headers(METADATA_HEADERS).send(metadata);
    };
    // If the API has no path, this is the root's.
    documents.delete(path);
    app.get(path, answer);
    // For clients whose address of the resource ends so.
    app.get(`${path}/`, answer);
  }
  for (const [path, document] of documents) {
    app.get(path, async (_request, reply) => reply.headers(METADATA_HEADERS).send(document));
  }
}
