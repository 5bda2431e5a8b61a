import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { distance } from 'fastest-levenshtein';
import ipaddr from 'ipaddr.js';
import { shareHost } from './http/host-header.ts';
import type { S3Location } from './storage/blob/blob.ts';
import { splitRedisUrl } from './storage/rate-limit/redis-url.ts';
import type { PostgresLocation } from './storage/sql/sql.ts';
import { parseDuration } from './time/duration.ts';

/** At most `count` requests in each window of `windowMs`. */
export interface RateLimit {
  count: number;
  windowMs: number;
}

/** The OpenID provider for signing in. */
export interface UpstreamProvider {
  /** Exactly as the provider writes it, with or without a trailing slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Its name on screens. */
  name: string;
}

export type RateLimitName = 'api' | 'oauthToken' | 'ssoAuthorize' | 'oauthRegister' | 'invite';

/** The checked settings. Addresses have no trailing slash. */
export interface Config {
  host: string;
  port: number;
  renderPort: number;
  metricsPort: number | undefined;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  /** The folder for all data that is not on a server. */
  dataDir: string;
  /** `undefined` for the embedded database. */
  database: PostgresLocation | undefined;
  /** Counts rate limits; `undefined` for a file. */
  redisUrl: string | undefined;
  /** Stores pages and files; `undefined` for the disk. */
  blobs: S3Location | undefined;
  trustProxy: false | number | string[];
  invitationLifetimeMs: number;
  /** How long the namespace of a deleted user or organization stays reserved; 0 for not at all. */
  namespaceReservedMs: number;
  /** Replaced texts of one document above this are removed, the oldest first. */
  revisionBytesPerDocument: number;
  /** How long a deleted document can be restored; 0 for not at all. */
  trashMs: number;
  /** Whether anyone can create an account. */
  signUps: 'open' | 'closed';
  /** `undefined` for passwords only. */
  upstream: UpstreamProvider | undefined;
  /** `undefined` if disabled. */
  rateLimits: Record<RateLimitName, RateLimit | undefined>;
  logLevel: string;
}

/** A setting that is unknown, malformed or contradictory; the message is one line that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const MAX_PORT = 65_535;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Users' variable for their agents' token (docs/agents/hosts.md). Not a setting. */
const AGENTS_TOKEN = 'BRIEFS_TOKEN';

/** The default and the parser of each setting. A parser throws for invalid text. */
const SETTINGS = {
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
  SIGN_UPS: { default: 'open', read: oneOf(['open', 'closed'] as const) },
  OIDC_ISSUER: { default: '', read: optional(readIssuer) },
  OIDC_CLIENT_ID: { default: '', read: readText },
  OIDC_CLIENT_SECRET: { default: '', read: readText },
  OIDC_NAME: { default: '', read: readText },
  RATE_LIMIT_API: { default: '1000/5m', read: readRateLimit },
  RATE_LIMIT_OAUTH_TOKEN: { default: '30/10m', read: readRateLimit },
  RATE_LIMIT_SSO_AUTHORIZE: { default: '10/10m', read: readRateLimit },
  RATE_LIMIT_OAUTH_REGISTER: { default: '5/1h', read: readRateLimit },
  RATE_LIMIT_INVITATIONS: { default: '1000/1h', read: readRateLimit },
  LOG_LEVEL: { default: 'info', read: oneOf(LOG_LEVELS) },
} as const;

type Settings = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> };

/**
 * Reads the settings from the environment (`process.env`), applies defaults and checks them.
 *
 * @throws ConfigError that names the first unknown, malformed or contradictory setting
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  refuseUnknown(Object.keys(environment), (name) => FAMILIES.test(name));
  const settings = readSettings(environment);
  const webUrl = settings.WEB_URL ?? `http://localhost:${settings.PORT}`;
  const renderPort = settings.RENDER_PORT ?? settings.PORT + 1;
  if (renderPort > MAX_PORT) {
    throw new ConfigError(`PORT: is the highest port, so set RENDER_PORT too`);
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
    namespaceReservedMs: settings.NAMESPACE_RESERVATION,
    revisionBytesPerDocument: settings.REVISION_BYTES_PER_DOCUMENT,
    trashMs: settings.TRASH_DAYS,
    signUps: settings.SIGN_UPS,
    upstream: upstreamOf(settings),
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

/** Requires all settings of the provider, or none. */
function upstreamOf(settings: Settings): UpstreamProvider | undefined {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: name,
  } = settings;
  if (!issuer) {
    const without = Object.entries({
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: name,
    }).find(([, value]) => value !== '');
    if (without) throw new ConfigError(`OIDC_ISSUER: is required if ${without[0]} is set`);
    return undefined;
  }
  if (!clientId) throw new ConfigError('OIDC_CLIENT_ID: is required if OIDC_ISSUER is set');
  if (!clientSecret) throw new ConfigError('OIDC_CLIENT_SECRET: is required if OIDC_ISSUER is set');
  return { issuer, clientId, clientSecret, name: name || new URL(issuer).host };
}

function readSettings(environment: Record<string, string | undefined>): Settings {
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

/**
 * Prefixes of our settings, to find misspelled ones among other programs' variables. Without
 * RENDER_, which a hosting platform sets.
 */
const FAMILIES = /^(BRIEFS|RATE_LIMIT|INVITATION|OIDC|SIGN|REVISION|TRASH)_/;

/**
 * Other variables allowed in a settings file: for the AWS SDK, PostgreSQL's driver, Node and the
 * system.
 */
const OTHERS = /^(AWS_|PG|NODE_|UV_|SSL_CERT_|LC_|(LANG|TZ|TMPDIR|PATH|HOME)$|\w+_PROXY$)/i;

/**
 * Refuses all unknown names in a settings file, except a few other variables.
 *
 * @throws ConfigError that names the first unknown setting
 */
export function refuseUnknownInFile(names: readonly string[]): void {
  refuseUnknown(names, (name) => !OTHERS.test(name));
}

/** Refuses unknown names that are ours, and misspellings of settings. */
function refuseUnknown(names: readonly string[], isOurs: (name: string) => boolean): void {
  const known = Object.keys(SETTINGS);
  for (const name of names) {
    if (known.includes(name) || name === AGENTS_TOKEN) continue;
    const meant = known.find((candidate) => isMisspelling(name, candidate));
    if (meant) throw new ConfigError(`${name}: unknown setting (did you mean ${meant}?)`);
    if (isOurs(name)) {
      throw new ConfigError(`${name}: unknown setting (known are ${known.join(', ')})`);
    }
  }
}

/**
 * The edit distance of a misspelling, by the setting's length. Short names resemble others by
 * chance.
 */
const MAX_DISTANCES: [fromLength: number, maxDistance: number][] = [
  [10, 2],
  [7, 1],
];

function isMisspelling(name: string, setting: string): boolean {
  if (name.length === setting.length && lettersOf(name) === lettersOf(setting)) return true;
  const [, max] = MAX_DISTANCES.find(([fromLength]) => setting.length >= fromLength) ?? [];
  return max !== undefined && distance(name, setting) <= max;
}

/** Sorts the letters, to find names with swapped letters. */
function lettersOf(name: string): string {
  return [...name].sort().join('');
}

function refuseContradictions(config: Config, settings: Settings): void {
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
  if (base.origin !== web.origin && shareHost(base, web)) {
    throw new ConfigError('BASE_URL: must have the scheme of WEB_URL when it shares its host');
  }
  if (base.origin === web.origin && base.pathname === '/') {
    throw new ConfigError(
      'BASE_URL: needs a path, such as /api, when it shares the origin of WEB_URL',
    );
  }
  const ports = [config.port, config.renderPort, config.metricsPort];
  if (config.metricsPort && ports.indexOf(config.metricsPort) < 2) {
    throw new ConfigError('METRICS_PORT: must differ from PORT and RENDER_PORT');
  }
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

/** Parses a size such as `64MB`. A KB is 1,024 bytes. */
function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,5})(KB|MB|GB)$/.exec(text) ?? [];
  if (!digits) throw new Error('must be a size, such as 512KB, 64MB or 1GB');
  return Number(digits) * 1024 ** (['KB', 'MB', 'GB'].indexOf(unit) + 1);
}

/** A number of days, in milliseconds. */
function readDays(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('must be a number of days from 0 to 9999');
  return Number(text) * 24 * 60 * 60 * 1000;
}

function readText(text: string): string {
  return text;
}

/** Checks an issuer and returns it unchanged, because issuers are compared exactly. */
function readIssuer(text: string): string {
  const { protocol, hostname } = new URL(readUrl(text));
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw new Error('must be an https address, except on this machine');
  }
  return text;
}

/** Tells whether a URL's host is a loopback address. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** An empty host means all addresses of this machine, IPv6 included. */
function readHost(text: string): string {
  if (text !== '' && text !== 'localhost' && !isIP(text))
    throw new Error('must be an IP address or localhost');
  return text;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^[1-9]\d{0,4}$/.test(text) || port > MAX_PORT) {
    throw new Error(`must be a port from 1 to ${MAX_PORT}`);
  }
  return port;
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https address');
  if (url.username || url.password || /[?#]/.test(url.href)) {
    throw new Error('must be an address without credentials, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

const DEFAULT_POOL_SIZE = 10;
const DEFAULT_REGION = 'us-east-1';

/** Parses `postgres://user:password@host/database` with our own `pool_size` and `pooler`. */
function readDatabaseUrl(text: string): PostgresLocation {
  const url = readBackEndUrl(text, ['postgres:', 'postgresql:']);
  const poolSize = url.searchParams.get('pool_size') ?? String(DEFAULT_POOL_SIZE);
  if (!/^[1-9]\d{0,2}$/.test(poolSize)) throw new Error('pool_size must be from 1 to 999');
  const pooler = url.searchParams.get('pooler');
  if (pooler !== null && pooler !== 'transaction') throw new Error('pooler can be transaction');
  for (const own of ['pool_size', 'pooler']) url.searchParams.delete(own);
  return {
    connectionString: url.href,
    poolSize: Number(poolSize),
    pooler: pooler === 'transaction',
  };
}

/** Checks `redis://user:password@host:port/database?prefix=…`. */
function readRedisUrl(text: string): string {
  const url = readBackEndUrl(text, ['redis:', 'rediss:']);
  refuseParameters(url, ['prefix']);
  splitRedisUrl(url.href);
  return url.href;
}

/** Parses `s3://bucket/prefix?endpoint=…&region=…`. */
function readBlobUrl(text: string): Omit<S3Location, 'credentials'> {
  const url = readBackEndUrl(text, ['s3:']);
  refuseParameters(url, ['endpoint', 'region']);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined) readUrl(endpoint);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  if (!/^[\w.\-/]*$/.test(prefix))
    throw new Error('its prefix can contain letters, digits, - _ . /');
  const region = url.searchParams.get('region') ?? '';
  return { bucket: url.host, prefix, endpoint, region };
}

function readBackEndUrl(text: string, protocols: string[]): URL {
  const url = URL.parse(text);
  if (
    !url &&
    protocols.some((protocol) => text.startsWith(`${protocol}//`)) &&
    text.includes('@')
  ) {
    throw new Error(
      'is not an address: characters such as / ? # [ ] @ : and % in its user or password must be ' +
        'percent-encoded (/ as %2F, # as %23, % as %25)',
    );
  }
  if (!url || !protocols.includes(url.protocol) || (url.host === '' && url.search === '')) {
    const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new Error(`must be an address that begins with ${beginnings}`);
  }
  return url;
}

function refuseParameters(url: URL, known: string[]): void {
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown)
    throw new Error(`has an unknown parameter ${unknown}; known are ${known.join(' and ')}`);
}

/** Adds the region and the AWS_… credentials. Without them, the SDK uses its defaults. */
function withCredentials(
  location: Omit<S3Location, 'credentials'>,
  environment: Record<string, string | undefined>,
): S3Location {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  const region =
    location.region || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || DEFAULT_REGION;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    return { ...location, region, credentials: undefined };
  }
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
  return { ...location, region, credentials };
}

/** Parses `1000/5m`; `undefined` for `off`. */
function readRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const [, count, window = ''] = /^([1-9]\d{0,8})\/([^/]*)$/.exec(text) ?? [];
  if (!count) throw new Error('must be <count>/<window>, such as 1000/5m, or off');
  return { count: Number(count), windowMs: parseDuration(window) };
}

/** Parses a list of proxy addresses, networks or `loopback`, or the number of proxies. */
function readTrustProxy(text: string): Config['trustProxy'] {
  if (text === '') return false;
  if (/^[1-9]$/.test(text)) return Number(text);
  const names = ['loopback', 'linklocal', 'uniquelocal'];
  const proxies = text.split(',').map((proxy) => proxy.trim());
  for (const proxy of proxies) {
    if (!names.includes(proxy) && !isIP(proxy) && !isNetwork(proxy)) {
      throw new Error(
        'must list proxy addresses or networks (10.0.0.0/8, loopback), or count the proxies (1)',
      );
    }
  }
  return proxies;
}

/** Tells whether a text is a network such as 10.0.0.0/8, with a complete address. */
function isNetwork(text: string): boolean {
  return isIP(text.replace(/\/\d+$/, '')) > 0 && ipaddr.isValidCIDR(text);
}
