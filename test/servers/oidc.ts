import { strict as assert } from 'node:assert';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';
import type { Answer } from '../harness.ts';
import type { Visitor } from '../sign-in/visitor.ts';

/** A person at the provider, with the claims about them. */
export interface Person {
  sub: string;
  claims?: Record<string, unknown>;
  /** When they signed in there: seconds since 1970. By default, now. */
  signedInAt?: number;
  /** What the provider says instead of `sub`. */
  saidToBe?: string;
}

/** A real OpenID provider for signing in. */
export interface OidcServer {
  issuer: string;
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  /** The person at the browser; `undefined` is someone who declines. */
  person: Person | undefined;
  /** What it publishes as its keys (JWKS); `undefined` for those that it signs with. */
  publishedKeys: object | undefined;
  /** The ids of people who have left: they can sign in no longer, and their tokens are refused. */
  left: Set<string>;
  /** Whether it doesn't respond. */
  isAway: boolean;
  /** A path whose responses are another server's page. */
  brokenPath: string | undefined;
  /** Makes a logout token, with other claims or another header than usual. */
  logoutToken(claims: Record<string, unknown>, header?: Record<string, unknown>): string;
  /** The authorization requests that the provider received. */
  requests: URLSearchParams[];
  close(): Promise<void>;
}

const CLIENT_ID = 'briefs';
const CLIENT_SECRET = 'a secret of sixteen and more characters';

/** Starts a provider with one client, which asks no one for a password. */
export async function startOidcServer(options: {
  redirectUri: string;
  authMethod?: 'client_secret_basic' | 'client_secret_post';
}): Promise<OidcServer> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const authMethod = options.authMethod ?? 'client_secret_basic';
  const oidc: OidcServer = {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_NAME: 'Example ID',
    },
    person: { sub: 'ada' },
    publishedKeys: undefined,
    requests: [],
    left: new Set(),
    isAway: false,
    brokenPath: undefined,
    logoutToken(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = {
        iss: issuer,
        aud: CLIENT_ID,
        iat: now,
        exp: now + 120,
        jti: randomUUID(),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      };
      const parts = [
        { alg: 'RS256', typ: 'logout+jwt', ...header },
        { ...usual, ...claims },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const signed = parts.join('.');
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [options.redirectUri],
        post_logout_redirect_uris: [`${new URL(options.redirectUri).origin}/`],
        grant_types: ['authorization_code', 'refresh_token'],
        backchannel_logout_uri: `${new URL(options.redirectUri).origin}/sign-in/back-channel-logout`,
        backchannel_logout_session_required: true,
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    cookies: { keys: ['for tests'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups', 'team'],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: async (_context, accountId) =>
      oidc.left.has(accountId)
        ? undefined
        : { accountId, claims: async () => ({ ...oidc.person?.claims, sub: accountId }) },
    async loadExistingGrant({ oidc: { client, session } }) {
      const clientId = client?.clientId as string;
      const grant = new provider.Grant({ clientId, accountId: session?.accountId as string });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on('request', async (request, response) => {
    if (oidc.isAway) return response.destroy();
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === oidc.brokenPath) {
      response.setHeader('content-type', 'text/html');
      return response.end('<p>Maintenance</p>');
    }
    if (url.pathname === '/jwks' && oidc.publishedKeys) {
      response.setHeader('content-type', 'application/jwk-set+json');
      return response.end(JSON.stringify(oidc.publishedKeys));
    }
    if (url.pathname === '/auth') oidc.requests.push(url.searchParams);
    const saidToBe = oidc.person?.saidToBe;
    if (url.pathname === '/token' && saidToBe !== undefined && !url.search) {
      const { authorization = '', 'content-type': type = '' } = request.headers;
      const headers = { authorization, 'content-type': type };
      const body = await text(request);
      const answer = await fetch(`${url}?inner`, { method: 'POST', headers, body });
      const { id_token: token, ...others } = await answer.json();
      const [head, claims] = token.split('.');
      const changed = { ...JSON.parse(`${Buffer.from(claims, 'base64url')}`), sub: saidToBe };
      const signed = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
      const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ ...others, id_token: `${signed}.${signature}` }));
    }
    if (!url.pathname.startsWith('/interaction/')) return handle(request, response);
    const { person } = oidc;
    const { sub: accountId, signedInAt: ts } = person ?? { sub: '' };
    const login = { accountId, ...(ts !== undefined && { ts }) };
    const result = person ? { login } : { error: 'access_denied' };
    await provider.interactionFinished(request, response, result);
  });
  return oidc;
}

/** Returns where a page that opens another by itself leads. */
export function leadsTo({ status, text }: Answer): string {
  assert.equal(status, 200, text);
  const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text) ?? [];
  return url.replaceAll('&amp;', '&');
}

/** Presses the button of the sign-in page. @returns the provider's address that it leads to */
export async function departure(
  visitor: Visitor,
  fields: Record<string, string> = {},
): Promise<string> {
  return leadsTo(await visitor.post('/sign-in/upstream', fields));
}

/**
 * Completes the provider's pages with a new browser.
 *
 * @param url where the service sent the visitor
 * @returns the address that the provider redirects back to
 */
export async function goThrough(oidc: OidcServer, url: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  while (next.origin === oidc.issuer) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`The provider answers ${response.status} at ${next}`);
    next = new URL(location, next);
  }
  return next;
}
