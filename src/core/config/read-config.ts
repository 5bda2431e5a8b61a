import { ConfigError } from '../../base/config-error.ts';
import { QUOTAS_WITHOUT_SETTING } from '../quota/quota.ts';
import { isLoopback, isSource, MAX_PORT } from './addresses.ts';
import { withCredentials } from './back-end-urls.ts';
import type { Config, MailServer, UpstreamProvider } from './config.ts';
import { shareHost } from './host-header.ts';
import { readSettings, type Settings } from './settings.ts';
import { refuseUnknownInEnvironment } from './unknown-settings.ts';

/**
 * Reads the settings from the environment (`process.env`), applies defaults and checks them.
 *
 * @throws ConfigError that names the first unknown, malformed or contradictory setting
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  refuseUnknownInEnvironment(Object.keys(environment));
  const settings = readSettings(environment);
  const webUrl = settings.WEB_URL ?? `http://localhost:${settings.PORT}`;
  const renderPort = settings.RENDER_PORT ?? settings.PORT + 1;
  if (renderPort > MAX_PORT) {
    throw new ConfigError(`PORT: is the highest possible port, so set RENDER_PORT too`);
  }
  const config: Config = {
    host: settings.HOST,
    port: settings.PORT,
    renderPort,
    metricsPort: settings.METRICS_PORT,
    webUrl,
    baseUrl: settings.BASE_URL ?? `${webUrl}/api`,
    renderUrl: settings.RENDER_URL ?? `http://localhost:${renderPort}`,
    dataDir: settings.DATA_DIR,
    database: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    blobs: settings.BLOB_URL && withCredentials(settings.BLOB_URL, environment),
    trustProxy: settings.TRUST_PROXY,
    invitationLifetimeMs: settings.INVITATION_LIFETIME,
    revisionBytesPerDocument: settings.REVISION_BYTES_PER_DOCUMENT,
    trashMs: settings.TRASH_DAYS,
    auditRetentionMs: settings.AUDIT_RETENTION,
    quotas: {
      documents: settings.QUOTA_DOCUMENTS,
      bytes: settings.QUOTA_BYTES,
      ...QUOTAS_WITHOUT_SETTING[settings.INSTANCE],
    },
    webhookPrivateAddresses: settings.WEBHOOK_PRIVATE_ADDRESSES,
    pageSources: settings.PAGE_SOURCES,
    face: {
      name: settings.INSTANCE_NAME,
      accent: settings.INSTANCE_ACCENT,
      logo: settings.INSTANCE_LOGO,
      contact: settings.CONTACT,
      terms: settings.TERMS_URL,
      privacy: settings.PRIVACY_URL,
      imprint: settings.IMPRINT_URL,
    },
    signUps: settings.SIGN_UPS,
    signIn: { passwords: settings.PASSWORDS, secondFactor: settings.SECOND_FACTOR },
    breachedPasswords: settings.BREACHED_PASSWORDS?.replace(/\/+$/, ''),
    releasesUrl: settings.RELEASES_URL,
    signUpDomains: settings.SIGN_UP_DOMAINS,
    signUpBlockedDomains: settings.SIGN_UP_BLOCKED_DOMAINS,
    signUpVerification: settings.SIGN_UP_VERIFICATION,
    reports: settings.REPORTS,
    firstAccount: settings.FIRST_ACCOUNT,
    upstream: upstreamOf(settings),
    scimToken: scimTokenOf(settings),
    tokenLifetimeMs: settings.TOKEN_DAYS,
    mail: mailOf(settings),
    rateLimits: {
      api: settings.RATE_LIMIT_API,
      oauthToken: settings.RATE_LIMIT_OAUTH_TOKEN,
      ssoAuthorize: settings.RATE_LIMIT_SSO_AUTHORIZE,
      oauthRegister: settings.RATE_LIMIT_OAUTH_REGISTER,
      invite: settings.RATE_LIMIT_INVITATIONS,
    },
    logLevel: settings.LOG_LEVEL,
  };
  refuseContradictions(config, settings);
  return config;
}

/** Requires the server and the sender, or neither. */
function mailOf(settings: Settings): MailServer | undefined {
  const { SMTP_URL: server, MAIL_FROM: from, INSTANCE_NAME: instance } = settings;
  if (server && !from) throw new ConfigError('MAIL_FROM: is required if SMTP_URL is set');
  if (from && !server) throw new ConfigError('SMTP_URL: is required if MAIL_FROM is set');
  return server && from && { ...server, from: { ...from, name: from.name || instance } };
}

/** Requires all settings of the provider, or none. */
function upstreamOf(settings: Settings): UpstreamProvider | undefined {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: name,
    OIDC_GROUPS: groups,
    OIDC_GROUPS_CLAIM: groupsClaim,
  } = settings;
  if (!issuer) {
    const without = Object.entries({
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: name,
      OIDC_GROUPS: groups.join(),
      OIDC_EMAIL_CLAIM: settings.OIDC_EMAIL_CLAIM === 'email' ? '' : 'set',
      OIDC_EMAIL_VERIFIED: settings.OIDC_EMAIL_VERIFIED === 'claim' ? '' : 'set',
      OIDC_CHECK_HOURS: settings.OIDC_CHECK_HOURS === 0 ? '' : 'set',
      OIDC_SIGN_OUT: settings.OIDC_SIGN_OUT === 'off' ? '' : 'set',
    }).find(([, value]) => value !== '');
    if (without) throw new ConfigError(`OIDC_ISSUER: is required if ${without[0]} is set`);
    return undefined;
  }
  if (!clientId) throw new ConfigError('OIDC_CLIENT_ID: is required if OIDC_ISSUER is set');
  if (!clientSecret) throw new ConfigError('OIDC_CLIENT_SECRET: is required if OIDC_ISSUER is set');
  return {
    issuer,
    clientId,
    clientSecret,
    name: name || new URL(issuer).host,
    groups,
    groupsClaim,
    emailClaim: settings.OIDC_EMAIL_CLAIM,
    verifiesEmails: settings.OIDC_EMAIL_VERIFIED === 'always',
    checkEveryMs: settings.OIDC_CHECK_HOURS,
    signsOut: settings.OIDC_SIGN_OUT === 'on',
  };
}

/** The fewest characters of a token, which nobody can guess then. */
const MIN_SCIM_TOKEN = 32;

/** Doesn't show it in its error, as those of other settings do. */
function scimTokenOf({ SCIM_TOKEN: token }: Settings): string | undefined {
  if (token === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= MIN_SCIM_TOKEN) return token;
  throw new ConfigError(
    `SCIM_TOKEN: must have at least ${MIN_SCIM_TOKEN} letters, digits and signs, such as those of openssl rand -hex 32`,
  );
}

/** Refuses settings that contradict one another. @throws ConfigError */
function refuseContradictions(config: Config, settings: Settings): void {
  if (config.signIn.passwords === 'off' && !config.upstream) {
    throw new ConfigError('PASSWORDS: off needs OIDC_ISSUER, or nobody could sign in');
  }
  const [web, base, render] = [config.webUrl, config.baseUrl, config.renderUrl].map(
    (url) => new URL(url),
  ) as [URL, URL, URL];
  for (const [name, url] of [
    ['WEB_URL', web],
    ['RENDER_URL', render],
  ] as const) {
    if (url.pathname !== '/') {
      throw new ConfigError(`${name}: must be an origin, without a path (it is "${url.href}")`);
    }
  }
  const renderUrl =
    settings.RENDER_PORT && !settings.RENDER_URL
      ? `RENDER_PORT: makes RENDER_URL ${config.renderUrl}, which must be`
      : 'RENDER_URL: must be';
  for (const [name, url] of [
    ['WEB_URL', web],
    ['BASE_URL', base],
  ] as const) {
    // Hosts only: behind a proxy, requests do not show their scheme.
    if (shareHost(render, url)) {
      throw new ConfigError(
        `${renderUrl} at another host or port than ${name}, since it serves untrusted HTML`,
      );
    }
  }
  if (web.protocol === 'https:' && !isLoopback(web.hostname) && !settings.RENDER_URL) {
    throw new ConfigError(
      `RENDER_URL: is required if WEB_URL is ${web.origin}, or browsers would show no pages`,
    );
  }
  const own = [web, base, render].find((url) =>
    config.pageSources.some((source) => isSource(source, url)),
  );
  if (own) {
    throw new ConfigError(
      `PAGE_SOURCES: can't include ${own.hostname}, which is a host of this service`,
    );
  }
  if (base.origin !== web.origin && shareHost(base, web)) {
    throw new ConfigError('BASE_URL: must have the scheme of WEB_URL when it shares its host');
  }
  if (base.origin === web.origin && base.pathname === '/') {
    throw new ConfigError(
      'BASE_URL: needs a path, such as /api, when it shares the origin of WEB_URL',
    );
  }
  const isByDomain = config.signUps === 'domains';
  if (isByDomain && config.signUpDomains.length === 0) {
    throw new ConfigError('SIGN_UP_DOMAINS: is required if SIGN_UPS is domains');
  }
  if (!isByDomain && config.signUpDomains.length > 0) {
    throw new ConfigError('SIGN_UP_DOMAINS: has no effect unless SIGN_UPS is domains');
  }
  const needsMail = isByDomain
    ? 'SIGN_UPS: domains'
    : config.signUpVerification === 'required' && 'SIGN_UP_VERIFICATION: required';
  if (needsMail && !config.mail) {
    throw new ConfigError(`${needsMail} needs SMTP_URL and MAIL_FROM, to verify addresses by mail`);
  }
  const ports = [config.port, config.renderPort, config.metricsPort];
  if (config.metricsPort && ports.indexOf(config.metricsPort) < 2) {
    throw new ConfigError('METRICS_PORT: must differ from PORT and RENDER_PORT');
  }
}
