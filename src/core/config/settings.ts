import { resolve } from 'node:path';
import { ConfigError } from '../../base/config-error.ts';
import type { RateLimit } from '../../base/limits/rate-limit.ts';
import { parseEmailAddress } from '../../base/text/email-address.ts';
import { readMailDomains } from '../../base/text/mail-domains.ts';
import { parseSize } from '../../base/text/size.ts';
import { parseDuration } from '../../base/time/duration.ts';
import {
  isLoopback,
  readContact,
  readHost,
  readIssuer,
  readLink,
  readPageSources,
  readPort,
  readTrustProxy,
  readUrl,
} from './addresses.ts';
import { readBlobUrl, readDatabaseUrl, readRedisUrl } from './back-end-urls.ts';
import type { MailServer } from './config.ts';
import { readLogo } from './logo.ts';

const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };

/** Parses `smtp://user:password@host:587` or `smtps://…:465`. */
function readSmtpUrl(text: string): Omit<MailServer, 'from'> {
  const url = URL.parse(text);
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  if (!url || defaultPort === undefined || !url.hostname) {
    throw new Error('must be smtp://user:password@host:port or smtps://…');
  }
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash) {
    throw new Error('must end after the port');
  }
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const login = user === '' ? undefined : { user, password };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || defaultPort,
    secure: url.protocol === 'smtps:',
    requireTls: login !== undefined && !isLoopback(host),
    login,
  };
}

/** Parses `briefs@example.com`, without a name, or `Briefs <briefs@example.com>`. */
function readMailFrom(text: string): { name: string; address: string } {
  const [, quoted, plain = '', typed = ''] = /^(?:(?:"([^"\\]*)"|([^<>"]*?))\s*<([^<>]*)>)$/.exec(
    text,
  ) ?? [text, undefined, '', text];
  const name = quoted ?? plain;
  const address = parseEmailAddress(typed);
  if (address === undefined || /\p{Cc}/u.test(name)) {
    throw new Error('must be an address, such as Briefs <briefs@example.com>');
  }
  return { name, address };
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The default and the parser of each setting. A parser throws for invalid text. */
export const SETTINGS = {
  INSTANCE: { default: 'private', read: oneOf(['private', 'public'] as const) },
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
  REVISION_BYTES_PER_DOCUMENT: { default: '64MB', read: readSize },
  TRASH_DAYS: { default: '30', read: readDays },
  QUOTA_DOCUMENTS: { default: 'none', read: readCountOrNone },
  QUOTA_BYTES: { default: 'none', read: readSizeOrNone },
  AUDIT_RETENTION: { default: '400d', read: readRetention },
  WEBHOOK_PRIVATE_ADDRESSES: {
    default: 'refuse',
    read: oneOf(['refuse', 'allow'] as const),
  },
  PAGE_SOURCES: { default: '', read: readPageSources },
  INSTANCE_NAME: { default: 'Briefs', read: readName },
  INSTANCE_ACCENT: { default: '', read: optional(readColor) },
  INSTANCE_LOGO: { default: '', read: optional(readLogo) },
  CONTACT: { default: '', read: optional(readContact) },
  TERMS_URL: { default: '', read: optional(readLink) },
  PRIVACY_URL: { default: '', read: optional(readLink) },
  IMPRINT_URL: { default: '', read: optional(readLink) },
  SIGN_UPS: { default: 'open', read: oneOf(['open', 'closed', 'invited', 'domains'] as const) },
  SIGN_UP_DOMAINS: { default: '', read: readMailDomains },
  SIGN_UP_BLOCKED_DOMAINS: { default: '', read: readMailDomains },
  SIGN_UP_VERIFICATION: {
    default: 'optional',
    read: oneOf(['optional', 'required'] as const),
  },
  REPORTS: { default: 'off', read: oneOf(['on', 'off'] as const) },
  PASSWORDS: { default: 'on', read: oneOf(['on', 'off'] as const) },
  SECOND_FACTOR: { default: 'optional', read: oneOf(['optional', 'required'] as const) },
  BREACHED_PASSWORDS: { default: '', read: optional(readIssuer) },
  RELEASES_URL: { default: '', read: optional(readLink) },
  FIRST_ACCOUNT: { default: 'user', read: oneOf(['user', 'admin'] as const) },
  OIDC_ISSUER: { default: '', read: optional(readIssuer) },
  OIDC_CLIENT_ID: { default: '', read: readText },
  OIDC_CLIENT_SECRET: { default: '', read: readText },
  OIDC_NAME: { default: '', read: readText },
  OIDC_GROUPS: { default: '', read: readList },
  OIDC_GROUPS_CLAIM: { default: 'groups', read: readText },
  OIDC_EMAIL_CLAIM: { default: 'email', read: readText },
  OIDC_EMAIL_VERIFIED: { default: 'claim', read: oneOf(['claim', 'always'] as const) },
  OIDC_CHECK_HOURS: { default: '0', read: readHours },
  OIDC_SIGN_OUT: { default: 'off', read: oneOf(['on', 'off'] as const) },
  SCIM_TOKEN: { default: '', read: readText },
  TOKEN_DAYS: { default: 'none', read: readDaysOrNone },
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

/**
 * Other defaults, by `INSTANCE`. On a public instance, strangers create accounts, so each can have a
 * limited amount, and readers can report what they find. Where mails can be sent, publishing also needs
 * a verified address.
 */
const PROFILES: Readonly<Record<string, Partial<Record<keyof typeof SETTINGS, string>>>> = {
  public: {
    QUOTA_DOCUMENTS: '1000',
    QUOTA_BYTES: '500MB',
    REPORTS: 'on',
  },
};

function profileOf(environment: Record<string, string | undefined>) {
  const profile = PROFILES[environment.INSTANCE?.trim() ?? ''] ?? {};
  const verifies = profile === PROFILES.public && environment.SMTP_URL?.trim();
  return verifies ? { ...profile, SIGN_UP_VERIFICATION: 'required' } : profile;
}

/** Parses all settings. @throws ConfigError for the first invalid one */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const settings: Record<string, unknown> = {};
  const profile = profileOf(environment);
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    const usual = profile[name as keyof typeof SETTINGS] ?? fallback;
    const text = environment[name]?.trim() || usual;
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

function optional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : read(text));
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return value;
  };
}

/** Parses a size such as `64MB` (see {@link parseSize}). */
function readSize(text: string): number {
  const size = parseSize(text);
  if (size === undefined) throw new Error('must be a size, such as 512KB, 64MB or 1GB');
  return size;
}

/** Parses a size such as `5GB`; `null` for `none`. */
function readSizeOrNone(text: string): number | null {
  if (text === 'none') return null;
  try {
    return readSize(text);
  } catch (error) {
    throw new Error(`${(error as Error).message}; or none`);
  }
}

/** Parses a number of things; `null` for `none`. */
function readCountOrNone(text: string): number | null {
  if (text === 'none') return null;
  if (!/^\d{1,9}$/.test(text)) throw new Error('must be a number, or none');
  return Number(text);
}

/** Parses a duration; `undefined` for `forever`. */
function readRetention(text: string): number | undefined {
  if (text === 'forever') return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    throw new Error(`${(error as Error).message}; or forever`);
  }
}

/** Parses a number of days. @returns milliseconds */
function readDays(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('must be a number of days from 0 to 9999');
  return Number(text) * 24 * 60 * 60 * 1000;
}

/** Parses a number of days that isn't 0; `undefined` for `none`. @returns milliseconds */
function readDaysOrNone(text: string): number | undefined {
  if (text === 'none') return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new Error('must be a number of days from 1 to 9999, or none');
  return readDays(text);
}

/** Parses a number of hours. @returns milliseconds */
function readHours(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new Error('must be a number of hours from 0 to 999');
  return Number(text) * 60 * 60 * 1000;
}

/** Parses the name of an instance, which stands in the bar and in titles. */
function readName(text: string): string {
  if (text.length > 40 || /[\p{Cc}<>]/u.test(text)) {
    throw new Error('must be a name of up to 40 characters, without < and >');
  }
  return text;
}

function readColor(text: string): string {
  if (!/^#[\da-f]{6}$/i.test(text)) throw new Error('must be a colour such as #2b5797');
  return text.toLowerCase();
}

function readText(text: string): string {
  return text;
}

/** Parses names separated by commas. */
function readList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/** Parses `1000/5m`; `undefined` for `off`. */
function readRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const [, count, window = ''] = /^([1-9]\d{0,8})\/([^/]*)$/.exec(text) ?? [];
  if (!count) throw new Error('must be <count>/<window>, such as 1000/5m, or off');
  return { count: Number(count), windowMs: parseDuration(window) };
}
