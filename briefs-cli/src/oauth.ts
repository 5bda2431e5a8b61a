import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Login } from './credentials.ts';
import { type HttpAnswer, send } from './http.ts';
import { CommandError, EXIT, Unreachable } from './outcome.ts';

/** What all commands need. The consent screen lets people leave some out. */
export const SCOPES = 'documents:read documents:write comments sharing profile';

/** How long a person has to sign in and decide. */
const PATIENCE_MS = 10 * 60_000;

/** RFC 8628. */
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** How long before its expiry to refresh a token, so that it doesn't expire on the way. */
const EARLY_MS = 60_000;

/**
 * Returns the address of the API at a server.
 *
 * @param address of the web app or the API
 * @throws CommandError if there is no such service
 */
export async function discover(address: string): Promise<string> {
  if (!/^[a-z]+:\/\//i.test(address)) return discover(withScheme(address));
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address)) {
    throw new CommandError(
      `“${address}” is not an address such as https://briefs.example.`,
      EXIT.usage,
    );
  }
  const given = address.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const { status, json } = await send(`${given}/.well-known/oauth-authorization-server`);
  const issuer = json?.issuer;
  const isOwn =
    typeof issuer === 'string' &&
    URL.canParse(issuer) &&
    new URL(issuer).origin === new URL(given).origin;
  if (status === 200 && isOwn) return issuer.replace(/\/+$/, '');
  // A proxy says so while the service starts.
  if (status >= 500 || status === 429) throw unavailable(given, status);
  // It may be the address of a document.
  const { origin } = new URL(given);
  if (given !== origin) return discover(origin);
  throw new CommandError(
    `There is no Briefs service at ${given}. If its API has its own host, use that address.`,
  );
}

/** Adds the scheme that an address most likely has. */
function withScheme(address: string): string {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/.test(address);
  return `${isHere ? 'http' : 'https'}://${address}`;
}

function unavailable(address: string, status: number): Unreachable {
  return new Unreachable(`${new URL(address).host} answers with status ${status} for now.`);
}

/** Returns the server's name for files and commands, from the address of its API or web app. */
export function serverOf(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** This program's client id at a server: the known one, and what stores a new one. */
export interface Clients {
  known: string | undefined;
  store: (clientId: string) => void;
}

/**
 * Signs a user in with their browser: registers this program if the server doesn't know it, sends the user to the consent screen,
 * and receives the code on this computer (RFC 8252, section 7.3; PKCE).
 *
 * @param show opens the address, or shows it to the user; `false` to give up
 * @returns `undefined` if `show` gave up
 */
export async function signIn(
  base: string,
  clients: Clients,
  show: (url: string) => Promise<boolean>,
  scopes: string,
): Promise<Login | undefined> {
  const callback = createServer();
  await once(callback.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = callback.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const [verifier, state] = [secret(), secret()];
    const addressFor = (clientId: string) => {
      const url = new URL(`${base}/sso/authorize`);
      url.search = String(
        new URLSearchParams({
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
          scope: scopes,
          resource: base,
          state,
        }),
      );
      return url;
    };
    const isKnown = clients.known !== undefined && (await isAccepted(addressFor(clients.known)));
    const clientId = isKnown ? (clients.known as string) : await register(base);
    if (!isKnown) clients.store(clientId);
    const url = addressFor(clientId);
    if (!(await show(url.href))) return undefined;
    const code = await receiveCode(callback, { state, issuer: base });
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const answer = await postToken(base, {
      ...fields,
      client_id: clientId,
      redirect_uri: redirectUri,
    });
    return loginOf(base, clientId, answer);
  } finally {
    callback.close();
    callback.closeAllConnections();
  }
}

/** What a server tells a device without a browser (RFC 8628, section 3.2). */
export interface DeviceCodes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete?: string;
  expires_in: number;
  interval?: number;
}

/**
 * Signs a user in with a browser anywhere: shows an address and a code, and asks until the user has decided there (RFC 8628).
 *
 * @returns `undefined` if the server can't do this
 */
export async function signInElsewhere(
  base: string,
  clients: Clients,
  show: (codes: DeviceCodes) => void,
  scopes: string,
): Promise<Login | undefined> {
  const ask = (clientId: string) => {
    const body = new URLSearchParams({ client_id: clientId, scope: scopes, resource: base });
    return send(`${base}/oauth/device`, { method: 'POST', body });
  };
  let clientId = clients.known;
  let answer = clientId === undefined ? undefined : await ask(clientId);
  // It has forgotten this program, or knows it from before it could do this.
  if (clientId === undefined || /^invalid_(client|request)$/.test(answer?.json?.error)) {
    clientId = await register(base);
    clients.store(clientId);
    answer = await ask(clientId);
  }
  // Servers from before it answer in the API's format.
  if (answer?.status === 404 || typeof answer?.json?.error === 'object') return undefined;
  const codes: DeviceCodes | undefined = answer?.json;
  const isWhole = [codes?.device_code, codes?.user_code, codes?.verification_uri].every(
    (each) => typeof each === 'string',
  );
  if (!codes || !isWhole || !(codes.expires_in > 0)) {
    throw refused('let this device sign in', answer as HttpAnswer);
  }
  show(codes);
  return pollUntilDecided(base, clientId, codes);
}

async function pollUntilDecided(
  base: string,
  clientId: string,
  { device_code, expires_in, interval }: DeviceCodes,
): Promise<Login> {
  const fields = { grant_type: DEVICE_GRANT, device_code, client_id: clientId };
  // No timer lasts as long as a server can say.
  const deadline = Date.now() + Math.min(expires_in, 3600) * 1000;
  let seconds = Number(interval) > 0 ? Number(interval) : 5;
  for (let wait = seconds; Date.now() + wait * 1000 < deadline; ) {
    await sleep(wait * 1000);
    wait = seconds;
    const answer = await postToken(base, fields).catch((error: unknown) => {
      if (error instanceof Unreachable) return undefined;
      throw error;
    });
    const why = answer?.json?.error;
    if (why === 'access_denied') throw notSignedIn(why);
    if (why === 'expired_token') break;
    if (answer && (answer.status === 429 || answer.status >= 500)) {
      wait = Math.max(seconds, Number(answer.headers.get('retry-after')) || 0);
    } else if (!answer || why === 'slow_down') wait = seconds += 5;
    else if (why !== 'authorization_pending') return loginOf(base, clientId, answer);
  }
  throw new CommandError(
    'The code has expired before anybody allowed access. Run "briefs login" again.',
    EXIT.signedOut,
  );
}

/** Tells whether a login needs a new token before it is used. */
export function isExpiring({ oauth }: Login): boolean {
  return oauth !== undefined && oauth.expiresAt - EARLY_MS < Date.now();
}

/** Exchanges the refresh token. @returns `undefined` if there is none or it no longer works */
export async function refresh({ base, oauth }: Login): Promise<Login | undefined> {
  if (!oauth) return undefined;
  const { clientId, refreshToken } = oauth;
  const answer = await postToken(base, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
  });
  if (answer.status === 400 || answer.status === 401) return undefined;
  if (answer.status >= 500 || answer.status === 429) throw unavailable(base, answer.status);
  return loginOf(base, clientId, answer);
}

/**
 * Revokes a token that came from a browser sign-in. Best effort: ignores failures, because the
 * caller deletes the stored login in any case.
 */
export async function revoke({ base, token, oauth }: Login): Promise<void> {
  if (!oauth) return;
  const body = new URLSearchParams({ token, client_id: oauth.clientId });
  await send(`${base}/oauth/revoke`, { method: 'POST', body }).catch(() => {});
}

/**
 * Tells whether the server would ask the user. It may have forgotten this program; then it shows an
 * error, which only the user would see.
 */
async function isAccepted(address: URL): Promise<boolean> {
  const { status } = await send(address.href);
  return status < 400;
}

async function register(base: string): Promise<string> {
  const answer = await send(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Briefs command line',
      // Any port of this computer will do.
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const clientId = answer.json?.client_id;
  if (answer.status === 201 && typeof clientId === 'string') return clientId;
  throw refused('register this program', answer);
}

function receiveCode(
  callback: ReturnType<typeof createServer>,
  expected: { state: string; issuer: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(new CommandError('No one signed in within 10 minutes. Run "briefs login" again.')),
      PATIENCE_MS,
    );
    const end = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    callback.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs =
        searchParams.get('state') === expected.state && searchParams.get('iss') === expected.issuer;
      // Any page could send a browser here.
      if (pathname !== '/callback' || !isOurs) return say(response, 404, 'Not found.');
      const code = searchParams.get('code');
      if (code) {
        say(response, 200, 'You’re signed in. You can close this window.');
        return end(() => resolve(code));
      }
      say(response, 200, 'You weren’t signed in. You can close this window.');
      const why = searchParams.get('error') ?? 'no code';
      end(() => reject(notSignedIn(why)));
    });
  });
}

function notSignedIn(why: string): CommandError {
  return new CommandError(`You weren’t signed in (${why}).`, EXIT.signedOut);
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

function postToken(base: string, fields: Record<string, string>): Promise<HttpAnswer> {
  return send(`${base}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
}

function loginOf(base: string, clientId: string, answer: HttpAnswer): Login {
  const {
    access_token: token,
    refresh_token: refreshToken,
    expires_in: seconds,
  } = answer.json ?? {};
  const isWhole = [token, refreshToken].every((each) => typeof each === 'string');
  if (answer.status !== 200 || !isWhole || !(seconds > 0)) throw refused('give a token', answer);
  const expiresAt = Date.now() + seconds * 1000;
  return { base, token, oauth: { clientId, refreshToken, expiresAt } };
}

function refused(what: string, { status, json }: HttpAnswer): CommandError {
  const why = json?.error_description ?? json?.error ?? `status ${status}`;
  return new CommandError(`The server didn’t ${what}: ${why}`);
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
