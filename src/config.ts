import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { distance } from 'fastest-levenshtein';
import ipaddr from 'ipaddr.js';
import { parseDuration } from './duration.ts';

/** One row of the rate-limit table: at most `count` requests in each window of `windowMs`. */
export interface RateLimit {
  count: number;
  windowMs: number;
}

export type RateLimitName = 'api' | 'oauthToken' | 'ssoAuthorize' | 'oauthRegister';

/** Everything the process was told, checked. Addresses have no trailing slash. */
export interface Config {
  host: string;
  port: number;
  renderPort: number;
  metricsPort: number | undefined;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  dataDir: string;
  trustProxy: boolean | number | string[];
  invitationLifetimeMs: number;
  /** `undefined` where the limit is off. */
  rateLimits: Record<RateLimitName, RateLimit | undefined>;
  logLevel: string;
}

/** A setting that is unknown, malformed or contradictory; the message is one line that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const MAX_PORT = 65_535;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Settings of back ends that this version does not have. Ignoring one would put data somewhere
 * other than where it was asked for, so naming one stops the start.
 */
const NOT_AVAILABLE = ['DATABASE_URL', 'REDIS_URL', 'BLOB_URL'];

/** One row per setting: what it is when absent, and how its text is read (throws on bad text). */
const SETTINGS = {
  HOST: { default: '', read: readHost },
  PORT: { default: '4000', read: readPort },
  RENDER_PORT: { default: '', read: optional(readPort) },
  METRICS_PORT: { default: '', read: optional(readPort) },
  WEB_URL: { default: '', read: optional(readUrl) },
  BASE_URL: { default: '', read: optional(readUrl) },
  RENDER_URL: { default: '', read: optional(readUrl) },
  DATA_DIR: { default: './data', read: (text: string) => resolve(text) },
  TRUST_PROXY: { default: '', read: readTrustProxy },
  INVITATION_LIFETIME: { default: '7d', read: parseDuration },
  RATE_LIMIT_API: { default: '1000/5m', read: readRateLimit },
  RATE_LIMIT_OAUTH_TOKEN: { default: '30/10m', read: readRateLimit },
  RATE_LIMIT_SSO_AUTHORIZE: { default: '10/10m', read: readRateLimit },
  RATE_LIMIT_OAUTH_REGISTER: { default: '5/1h', read: readRateLimit },
  LOG_LEVEL: { default: 'info', read: oneOf(LOG_LEVELS) },
} as const;

type Settings = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> };

/**
 * Reads the settings from the environment (`process.env`), fills in the defaults and checks that
 * they agree.
 *
 * @throws ConfigError naming the first setting that is unknown, malformed or contradictory.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  refuseUnknown(environment);
  const settings = readSettings(environment);
  const webUrl = settings.WEB_URL ?? `http://localhost:${settings.PORT}`;
  const renderPort = settings.RENDER_PORT ?? settings.PORT + 1;
  if (renderPort > MAX_PORT) {
    throw new ConfigError(`PORT: leaves no port above it for RENDER_PORT; set that one, too`);
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
    trustProxy: settings.TRUST_PROXY,
    invitationLifetimeMs: settings.INVITATION_LIFETIME,
    rateLimits: {
      api: settings.RATE_LIMIT_API,
      oauthToken: settings.RATE_LIMIT_OAUTH_TOKEN,
      ssoAuthorize: settings.RATE_LIMIT_SSO_AUTHORIZE,
      oauthRegister: settings.RATE_LIMIT_OAUTH_REGISTER,
    },
    logLevel: settings.LOG_LEVEL,
  };
  refuseContradictions(config);
  return config;
}

function readSettings(environment: Record<string, string | undefined>): Settings {
  const settings: Record<string, unknown> = {};
  for (const [name, { default: fallback, read }] of Object.entries(SETTINGS)) {
    const text = environment[name]?.trim() || fallback;
    try {
      settings[name] = read(text);
    } catch (error) {
      throw new ConfigError(`${name}: ${(error as Error).message} (it is ${JSON.stringify(text)})`);
    }
  }
  return settings as Settings;
}

/**
 * The environment holds other programs' variables too, so "unknown" is what looks meant for us:
 * a name that begins like one of our families, or is a slip of the pen away from a setting.
 */
function refuseUnknown(environment: Record<string, string | undefined>): void {
  const known = Object.keys(SETTINGS);
  for (const name of Object.keys(environment)) {
    if (NOT_AVAILABLE.includes(name)) {
      throw new ConfigError(`${name}: this version keeps everything in DATA_DIR; unset it`);
    }
    if (known.includes(name)) continue;
    const meant = known.find((candidate) => isMisspelling(name, candidate));
    if (meant) throw new ConfigError(`${name}: unknown setting (did you mean ${meant}?)`);
    if (/^(BRIEFS|RATE_LIMIT|RENDER|INVITATION)_/.test(name)) {
      throw new ConfigError(`${name}: unknown setting (known are ${known.join(', ')})`);
    }
  }
}

function isMisspelling(name: string, setting: string): boolean {
  return setting.length >= 7 && distance(name, setting) <= 2;
}

function refuseContradictions(config: Config): void {
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
  if (render.origin === web.origin) {
    throw new ConfigError(
      'RENDER_URL: must be another origin than WEB_URL, since it serves untrusted HTML',
    );
  }
  if (render.origin === base.origin) {
    throw new ConfigError(
      'RENDER_URL: must be another origin than BASE_URL, since it serves untrusted HTML',
    );
  }
  if (base.origin === web.origin && base.pathname === '/') {
    throw new ConfigError(
      'BASE_URL: needs a path, such as /api, when it shares the origin of WEB_URL',
    );
  }
  const ports = [config.port, config.renderPort, config.metricsPort];
  if (config.metricsPort && ports.indexOf(config.metricsPort) < 2) {
    throw new ConfigError('METRICS_PORT: must be a port of its own, not PORT or RENDER_PORT');
  }
}

function optional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : read(text));
}

function oneOf(values: string[]): (text: string) => string {
  return (text) => {
    if (!values.includes(text)) throw new Error(`must be one of ${values.join(', ')}`);
    return text;
  };
}

/** Empty: every address of this machine, IPv6 ones too where it has any. */
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

/** `1000/5m`, or `off`. */
function readRateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const [, count, window = ''] = /^([1-9]\d{0,8})\/([^/]*)$/.exec(text) ?? [];
  if (!count) throw new Error('must be <count>/<window>, such as 1000/5m, or off');
  return { count: Number(count), windowMs: parseDuration(window) };
}

/** A list of addresses and networks, `loopback`, or the number of proxies in front. */
function readTrustProxy(text: string): boolean | number | string[] {
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

/** Whether a text is a network such as 10.0.0.0/8, its address written in full. */
function isNetwork(text: string): boolean {
  return isIP(text.replace(/\/\d+$/, '')) > 0 && ipaddr.isValidCIDR(text);
}
