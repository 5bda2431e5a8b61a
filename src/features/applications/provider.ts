import { timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import Provider, {
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';
import { addressKey, type RateLimiter } from '../../base/limits/rate-limit.ts';
import type { Resolve } from '../../base/net/name-lookups.ts';
import type { Config } from '../../core/config/config.ts';
import type { Context } from '../../core/context.ts';
import type { AuthorizationKeys } from '../../core/identity/key-service.ts';
import { ownResources, resourceOf } from '../../core/identity/resources.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { clientAddress, proxyRule, shownAddress } from '../../surfaces/http/client-address.ts';
import { createAdapters } from './adapter.ts';
import {
  type ClientMetadata,
  GRANT_TYPES,
  RESPONSE_TYPES,
  tidyClientMetadata,
} from './client-metadata.ts';
import { isActiveAccount } from './consent-service.ts';
import { DEVICE_PATH } from './device-page.tsx';
import { LIFETIMES } from './lifetimes.ts';
import { CLIENT_AUTHENTICATION, PATHS } from './metadata.ts';
import { renderErrorPage } from './oauth-error-page.tsx';
import { createPolicy, describeDevice } from './policy.ts';
import { spellings } from './redirect-uri.ts';

/**
 * Returns a function that tells whether an http or https address is on one of these hosts, in any
 * spelling. Anyone can publish there, so these hosts must not vouch for an application or receive
 * its codes.
 */
export function ownHosts(addresses: string[]): (address: string) => boolean {
  const own = addresses.map(hostAndPort);
  return (address) => {
    const host = hostAndPort(address);
    return host !== undefined && own.includes(host);
  };
}

/** This machine's names and addresses, as the URL parser normalises them. */
const THIS_MACHINE =
  /^((.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[\da-f]{2}:[\da-f]+|0:0)\])$/;

/** Returns host and port; `undefined` for an address that is neither http nor https. */
function hostAndPort(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const host = THIS_MACHINE.test(url.hostname) ? 'localhost' : url.hostname.replace(/\.$/, '');
  return `${host}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/**
 * Fetches a client's metadata document.
 *
 * @param resolve looks up hosts for the client that sent the address
 */
export type FetchDocument = (
  address: string | URL | Request,
  resolve: Resolve,
) => Promise<Response>;

/** Creates the authorization server: OAuth 2.1 with PKCE, for public and confidential clients. */
export function createProvider(parts: {
  config: Pick<Config, 'baseUrl' | 'webUrl' | 'renderUrl' | 'trustProxy'>;
  context: Context;
  keys: AuthorizationKeys;
  fetchDocument: FetchDocument;
  logger: FastifyBaseLogger;
}): Provider {
  const { config, context, keys, fetchDocument, logger } = parts;
  const { baseUrl, webUrl, renderUrl } = config;
  const trustProxy = proxyRule(config.trustProxy);
  const addressOf = (request: IncomingMessage) => clientAddress(request, trustProxy) ?? 'unknown';
  const isOurs = ownHosts([baseUrl, webUrl, renderUrl]);
  const { pathname, protocol } = new URL(baseUrl);
  const prefix = pathname.replace(/\/$/, '');
  const cookiePrefix = protocol === 'https:' ? '__Secure-' : '';
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;

  const configuration: Configuration = {
    adapter: createAdapters(context),
    jwks: { keys: keys.signing as never },
    cookies: {
      keys: createCookieKeys(keys.cookie),
      names: {
        session: `${cookiePrefix}briefs-authorization`,
        interaction: `${cookiePrefix}briefs-interaction`,
        resume: `${cookiePrefix}briefs-request`,
      },
      // Sessions are not stored, so keep their cookie off other paths.
      long: { ...cookie, path: `${prefix}/oauth` },
      short: cookie,
    },
    routes: {
      authorization: prefix + PATHS.authorize,
      token: prefix + PATHS.token,
      device_authorization: prefix + PATHS.device,
      // Not served: the web app has the page.
      code_verification: `${prefix + PATHS.device}/code`,
      registration: prefix + PATHS.register,
      revocation: prefix + PATHS.revoke,
      introspection: prefix + PATHS.introspect,
      jwks: prefix + PATHS.keys,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        deviceInfo: (ctx) => ({
          ...describeDevice(ctx as KoaContextWithOIDC, shownAddress(addressOf(ctx.req)) as string),
        }),
      },
      registration: {
        enabled: true,
        initialAccessToken: false,
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: { min: 60, max: 3600 },
        allowFetch: async (_ctx, clientId) => !isOurs(clientId),
      },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) =>
          (await isOwnToken(ctx, client, token)) &&
          'accountId' in token &&
          (await isActiveAccount(context, token.accountId as string)),
      },
      resourceIndicators: {
        enabled: true,
        // The library allows one at the token endpoint; `resourceServer` adds all to the token.
        defaultResource: async (_ctx, _client, oneOf) => oneOf?.[0] ?? ownResources(baseUrl),
        useGrantedResource: async () => true,
        getResourceServerInfo: async (ctx, resource) => resourceServer(ctx, baseUrl, resource),
      },
    },
    responseTypes: RESPONSE_TYPES as ['code'],
    clientAuthMethods: [...CLIENT_AUTHENTICATION],
    clientDefaults: {
      grant_types: GRANT_TYPES,
      response_types: RESPONSE_TYPES as ['code'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    // The property's name does not matter. The validator runs once and gets all metadata.
    extraClientMetadata: {
      properties: ['briefs'],
      validator: (_ctx, _key, _value, metadata) => checkClient(metadata, isOurs),
    },
    scopes: [],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => true,
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Revoking any token ends the whole connection.
    revokeGrantPolicy: () => true,
    ttl: {
      Interaction: seconds(LIFETIMES.interaction),
      AuthorizationCode: seconds(LIFETIMES.code),
      DeviceCode: seconds(LIFETIMES.device),
      AccessToken: seconds(LIFETIMES.access),
      RefreshToken: seconds(LIFETIMES.refresh),
      Grant: seconds(LIFETIMES.grant),
      Session: seconds(LIFETIMES.interaction),
    },
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { uid }) => `${webUrl}/authorize/${uid}`,
    },
    findAccount: async (_ctx, accountId) =>
      (await isActiveAccount(context, accountId))
        ? { accountId, claims: async () => ({ sub: accountId }) }
        : undefined,
    fetch: async (address) => {
      const request = Provider.ctx?.req;
      const resolve = context.lookups.ofClient(request ? addressOf(request) : 'unknown');
      return requireJson(await fetchDocument(address, resolve));
    },
    renderError(ctx, { error, error_description: description }) {
      const page = renderErrorPage({ error, description: description ?? 'Something went wrong.' });
      ctx.set(page.headers);
      ctx.body = page.html;
    },
  };

  const provider = new Provider(baseUrl, configuration);
  // The library builds our addresses from forwarded headers, which the surface sets.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    await finishForDevice(ctx as KoaContextWithOIDC, {
      limiter: context.limiter,
      page: webUrl + DEVICE_PATH,
      address: addressOf(ctx.req),
    });
  });
  provider.Client.prototype.compareClientSecret = hasSecret;
  // Loopback redirects can use any port (RFC 8252, section 7.3) except ours.
  const { redirectUriAllowed } = provider.Client.prototype;
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return !isOurs(uri) && spellings(uri).some((each) => redirectUriAllowed.call(this, each));
  };
  // Errors of the library, and of the framework below it.
  for (const event of ['server_error', 'error']) {
    (provider as EventEmitter).on(event, (...[first, second]) =>
      logger.error({ err: second instanceof Error ? second : first }, 'request failed'),
    );
  }
  return provider;
}

/** How often a device can ask, in seconds. `devicePoll` has the limit. */
const POLLING_INTERVAL_S = 5;

/**
 * Completes what the library answers to devices: where their users enter the code, and whether they ask
 * too often. Waiting doesn't count as token requests, because those are limited by address.
 */
async function finishForDevice(
  ctx: KoaContextWithOIDC,
  { limiter, page, address }: { limiter: RateLimiter; page: string; address: string },
): Promise<void> {
  const body = ctx.body as Record<string, unknown> | undefined;
  const { route, params } = ctx.oidc ?? {};
  if (route === 'device_authorization' && body?.user_code) {
    Object.assign(body, {
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${body.user_code}`,
      interval: POLLING_INTERVAL_S,
    });
  }
  if (route !== 'token' || body?.error !== 'authorization_pending') return;
  const polls = await limiter.consume('devicePoll', hashSecret(String(params?.device_code)));
  if (polls?.allowed === false) {
    ctx.body = { error: 'slow_down', error_description: 'wait 5 seconds longer between requests' };
  } else await limiter.refund('oauthToken', addressKey(address));
}

/** @throws InvalidTarget, InvalidScope */
function resourceServer(ctx: KoaContextWithOIDC, baseUrl: string, resource: string) {
  const own = resourcesOfToken(ctx, resource).map((named) => resourceOf(baseUrl, named));
  if (own.includes(undefined)) throw new errors.InvalidTarget();
  const { route, requestParamScopes } = ctx.oidc;
  const asksForAny = [...requestParamScopes].some((scope) => scope !== 'offline_access');
  const isAsking = route === 'authorization' || (route === 'device_authorization' && asksForAny);
  if (isAsking && !ALL_SCOPES.some((scope) => requestParamScopes.has(scope))) {
    throw new errors.InvalidScope(
      'all requested scopes are unknown',
      [...requestParamScopes].join(' '),
    );
  }
  return {
    audience: [...new Set(own)].join(' '),
    scope: ALL_SCOPES.join(' '),
    accessTokenFormat: 'opaque' as const,
    accessTokenTTL: seconds(LIFETIMES.access),
  };
}

/**
 * Lists the resources of an access token: those in the token request, or all that the user
 * consented to (RFC 8707, section 2.2). The library itself uses only the first, `resource`.
 *
 * @throws InvalidTarget if the request names others
 */
function resourcesOfToken({ oidc }: KoaContextWithOIDC, resource: string): string[] {
  const source =
    oidc.entities.RefreshToken ?? oidc.entities.AuthorizationCode ?? oidc.entities.DeviceCode;
  if (oidc.route !== 'token' || !source) return [resource];
  const consented = [source.resource ?? resource].flat();
  const named = [(oidc.params?.resource as string | string[] | undefined) ?? consented].flat();
  if (!named.every((each) => consented.includes(each))) throw new errors.InvalidTarget();
  return named;
}

/** Limits revocation and introspection to the client's own tokens. */
async function isOwnToken(
  _ctx: unknown,
  client: { clientId: string },
  token: { clientId?: string | undefined },
): Promise<boolean> {
  return token.clientId === client.clientId;
}

/**
 * Requires a JSON content type, because other files on a host may be user content. @throws Error
 */
function requireJson(response: Response): Response {
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/([\w.-]+\+)?json *(;|$)/i.test(type) || response.status !== 200)
    return response;
  throw new Error('the document is not served as JSON');
}

/** Checks and normalises a client's metadata in place. @throws InvalidClientMetadata */
function checkClient(metadata: object, isOurs: (address: string) => boolean): void {
  const given = metadata as ClientMetadata;
  const tidied = tidyClientMetadata(given);
  if ('problem' in tidied) throw new errors.InvalidClientMetadata(tidied.problem);
  if ((tidied.metadata.redirect_uris as string[]).some(isOurs)) {
    throw new errors.InvalidClientMetadata('redirect_uris must not be addresses of this service');
  }
  for (const name of Object.keys(given)) delete given[name];
  Object.assign(given, tidied.metadata);
}

/** Compares with the hash of the client's secret, in constant time. */
async function hasSecret(this: Client, given: string): Promise<boolean> {
  const stored = Buffer.from(this.clientSecret ?? '');
  const hashed = Buffer.from(hashSecret(given));
  return stored.length === hashed.length && timingSafeEqual(stored, hashed);
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/**
 * Returns what signs the library's cookies, with HMAC-SHA-256. With the keys alone it would use SHA-1.
 *
 * @param secrets the first signs, all are accepted
 */
function createCookieKeys(secrets: readonly string[]) {
  const keys = secrets.map((secret) => deriveKey(secret, 'authorization cookie'));
  const index = (text: string, mac: string) => keys.findIndex((key) => isMacOf(mac, text, key));
  return {
    sign: (text: string) => macOf(text, keys[0] as Uint8Array),
    /** @returns which key signed the text; -1 if none did */
    index,
    verify: (text: string, mac: string) => index(text, mac) >= 0,
  };
}
