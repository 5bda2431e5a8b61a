import type { FastifyBaseLogger } from 'fastify';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { ServiceError } from '../../base/errors.ts';
import { parseEmailAddress } from '../../base/text/email-address.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import { describeUpstreamFault } from './upstream-fault.ts';
import type { Identity, UpstreamTokens } from './upstream-service.ts';

const SCOPE = 'openid email profile';

/** Asks for a token with which the provider can be asked later (OpenID Connect Core, section 11). */
const LATER_SCOPE = 'offline_access';

/** The event of a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The timeout for the provider, in seconds. */
const TIMEOUT_S = 10;

/** How old a logout token can be, which is sent as it is made. */
const LOGOUT_AGE = '5m';

/** How far the provider's clock may be off, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Visible characters and spaces (OpenID Connect Core, section 2, allows 255). */
const SUBJECT = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;

/** The state to store while the visitor is at the provider. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  /** When they were sent there to sign in again: in milliseconds, by this computer's clock. */
  againSince?: number;
}

/** A person, as the provider describes them. */
export interface UpstreamPerson extends Identity {
  /** The parsed address, set only if the provider says that it has verified it. */
  verifiedEmail: string | undefined;
  /** A suggestion for the username: a name or an email address, or ''. */
  calledThere: string;
  /** The email address, verified or not. */
  email: string;
  /** When they signed in there, if the provider says so and it isn't in the future. ISO 8601. */
  authenticatedAt: string | undefined;
  /** The session at the provider (`sid`); '' if it names none. */
  sid: string;
  tokens: UpstreamTokens;
}

/** Who was signed out at the provider, and in which session, if it isn't all of them. */
export interface UpstreamLogout {
  issuer: string;
  subject: string | undefined;
  sid: string | undefined;
  /** Tells it from others of the provider. */
  jti: string;
}

/** Why somebody is sent to the provider: `again` asks them there who they are even if it knows. */
type Asking = 'once' | 'again';

/** Talks to the provider (OpenID Connect Core, code flow with PKCE, state and nonce). */
export interface UpstreamClient {
  /** Returns the address to send the visitor to. @throws UNAVAILABLE */
  begin(asking?: Asking): Promise<{ url: string; flow: Flow }>;
  /**
   * Returns the person whom the provider has sent back.
   *
   * @param url the address on this host that the provider sent them to
   * @throws UNPROCESSABLE when the provider refuses or its response is not acceptable, or if they had
   *   to sign in there again and it doesn't say that they did; FORBIDDEN if they are in none of the
   *   groups that can sign in; UNAVAILABLE
   */
  finish(url: URL, flow: Flow): Promise<UpstreamPerson>;
  /**
   * Asks whether somebody who signed in earlier still can.
   *
   * @returns the tokens to keep; `refused` if the provider or the groups say no; `unknown` if nobody
   *   can tell, because the provider doesn't respond as it should
   */
  askAgain(subject: string, refreshToken: string): Promise<UpstreamTokens | 'refused' | 'unknown'>;
  /** Reads a logout token that the provider has signed. @throws BAD_REQUEST; UNAVAILABLE */
  readLogout(token: string): Promise<UpstreamLogout>;
  /** Returns where to sign out at the provider; `undefined` if it has no such address. */
  signOutUrl(idToken: string | undefined, backTo: string): Promise<string | undefined>;
  /**
   * Checks that the provider answers, is the issuer, and knows the client and its secret.
   *
   * @returns what is wrong, if anything
   */
  test(): Promise<string | undefined>;
}

/** Fetches the provider's metadata at first use, so the service can start while it is down. */
export function createUpstreamClient(
  provider: UpstreamProvider,
  redirectUri: string,
  logger: FastifyBaseLogger,
): UpstreamClient {
  let discovered: Promise<client.Configuration> | undefined;
  let jwks: ReturnType<typeof createRemoteJWKSet> | undefined;

  function configuration(): Promise<client.Configuration> {
    discovered ??= discover(provider).catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  /** Returns the error that the visitor sees, and logs why. */
  async function explain(error: unknown): Promise<ServiceError> {
    const { name } = provider;
    if (error instanceof client.AuthorizationResponseError) {
      if (error.error !== 'access_denied') {
        logger.warn({ problem: error.error }, 'the provider refused a sign-in');
      }
      return new ServiceError(
        'UNPROCESSABLE',
        error.error === 'access_denied'
          ? `You cancelled signing in with ${name}.`
          : `${name} could not sign you in (${error.error}).`,
      );
    }
    logger.warn(await describeUpstreamFault(error), 'upstream sign-in failed');
    return isRefused(error)
      ? new ServiceError(
          'UNPROCESSABLE',
          `${name} sent a sign-in response that we can’t accept. Try again.`,
        )
      : new ServiceError('UNAVAILABLE', `${name} is not responding correctly. Try again soon.`);
  }

  return {
    async begin(asking = 'once') {
      const config = await configuration().catch(async (error) => {
        throw await explain(error);
      });
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        ...(asking === 'again' && { againSince: Date.now() }),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: provider.checkEveryMs > 0 ? `${SCOPE} ${LATER_SCOPE}` : SCOPE,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(asking === 'again' && { prompt: 'login', max_age: '0' }),
      });
      return { url: url.href, flow };
    },
    async finish(url, flow) {
      try {
        return await exchange(await configuration(), url, flow, provider);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw await explain(error);
        logger.warn({ reason: error.message }, 'a sign-in through the provider was refused');
        throw error;
      }
    },
    async askAgain(subject, refreshToken) {
      try {
        const config = await configuration();
        const tokens = await client.refreshTokenGrant(config, refreshToken);
        const claims: Record<string, unknown> = tokens.claims() ?? {};
        const needsMore = provider.groups.length > 0 && (claims[provider.groupsClaim] ?? '') === '';
        const about =
          needsMore && config.serverMetadata().userinfo_endpoint
            ? await userInfo(config, tokens.access_token, subject)
            : claims;
        // A failure of userinfo says nothing about the person, and the former token may have ended.
        if (about) requireGroup(provider, about[provider.groupsClaim]);
        else logger.warn('the provider didn’t say which groups somebody is in');
        const { id_token: idToken, refresh_token: next = refreshToken } = tokens;
        return { idToken, refreshToken: next };
      } catch (error) {
        const isOut = error instanceof ServiceError || isInvalidGrant(error);
        logger.warn(
          await describeUpstreamFault(error),
          isOut ? 'the provider lets somebody in no longer' : 'the provider could not be asked',
        );
        return isOut ? 'refused' : 'unknown';
      }
    },
    async readLogout(token) {
      const { jwks_uri: keys, issuer } = (
        await configuration().catch(async (error) => {
          throw await explain(error);
        })
      ).serverMetadata();
      jwks ??= createRemoteJWKSet(new URL(keys ?? `${issuer}/jwks`));
      try {
        const { payload } = await jwtVerify(token, jwks, {
          issuer,
          audience: provider.clientId,
          clockTolerance: CLOCK_SKEW_MS / 1000,
          maxTokenAge: LOGOUT_AGE,
          requiredClaims: ['iat', 'jti', 'events'],
        });
        return logoutOf(payload);
      } catch (error) {
        logger.warn(await describeUpstreamFault(error), 'a logout token was refused');
        throw new ServiceError('BAD_REQUEST', 'This logout token can’t be accepted.');
      }
    },
    async signOutUrl(idToken, backTo) {
      const config = await configuration().catch(() => undefined);
      if (!config?.serverMetadata().end_session_endpoint) return undefined;
      const parameters = { post_logout_redirect_uri: backTo };
      const hint = idToken === undefined ? {} : { id_token_hint: idToken };
      return client.buildEndSessionUrl(config, { ...parameters, ...hint }).href;
    },
    async test() {
      try {
        // Not what sign-ins remember, which may be from before the provider changed.
        const config = await discover(provider);
        const grant = { code: 'test', redirect_uri: redirectUri, code_verifier: 'test'.repeat(11) };
        await client.genericGrantRequest(config, 'authorization_code', grant);
        return undefined;
      } catch (error) {
        const { reason, problem } = await describeUpstreamFault(error);
        // It knows the client, but not the code.
        if (problem === 'invalid_grant') return undefined;
        return problem ? `${problem} (${reason})` : reason;
      }
    },
  };
}

function discover(provider: UpstreamProvider): Promise<client.Configuration> {
  const issuer = new URL(provider.issuer);
  const { clientId, clientSecret } = provider;
  // The settings allow http only for this machine.
  // Signatures of ID tokens are checked, although they come straight from the provider.
  const execute = [client.enableNonRepudiationChecks];
  if (issuer.protocol === 'http:') execute.push(client.allowInsecureRequests);
  const options = { execute, timeout: TIMEOUT_S };
  const authenticate = clientAuthentication(clientSecret);
  return client.discovery(issuer, clientId, clientSecret, authenticate, options);
}

/** Sends the secret in a header, unless the provider accepts it only in the body. */
function clientAuthentication(secret: string): client.ClientAuth {
  const inHeader = client.ClientSecretBasic(secret);
  const inBody = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest);
  };
}

async function exchange(
  config: client.Configuration,
  url: URL,
  flow: Flow,
  provider: UpstreamProvider,
): Promise<UpstreamPerson> {
  const tokens = await client.authorizationCodeGrant(config, url, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  });
  const { iss: issuer, sub: subject, ...token } = tokens.claims() as client.IDToken;
  requireSubject(provider, subject);
  const authenticatedAt = authenticationTime(token.auth_time);
  if (flow.againSince !== undefined) requireAgain(provider, flow.againSince, authenticatedAt);
  const about = { ...(await userInfo(config, tokens.access_token, subject)), ...token };
  requireGroup(provider, about[provider.groupsClaim]);
  const claimed = (about as Record<string, unknown>)[provider.emailClaim];
  const email = typeof claimed === 'string' ? claimed : '';
  // An address that isn't one here can't be shown as verified: the visitor has to type another.
  const address = parseEmailAddress(email);
  const name = about.preferred_username;
  return {
    issuer,
    subject,
    email,
    verifiedEmail: isVerified(provider, about, email) ? address : undefined,
    calledThere: typeof name === 'string' ? name : email,
    authenticatedAt:
      authenticatedAt === undefined ? undefined : new Date(authenticatedAt).toISOString(),
    sid: typeof about.sid === 'string' ? about.sid : '',
    tokens: { idToken: tokens.id_token, refreshToken: tokens.refresh_token },
  };
}

/**
 * Some providers vouch for all addresses, and send no `email_verified` or a text. It says something
 * about `email` only, not about an address in another claim.
 */
function isVerified(
  { verifiesEmails }: UpstreamProvider,
  about: Record<string, unknown>,
  email: string,
): boolean {
  return verifiesEmails || (about.email_verified === true && about.email === email);
}

/** @throws Error for what isn't a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6) */
function logoutOf({ iss, sub, sid, jti, events, nonce }: JWTPayload): UpstreamLogout {
  const isEvent = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  if (!isEvent) throw new Error('it has no logout event');
  if (nonce !== undefined) throw new Error('it has a nonce, as ID tokens do');
  const session = typeof sid === 'string' && sid !== '' ? sid : undefined;
  if (sub === undefined && session === undefined) throw new Error('it names nobody');
  return { issuer: iss as string, subject: sub, sid: session, jti: String(jti) };
}

/** Checks that `sub` can tell a person from others. @throws UNPROCESSABLE */
function requireSubject({ name }: UpstreamProvider, subject: string): void {
  if (SUBJECT.test(subject)) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    `${name} doesn’t say who you are in a way that this server accepts: “sub” has to have 1 to 255 visible characters. Tell who manages ${name}.`,
  );
}

/**
 * Returns when somebody signed in at the provider, in milliseconds; `undefined` if it doesn't say, or
 * names a time that hasn't come.
 */
function authenticationTime(claim: unknown): number | undefined {
  const at = typeof claim === 'number' ? claim * 1000 : Number.NaN;
  return at >= 0 && at <= Date.now() + CLOCK_SKEW_MS ? at : undefined;
}

/**
 * Checks that somebody signed in at the provider after they were sent there: a visitor can change the
 * address that asks for it, and the provider can ignore it (OpenID Connect Core, 3.1.2.1).
 *
 * @throws UNPROCESSABLE
 */
function requireAgain({ name }: UpstreamProvider, since: number, at: number | undefined): void {
  if (at !== undefined && at >= since - CLOCK_SKEW_MS) return;
  const problem =
    at === undefined
      ? `${name} doesn’t say when you signed in there`
      : `${name} let you through without asking who you are`;
  throw new ServiceError(
    'UNPROCESSABLE',
    `${problem}, so this doesn’t confirm that it’s you. Sign out here and there, and sign in again.`,
  );
}

/**
 * Checks that somebody is in one of the groups that can sign in. A provider that says nothing about
 * groups lets nobody in.
 *
 * @param claim a list of names, or one name
 * @throws FORBIDDEN
 */
function requireGroup({ name, groups }: UpstreamProvider, claim: unknown): void {
  if (groups.length === 0) return;
  const theirs: unknown[] = [claim].flat();
  if (groups.some((group) => theirs.includes(group))) return;
  throw new ServiceError(
    'FORBIDDEN',
    `Your account at ${name} is in no group that can use this server. Ask who manages it there.`,
  );
}

/** Fetches more about a person; `undefined` if it can’t. Sign-in works without it. */
async function userInfo(
  config: client.Configuration,
  token: string,
  subject: string,
): Promise<client.UserInfoResponse | undefined> {
  if (!config.serverMetadata().userinfo_endpoint) return undefined;
  return client.fetchUserInfo(config, token, subject).catch(() => undefined);
}

function isInvalidGrant(error: unknown): boolean {
  return error instanceof client.ResponseBodyError && error.error === 'invalid_grant';
}

/** Tells whether the provider responded, and its response was wrong. */
function isRefused(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return isInvalidGrant(error);
  const code = error instanceof client.ClientError ? error.code : undefined;
  return code !== undefined && REFUSALS.includes(code);
}

const REFUSALS = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
];
