import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import { type Answer, readAnswer, type Service } from '../harness.ts';
import type { Visitor } from './visitor.ts';

/** The addresses of a service. */
export type Hosts = Pick<Service, 'webUrl' | 'baseUrl'>;

/** A registered application, as its developer knows it. */
export interface Registered {
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
  [name: string]: unknown;
}

export const REDIRECT = 'http://127.0.0.1:9123/callback';

/** Registers an application; a public one unless `metadata` says otherwise. */
export async function register(
  service: Hosts,
  metadata: Record<string, unknown> = {},
): Promise<Registered> {
  const answer = await postRegistration(service, metadata);
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

export async function postRegistration(
  service: Hosts,
  metadata: Record<string, unknown> = {},
): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Scribe',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
  return readAnswer(response);
}

/** An application's secret, and its challenge (RFC 7636). */
export function makePkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns the address of the authorization request; `undefined` omits a parameter. */
export function authorizeUrl(
  service: Hosts,
  parameters: Record<string, string | string[] | undefined>,
): string {
  const url = new URL(`${service.baseUrl}/sso/authorize`);
  const all = { response_type: 'code', code_challenge_method: 'S256', state: 'st', ...parameters };
  for (const [name, value] of Object.entries(all)) {
    for (const each of [value].flat()) if (each !== undefined) url.searchParams.append(name, each);
  }
  return url.href;
}

/** Returns the target of a redirect; fails the test if the response isn't one. */
export function locationOf(answer: Answer): URL {
  const location = answer.headers.get('location');
  assert.ok(location, `${answer.status} ${answer.text.slice(0, 600)}`);
  return new URL(location);
}

/** Opens the consent screen in a person's browser. @returns its address */
export async function goToConsent(
  service: Hosts,
  visitor: Visitor,
  parameters: Record<string, string | string[] | undefined>,
): Promise<string> {
  const started = await visitor.get(authorizeUrl(service, parameters));
  const { href } = locationOf(started);
  assert.match(href, new RegExp(`^${service.webUrl}/authorize/[\\w-]{20,}$`));
  return href;
}

export const EVERYTHING = [
  'documents:read',
  'documents:write',
  'comments',
  'sharing',
  'organizations',
  'profile',
  'profile:write',
];

/**
 * Decides on the consent screen.
 *
 * @returns the response to the form, which redirects to the API's host
 */
export function decideAt(
  visitor: Visitor,
  page: string,
  scopes: readonly string[] | 'deny',
): Promise<Answer> {
  const fields: [string, string][] =
    scopes === 'deny'
      ? [['decision', 'deny']]
      : [['decision', 'allow'], ...scopes.map((scope): [string, string] => ['scope', scope])];
  return visitor.submit(page, fields);
}

/** Follows redirects until they leave the service. @returns the application's address */
export async function followOut(service: Hosts, visitor: Visitor, first: Answer): Promise<URL> {
  let answer = first;
  for (let step = 0; step < 6; step++) {
    const url = locationOf(answer);
    if (![service.baseUrl, service.webUrl].some((own) => url.href.startsWith(own))) return url;
    answer = await visitor.get(url.href);
  }
  throw new Error('The redirects do not end.');
}

/** Runs the flow until there is a code. */
export async function obtainCode(
  service: Hosts,
  visitor: Visitor,
  client: Registered,
  options: {
    scopes?: readonly string[];
    challenge: string;
    redirectUri?: string;
    parameters?: Record<string, string | string[] | undefined>;
  },
): Promise<string> {
  const page = await goToConsent(service, visitor, {
    client_id: client.client_id,
    redirect_uri: options.redirectUri ?? client.redirect_uris[0],
    code_challenge: options.challenge,
    ...options.parameters,
  });
  const decided = await decideAt(visitor, page, options.scopes ?? EVERYTHING);
  const back = await followOut(service, visitor, decided);
  const code = back.searchParams.get('code');
  assert.ok(code, back.href);
  assert.equal(back.searchParams.get('iss'), service.baseUrl);
  return code;
}

/** Sends a token request. */
export async function postToken(
  service: Pick<Service, 'baseUrl'>,
  client: Registered,
  fields: Record<string, string | string[] | undefined>,
): Promise<Answer> {
  const body = new URLSearchParams();
  const all = { client_id: client.client_id, client_secret: client.client_secret, ...fields };
  for (const [name, value] of Object.entries(all)) {
    for (const each of [value].flat()) if (each !== undefined) body.append(name, each);
  }
  return readAnswer(await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body }));
}

export function redeem(
  service: Pick<Service, 'baseUrl'>,
  client: Registered,
  fields: { code: string; code_verifier: string } & Record<string, string | string[] | undefined>,
): Promise<Answer> {
  return postToken(service, client, {
    grant_type: 'authorization_code',
    redirect_uri: client.redirect_uris[0],
    ...fields,
  });
}

export function refresh(
  service: Pick<Service, 'baseUrl'>,
  client: Registered,
  token: string,
  more: Record<string, string | string[] | undefined> = {},
): Promise<Answer> {
  return postToken(service, client, {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...more,
  });
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
}

/** Runs the flow until there are tokens. */
export async function obtainTokens(
  service: Hosts,
  visitor: Visitor,
  client: Registered,
  options: {
    scopes?: readonly string[];
    parameters?: Record<string, string | string[] | undefined>;
  } = {},
): Promise<Tokens> {
  const { verifier, challenge } = makePkce();
  const code = await obtainCode(service, visitor, client, { ...options, challenge });
  const answer = await redeem(service, client, { code, code_verifier: verifier });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** The status of `GET /user` with a token. */
export async function statusWith(
  service: Pick<Service, 'baseUrl'>,
  token: string,
): Promise<number> {
  const response = await fetch(`${service.baseUrl}/user`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

/** Lists the tools at `{base_url}/mcp` with a token. */
export function listTools(service: Pick<Service, 'baseUrl'>, token: string): Promise<Response> {
  return fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
}

/** Settings with no limits, for tests of something else. */
export const UNLIMITED = {
  RATE_LIMIT_OAUTH_TOKEN: 'off',
  RATE_LIMIT_SSO_AUTHORIZE: 'off',
  RATE_LIMIT_OAUTH_REGISTER: 'off',
};

/** Asserts an error in OAuth's format (RFC 6749, section 5.2). */
export function assertOAuthError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error, error, answer.text);
  const known = ['error', 'error_description', 'error_detail', 'scope', 'iss', 'state'];
  assert.deepEqual(
    Object.keys(answer.json).filter((name) => !known.includes(name)),
    [],
  );
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
}
