import type { FastifyBaseLogger } from 'fastify';
import * as client from 'openid-client';
import type { Identity } from '../account/upstream-service.ts';
import type { UpstreamProvider } from '../config.ts';
import { ServiceError } from '../errors.ts';

const SCOPE = 'openid email profile';

/** Seconds until the provider is given up. */
const TIMEOUT_S = 10;

/** What has to be remembered while somebody is at the provider. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
}

/** Somebody as the provider describes them. */
export interface UpstreamPerson extends Identity {
  /** Only where the provider says that it has verified it. */
  verifiedEmail: string | undefined;
  /** What the person may want to be called: a name or an address; `''` where there is none. */
  calledThere: string;
  /** Whether or not it is verified. */
  email: string;
}

/** Talks with the provider (OpenID Connect Core, code flow with PKCE, state and nonce). */
export interface UpstreamClient {
  /** The address to send somebody to. @throws UNAVAILABLE */
  begin(): Promise<{ url: string; flow: Flow }>;
  /**
   * Whom the provider has sent back.
   *
   * @param url the address that the provider sent them to, of this host
   * @throws UNPROCESSABLE when the provider refuses, or says what cannot be accepted; UNAVAILABLE
   */
  finish(url: URL, flow: Flow): Promise<UpstreamPerson>;
}

/** The provider is asked what it can do at the first use, so that it may be away at the start. */
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

  /** What a failure is to whoever wants to sign in. */
  function explain(error: unknown): ServiceError {
    const { name } = provider;
    if (error instanceof client.AuthorizationResponseError) {
      return new ServiceError(
        'UNPROCESSABLE',
        error.error === 'access_denied'
          ? `You did not sign in with ${name}.`
          : `${name} did not sign you in (${error.error}).`,
      );
    }
    // Its text may hold what the provider sent, so the log has the codes only.
    const { code, error: problem } = error as { code?: string; error?: string };
    logger.warn({ code, problem, reason: reasonOf(error) }, 'upstream sign-in failed');
    return isRefused(error)
      ? new ServiceError('UNPROCESSABLE', `What ${name} says of you cannot be accepted.`)
      : new ServiceError('UNAVAILABLE', `${name} does not answer as it should. Try again soon.`);
  }

  return {
    async begin() {
      const config = await configuration().catch((error) => Promise.reject(explain(error)));
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow };
    },
    async finish(url, flow) {
      try {
        return await exchange(await configuration(), url, flow);
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

function discover(provider: UpstreamProvider): Promise<client.Configuration> {
  const issuer = new URL(provider.issuer);
  const { clientId, clientSecret } = provider;
  // Settings take http for this machine alone.
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const options = { execute, timeout: TIMEOUT_S };
  const authenticate = clientAuthentication(clientSecret);
  return client.discovery(issuer, clientId, clientSecret, authenticate, options);
}

/** In a header, as is usual, unless the provider takes it in the body alone. */
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
): Promise<UpstreamPerson> {
  const tokens = await client.authorizationCodeGrant(config, url, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  });
  const { iss: issuer, sub: subject, ...token } = tokens.claims() as client.IDToken;
  const about = { ...(await userInfo(config, tokens.access_token, subject)), ...token };
  const email = typeof about.email === 'string' ? about.email : '';
  const name = about.preferred_username;
  return {
    issuer,
    subject,
    email,
    verifiedEmail: about.email_verified === true && email !== '' ? email : undefined,
    calledThere: typeof name === 'string' ? name : email,
  };
}

/** More about somebody; they can sign in without, too. */
async function userInfo(
  config: client.Configuration,
  token: string,
  subject: string,
): Promise<Partial<client.UserInfoResponse>> {
  if (!config.serverMetadata().userinfo_endpoint) return {};
  return client.fetchUserInfo(config, token, subject).catch(() => ({}));
}

/** Whether the provider answered, and it was the answer that was wrong. */
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
