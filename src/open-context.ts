import { existsSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { FIXED_LIMITS, type RateLimiter, UNLIMITED } from './base/limits/rate-limit.ts';
import type { RenderOptions } from './base/markdown/render.ts';
import { createMarkdownRenderer, type MarkdownRenderer } from './base/markdown/renderer.ts';
import { createNameLookups } from './base/net/name-lookups.ts';
import type { FormerAddress } from './base/text/former-address.ts';
import { createTextThreads } from './base/text/text-threads.ts';
import { isoNow } from './base/time/clock.ts';
import type { Config } from './core/config/config.ts';
import { takenSegments } from './core/config/listening-addresses.ts';
import { createReleaseCheck, type ReleaseCheck } from './core/config/newest-release.ts';
import type { Context } from './core/context.ts';
import { createFeedWaiters } from './core/event/feed-waiters.ts';
import { type BreachCheck, createBreachCheck } from './core/identity/breached-passwords.ts';
import { createCarryQueue } from './core/outbox/carry-queue.ts';
import { NAMESPACE_RESERVED_DAYS } from './core/owner/namespace.ts';
import { createPresence } from './core/presence.ts';
import type { BlobStore } from './storage/blob/blob.ts';
import { blobDirectory, diskBlobStore } from './storage/blob/disk.ts';
import { openSqliteRateLimiter } from './storage/rate-limit/sqlite.ts';
import type { Sql } from './storage/sql/sql.ts';
import { openSqlite } from './storage/sql/sqlite.ts';
import { databasePath } from './storage/sql/sqlite-file.ts';
import { createSearchThreads } from './storage/word-index/search-threads.ts';

const NAMESPACE_RESERVED_MS = NAMESPACE_RESERVED_DAYS * 24 * 60 * 60_000;

/** What runs on worker threads. */
export type Threads = Pick<Context, 'markdown' | 'searchThreads' | 'texts'>;

/** Replacements for tests. */
export interface ContextOverrides {
  now?: () => string;
  logger?: FastifyBaseLogger;
  threads?: Threads;
  namespaceReservedMs?: number;
  /** The name servers for names that users chose, instead of those of the system. */
  nameServers?: readonly string[];
}

/**
 * Opens the database and blob store, and creates the context of the services. Separate from
 * `createApp`, so that commands needn't load the surfaces. The caller closes the context.
 *
 * @throws Error if the database cannot be opened
 */
export async function openContext(
  config: Config,
  overrides: ContextOverrides = {},
): Promise<Context> {
  const sql = await openSql(config, (message) => reportWaiting(message, overrides.logger));
  const blobs = await openBlobs(config).catch(async (error) => {
    await sql.close();
    throw error;
  });
  const threads = overrides.threads ?? openThreads(overrides.logger);
  const context: Context = {
    sql,
    blobs,
    ...threads,
    markdown: showingPresent(threads.markdown, () => context.formerAddresses),
    formerAddresses: [],
    now: overrides.now ?? isoNow,
    newId: () => uuidv7(),
    webUrl: config.webUrl,
    baseUrl: config.baseUrl,
    renderUrl: config.renderUrl,
    invitationLifetimeMs: config.invitationLifetimeMs,
    tokenLifetimeMs: config.tokenLifetimeMs,
    namespaceReservedMs: overrides.namespaceReservedMs ?? NAMESPACE_RESERVED_MS,
    revisionBytesPerDocument: config.revisionBytesPerDocument,
    trashMs: config.trashMs,
    auditRetentionMs: config.auditRetentionMs,
    quotas: config.quotas,
    quotaRefused() {},
    webhookPrivateAddresses: config.webhookPrivateAddresses,
    pageSources: config.pageSources,
    lookups: createNameLookups({
      servers: overrides.nameServers ?? [],
      searches: config.webhookPrivateAddresses === 'allow',
    }),
    limiter: UNLIMITED,
    wakeIndexer() {},
    carryQueue: createCarryQueue(),
    feedWaiters: createFeedWaiters(),
    presence: createPresence(() => context.now()),
    wakeFeed() {},
    signIn: config.signIn,
    isBreached: breachCheckOf(config, overrides.logger),
    newestRelease: releaseCheckOf(config, overrides.logger),
    instanceName: config.face.name,
    sendsMail: config.mail !== undefined,
    signUps: {
      mode: config.signUps,
      domains: config.signUpDomains,
      blockedDomains: config.signUpBlockedDomains,
      needVerification: config.signUpVerification === 'required',
    },
    takesReports: config.reports === 'on',
    firstAccountIsAdmin: config.firstAccount === 'admin',
    wakeWebhooks() {},
    documentChanged() {
      context.wakeIndexer();
      context.wakeFeed();
    },
    reservedSegments: takenSegments(config),
  };
  return context;
}

/** Returns the check of new passwords: nothing is asked unless a server is set. */
function breachCheckOf(config: Config, logger?: FastifyBaseLogger): BreachCheck {
  if (!config.breachedPasswords) return async () => false;
  return createBreachCheck(config.breachedPasswords, (reason) =>
    logger?.warn({ reason }, 'a new password could not be compared with breached ones'),
  );
}

/** Returns the check of releases: nothing is asked unless an address is set. */
function releaseCheckOf(config: Config, logger?: FastifyBaseLogger): ReleaseCheck {
  if (!config.releasesUrl) return async () => undefined;
  return createReleaseCheck(config.releasesUrl, (reason) =>
    logger?.warn({ reason }, 'the latest release could not be looked up'),
  );
}

/** Creates the pools of threads, which start with the first task. */
export function openThreads(logger?: FastifyBaseLogger): Threads {
  return {
    markdown: createMarkdownRenderer({
      onFault: (error) => logger?.error({ err: error }, 'rendering failed'),
    }),
    searchThreads: createSearchThreads(),
    texts: createTextThreads(),
  };
}

/** Returns a renderer for whose readers former addresses of the service are the present ones. */
function showingPresent(
  markdown: MarkdownRenderer,
  formers: () => readonly FormerAddress[],
): MarkdownRenderer {
  const present = (options: RenderOptions = {}) => ({ ...options, formers: formers() });
  return {
    ...markdown,
    renderOutcome: (key, source, options) => markdown.renderOutcome(key, source, present(options)),
    previewOutcome: (key, source, options) =>
      markdown.previewOutcome(key, source, present(options)),
    renderComments: (key, bodies, options) =>
      markdown.renderComments(key, bodies, present(options)),
  };
}

/** Ends all threads, and waits until they have ended. */
export async function closeThreads({ markdown, searchThreads, texts }: Threads): Promise<void> {
  await Promise.all([markdown.close(), searchThreads.close(), texts.close()]);
}

// Back ends are imported on demand, so unused ones are not loaded.

async function openSql(
  { dataDir, database }: Config,
  onWaiting: (message: string) => void,
): Promise<Sql> {
  if (!database) return openSqlite(dataDir);
  const { openPostgres } = await import('./storage/sql/postgres.ts');
  return openPostgres(database, onWaiting);
}

/** Logs a JSON line, but prints plain text for commands and at a terminal. */
function reportWaiting(message: string, logger?: FastifyBaseLogger): void {
  if (logger && !process.stdout.isTTY) logger.warn(message);
  else console.error(`briefs: ${message}`);
}

export async function openBlobs({ dataDir, blobs }: Config): Promise<BlobStore> {
  if (!blobs) return diskBlobStore(blobDirectory(dataDir));
  const { openS3BlobStore } = await import('./storage/blob/s3.ts');
  return openS3BlobStore(blobs);
}

/**
 * Opens the rate limiter: in Redis for all processes, or in a file for those of this machine.
 *
 * @param options `onFallback` is called for each request that Redis did not count
 * @throws Error with one line that begins with `REDIS_URL:` if Redis refuses it
 */
export async function openRateLimiter(
  { dataDir, redisUrl, rateLimits: settings }: Config,
  options: { logger: Pick<FastifyBaseLogger, 'warn' | 'info'>; onFallback(): void },
): Promise<RateLimiter> {
  const limits = { ...settings, ...FIXED_LIMITS };
  if (!redisUrl) {
    return openSqliteRateLimiter(dataDir, limits, (reason) =>
      options.logger.warn(
        `rate-limits.db was damaged (${reason}) and is replaced; all limits count anew`,
      ),
    );
  }
  const { openRedisRateLimiter } = await import('./storage/rate-limit/redis.ts');
  return openRedisRateLimiter(redisUrl, limits, options);
}

/** Tells whether the database exists. Assumes it does if it is on a server. */
export function hasData(config: Config): boolean {
  return config.database !== undefined || existsSync(databasePath(config.dataDir));
}

export async function closeContext(context: Context): Promise<void> {
  await closeThreads(context);
  await context.blobs.close();
  await context.sql.close();
}
