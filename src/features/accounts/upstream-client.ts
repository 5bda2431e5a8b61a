import type { FastifyBaseLogger } from 'fastify';
import * as client from 'openid-client';
import { ServiceError } from '../../base/errors.ts';
import { parseEmailAddress } from '../../base/text/email-address.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import type { Identity } from './upstream-service.ts';

const SCOPE = 'openid email profile';

/** The timeout for the provider, in seconds. */
const TIMEOUT_S = 10;

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
}

/** Fetches the provider's metadata at first use, so the service can start while it is down. */
export function createUpstreamClient(
  provider: UpstreamProvider,
  redirectUri: string,
  logger: FastifyBaseLogger,
): UpstreamClient {
  let discovered: Promise<client.Configuration> | undefined;

  function configuration(): Promise<client.Configuration> {
    discovered ??= discover(provider).catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  /** Returns the error that the visitor sees. */
  function explain(error: unknown): ServiceError {
    const { name } = provider;
    if (error instanceof client.AuthorizationResponseError) {
      return new ServiceError(
        'UNPROCESSABLE',
        error.error === 'access_denied'
          ? `You cancelled signing in with ${name}.`
          : `${name} could not sign you in (${error.error}).`,
      );
    }
    // The error's text may contain the provider's data, so we log only the codes.
    const { code, error: problem } = error as { code?: string; error?: string };
    logger.warn({ code, problem, reason: reasonOf(error) }, 'upstream sign-in failed');
    return isRefused(error)
      ? new ServiceError(
          'UNPROCESSABLE',
          `${name} sent a sign-in response that we can’t accept. Try again.`,
        )
      : new ServiceError('UNAVAILABLE', `${name} is not responding correctly. Try again soon.`);
  }

  return {
    async begin(asking = 'once') {
      const config = await configuration().catch((error) => Promise.reject(explain(error)));
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        ...(asking === 'again' && { againSince: Date.now() }),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
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
        throw error instanceof ServiceError ? error : explain(error);
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
  const email = typeof about.email === 'string' ? about.email : '';
  // An address that isn't one here can't be shown as verified: the visitor has to type another.
  const address = parseEmailAddress(email);
  const name = about.preferred_username;
  return {
    issuer,
    subject,
    email,
    verifiedEmail: about.email_verified === true ? address : undefined,
    calledThere: typeof name === 'string' ? name : email,
    authenticatedAt:
      authenticatedAt === undefined ? undefined : new Date(authenticatedAt).toISOString(),
  };
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

/** Fetches more about a person. Sign-in works without it. */
async function userInfo(
  config: client.Configuration,
  token: string,
  subject: string,
): Promise<Partial<client.UserInfoResponse>> {
  if (!config.serverMetadata().userinfo_endpoint) return {};
  return client.fetchUserInfo(config, token, subject).catch(() => ({}));
}

/** Tells whether the provider responded, and its response was wrong. */
function isRefused(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant';
  const code = error instanceof client.ClientError ? error.code : undefined;
  return code !== undefined && REFUSALS.includes(code);
}

const REFUSALS = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
];

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
