import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Login } from './credentials.ts';
import { type HttpAnswer, send } from './http.ts';
import { CommandError, EXIT } from './outcome.ts';

const SCOPES = 'documents:read documents:write comments profile';

/** How long a person has to sign in and decide. */
const PATIENCE_MS = 10 * 60_000;

/** How long before its expiry to refresh a token, so that it doesn't expire on the way. */
const EARLY_MS = 60_000;

/**
 * Returns the address of the API at a server.
 *
 * @param address of the web app or the API
 * @throws CommandError if there is no such service
 */
export async function discover(address: string): Promise<string> {
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
  throw new CommandError(
    `There is no Briefs service at ${given}. If its API has its own host, use that address.`,
  );
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
 * @param show opens the address, or shows it to the user
 */
export async function signIn(
  base: string,
  clients: Clients,
  show: (url: string) => void,
): Promise<Login> {
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
          scope: SCOPES,
          resource: base,
          state,
        }),
      );
      return url;
    };
    const isKnown = clients.known !== undefined && (await isAccepted(addressFor(clients.known)));
    const clientId = isKnown ? (clients.known as string) : await register(base, redirectUri);
    if (!isKnown) clients.store(clientId);
    const url = addressFor(clientId);
    const returned = receiveCode(callback, { state, issuer: base });
    show(url.href);
    const code = await returned;
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

async function register(base: string, redirectUri: string): Promise<string> {
  const answer = await send(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Briefs command line',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
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
      end(() => reject(new CommandError(`You weren’t signed in (${why}).`, EXIT.signedOut)));
    });
  });
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
