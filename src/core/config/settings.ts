import { resolve } from 'node:path';
import { parseDuration } from '../../base/time/duration.ts';
import {
  readDnsServers,
  readHost,
  readIssuer,
  readPort,
  readTrustProxy,
  readUrl,
} from './addresses.ts';
import { readBlobUrl, readDatabaseUrl, readRedisUrl } from './back-end-urls.ts';
import { ConfigError } from './config.ts';
import { readMailFrom, readSmtpUrl } from './mail-server.ts';
import { oneOf, optional, readDays, readRateLimit, readSize, readText } from './values.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The default and the parser of each setting. A parser throws for invalid text. */
export const SETTINGS = {
  HOST: { default: '', read: readHost },
  PORT: { default: '4000', read: readPort },
  RENDER_PORT: { default: '', read: optional(readPort) },
  METRICS_PORT: { default: '', read: optional(readPort) },
  WEB_URL: { default: '', read: optional(readUrl) },
  BASE_URL: { default: '', read: optional(readUrl) },
  RENDER_URL: { default: '', read: optional(readUrl) },
  DATA_DIR: { default: './data', read: (text: string) => resolve(text) },
  DATABASE_URL: { default: '', read: optional(readDatabaseUrl) },
  REDIS_URL: { default: '', read: optional(readRedisUrl) },
  BLOB_URL: { default: '', read: optional(readBlobUrl) },
  TRUST_PROXY: { default: '', read: readTrustProxy },
  INVITATION_LIFETIME: { default: '7d', read: parseDuration },
  NAMESPACE_RESERVATION: {
    default: '90d',
    read: (text: string) => (text === 'off' ? 0 : parseDuration(text)),
  },
  REVISION_BYTES_PER_DOCUMENT: { default: '64MB', read: readSize },
  TRASH_DAYS: { default: '30', read: readDays },
  WEBHOOK_PRIVATE_ADDRESSES: {
    default: 'refuse',
    read: oneOf(['refuse', 'allow'] as const),
  },
  DNS_SERVERS: { default: '', read: readDnsServers },
  SIGN_UPS: { default: 'open', read: oneOf(['open', 'closed'] as const) },
  OFFLINE_COPIES: { default: 'on', read: oneOf(['on', 'off'] as const) },
  OIDC_ISSUER: { default: '', read: optional(readIssuer) },
  OIDC_CLIENT_ID: { default: '', read: readText },
  OIDC_CLIENT_SECRET: { default: '', read: readText },
  OIDC_NAME: { default: '', read: readText },
  SMTP_URL: { default: '', read: optional(readSmtpUrl) },
  MAIL_FROM: { default: '', read: optional(readMailFrom) },
  RATE_LIMIT_API: { default: '1000/5m', read: readRateLimit },
  RATE_LIMIT_OAUTH_TOKEN: { default: '30/10m', read: readRateLimit },
  RATE_LIMIT_SSO_AUTHORIZE: { default: '10/10m', read: readRateLimit },
  RATE_LIMIT_OAUTH_REGISTER: { default: '5/1h', read: readRateLimit },
  RATE_LIMIT_INVITATIONS: { default: '1000/1h', read: readRateLimit },
  LOG_LEVEL: { default: 'info', read: oneOf(LOG_LEVELS) },
} as const;

export type Settings = {
  [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']>;
};

/** Parses all settings. @throws ConfigError for the first invalid one */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const settings: Record<string, unknown> = {};
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    const text = environment[name]?.trim() || fallback;
    try {
      settings[name] = read(text);
    } catch (error) {
      throw new ConfigError(`${name}: ${(error as Error).message} (it is ${shown(text)})`);
    }
  }
  return settings as Settings;
}

/** Returns a setting's text for an error message, without passwords in addresses. */
function shown(text: string): string {
  const withoutUser = text.replace(/\/\/.*@/s, '//…@');
  return JSON.stringify(withoutUser.replace(/([?&][^=&]*password=)[^&]*/gi, '$1…'));
}
