import { existsSync, statfsSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { VERSION } from './base/package.ts';
import type { Config, MailServer, UpstreamProvider } from './core/config/config.ts';
import { pathOf, surfaceRule } from './core/config/listening-addresses.ts';
import { rememberAddresses } from './core/config/own-address-store.ts';
import type { Context } from './core/context.ts';
import { loadAuthorizationKeys } from './core/identity/key-service.ts';
import { findInstanceFact } from './core/instance-state-store.ts';
import { listBacklogs } from './core/outbox/backlog-store.ts';
import { sweepReleasedNamespaces } from './core/owner/namespace-service.ts';
import type { FetchDocument } from './features/applications/provider.ts';
import { sweepAuthorization } from './features/applications/sweep-service.ts';
import { sweepAudit } from './features/audit/audit-service.ts';
import { startCarrier } from './features/comments/carrier.ts';
import { startFeed } from './features/feed/feed.ts';
import { sweepFeed } from './features/feed/feed-service.ts';
import { SWEEP_AFTER_MS, sweepBlobs } from './features/files/sweep.ts';
import { sweepInvitedAddresses } from './features/invitations/invitation-service.ts';
import { sweepLinks } from './features/links/link-service.ts';
import { startTidier } from './features/live/tidier.ts';
import { createRenderSurface } from './features/pages/render-server.ts';
import { startPacker } from './features/revisions/packer.ts';
import { startIndexer } from './features/search/indexer.ts';
import { sweepTrash } from './features/trash/trash-service.ts';
import { sweepTickets } from './features/uploads/ticket-service.ts';
import { startSender } from './features/webhooks/sender.ts';
import { sweepDeliveries } from './features/webhooks/sweep-service.ts';
import { addOperations, WEB_FEATURES } from './features.ts';
import {
  type ContextOverrides,
  closeContext,
  openContext,
  openRateLimiter,
} from './open-context.ts';
import { createAccountQueue } from './surfaces/http/account-queue.ts';
import { createBodyQueue } from './surfaces/http/body-queue.ts';
import { createLazySurface } from './surfaces/http/lazy-surface.ts';
import { createLogger } from './surfaces/http/log.ts';
import type { createMetrics } from './surfaces/http/metrics.ts';
import type { RawHandler } from './surfaces/http/node-server.ts';
import type { BackEnds } from './surfaces/http/readiness.ts';
import { logRepeated } from './surfaces/http/repeated-fault.ts';
import { createUnread } from './surfaces/http/unread.ts';
import { readBuiltOpenApi } from './surfaces/rest/built-openapi.ts';
import { sweepAnswers } from './surfaces/rest/idempotency.ts';
import { createRestSurface } from './surfaces/rest/server.ts';
import type { VisitorOf } from './surfaces/web/browser-session.ts';
import { createWebSurface } from './surfaces/web/server.ts';

const SWEEP_EVERY_MS = 6 * 60 * 60_000;
const SPACE_EVERY_MS = 60 * 60_000;

/** The sweeps, by the name of what they delete, for the log. */
const SWEEPS = {
  'unused files': (context) => sweepBlobs(context, SWEEP_AFTER_MS),
  'expired documents in the trash': sweepTrash,
  'expired links': sweepLinks,
  'expired invitations to addresses': sweepInvitedAddresses,
  'expired tickets': sweepTickets,
  'old events': sweepFeed,
  'old entries of the audit trail': sweepAudit,
  'old deliveries of webhooks': sweepDeliveries,
  'namespaces that are no longer reserved': sweepReleasedNamespaces,
  'expired authorization data': sweepAuthorization,
  'answers that can no longer be repeated': sweepAnswers,
} as const satisfies Record<string, (context: Context) => Promise<unknown>>;

/** The whole service, not yet listening. */
export interface App {
  context: Context;
  logger: FastifyBaseLogger;
  /** Whether the disk was full when the data was opened. */
  isReadOnly: boolean;
  listen(): Promise<void>;
  /** Finishes running requests, then closes everything. */
  close(): Promise<void>;
}

/** Replacements for tests. */
export interface Overrides extends ContextOverrides {
  visitorOf?: VisitorOf;
  fetchDocument?: FetchDocument;
  /** How often to look for due mails, so that tests needn't wait. */
  mailEveryMs?: number;
}

/**
 * Creates the whole service.
 *
 * @throws Error if the database cannot be opened, or Redis refuses `REDIS_URL`
 */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  await using opened = new AsyncDisposableStack();
  const context = await openContext(config, { ...overrides, logger });
  opened.defer(() => closeContext(context));
  // Creates the keys at the first start. A request that needs them writes in one transaction only.
  await loadAuthorizationKeys(context);
  context.formerAddresses = await rememberAddresses(context);
  const backlogs = () => listBacklogs(context.sql.read, context.now());
  const metrics = await openMetrics(config, {
    backEnds: () => backEnds,
    backlogs,
    lastBackup: () => findInstanceFact(context.sql.read, 'last_backup_at'),
    connections: () => context.sql.connections?.(),
  });
  context.quotaRefused = (limit) => metrics?.quotaRefused(limit);
  const onFallback = () => metrics?.countedLocally();
  const limiter = await openRateLimiter(config, { logger, onFallback });
  opened.defer(() => limiter.close());
  context.limiter = limiter;
  const backEnds: BackEnds = {
    database: () => context.sql.ping(),
    'blob store': () => context.blobs.ping(),
    'rate-limit counters': () => limiter.ping(),
  };
  const http = {
    config,
    logger,
    metrics,
    bodyQueue: createBodyQueue(),
    unread: createUnread(),
  };
  const accountQueue = createAccountQueue();

  const openapi = readBuiltOpenApi(config);
  const rest = await createRestSurface(http, {
    context,
    limiter,
    accountQueue,
    version: VERSION,
    addOperations,
    openapi,
  });
  const mcp = createLazySurface(async () => {
    const [{ createMcpSurface }, { MCP_FEATURES: features }] = await Promise.all([
      import('./surfaces/mcp/server.ts'),
      import('./tools.ts'),
    ]);
    return createMcpSurface(http, {
      context,
      limiter,
      accountQueue,
      version: VERSION,
      features,
    });
  }, logger);
  const upload = createLazySurface(async () => {
    const { createUploadSurface } = await import('./features/uploads/upload-server.ts');
    return createUploadSurface(http, { context, limiter, accountQueue });
  }, logger);
  const oauth = createLazySurface(async () => {
    const [{ createOAuthSurface }, { scopesOfAddress }] = await Promise.all([
      import('./features/applications/oauth-server.ts'),
      import('./tools.ts'),
    ]);
    const { fetchDocument } = overrides;
    return createOAuthSurface(http, { context, limiter, fetchDocument, scopesOfAddress });
  }, logger);
  const render = createRenderSurface(http, context);
  const surfaceFor = surfaceRule(config);
  const web = await createWebSurface(http, {
    context,
    version: VERSION,
    openapi: () => JSON.parse(openapi),
    backEnds,
    features: WEB_FEATURES,
    limiter,
    accountQueue,
    visitorOf: overrides.visitorOf,
    dispatch: (own: RawHandler) => {
      const handlers = {
        web: own,
        rest: rest.routing,
        mcp: mcp.routing,
        upload: upload.routing,
        oauth: oauth.routing,
        render: render.routing,
      };
      return (request, response) => {
        const surface = surfaceFor(request.headers.host, pathOf(request.url ?? '/'));
        handlers[surface](request, response);
      };
    },
  });
  await Promise.all([web, rest, render].map((surface) => surface.ready()));

  const sweeping = setInterval(() => {
    for (const [what, sweep] of Object.entries(SWEEPS)) {
      sweep(context).then(
        (removed) => logger.info({ removed }, `removed ${what}`),
        (error) => logger.error({ err: error }, `removing ${what} failed`),
      );
    }
  }, SWEEP_EVERY_MS).unref();

  const watchingSpace = watchDiskSpace(config.dataDir, logger);
  const indexer = startIndexer(context, {
    onFailure: (error) => logRepeated(logger, { err: error }, 'indexing for searches failed'),
    onCut: (documentIds) =>
      logger.warn({ documentIds }, 'indexed only the start of documents that took too long'),
  });

  const packer = startPacker(context, (error) =>
    logRepeated(logger, { err: error }, 'packing old texts failed'),
  );

  const carrier = startCarrier(context, (error) =>
    logRepeated(logger, { err: error }, 'finding the passages of comments failed'),
  );

  const tidier = startTidier(context, (error) =>
    logRepeated(logger, { err: error }, 'saving what was left in an editor failed'),
  );

  const feed = startFeed(context, (error) =>
    logRepeated(logger, { err: error }, 'placing events in the feed failed'),
  );

  const sender = startSender(context, (error) =>
    logRepeated(logger, { err: error }, 'sending to webhooks failed'),
  );

  const { mailEveryMs } = overrides;
  const mailer = config.mail && (await openMailer(context, config.mail, logger, mailEveryMs));

  const checker = config.upstream && (await openChecker(context, config.upstream, logger));

  // From here on, close() closes what was opened.
  opened.move();
  return {
    context,
    logger,
    isReadOnly: context.sql.isReadOnly ?? false,
    async listen() {
      const { host, port, renderPort, metricsPort } = config;
      await web.listen({ host, port });
      if (renderPort !== port) await render.listen({ host, port: renderPort });
      if (metricsPort !== undefined) await metrics?.listen(host, metricsPort);
    },
    async close() {
      clearInterval(sweeping);
      clearInterval(watchingSpace);
      context.feedWaiters.stop();
      await Promise.all([web, rest, mcp, upload, oauth, render].map((surface) => surface.close()));
      const background = [indexer, packer, carrier, tidier, feed, sender, mailer, checker];
      await Promise.all(background.map((one) => one?.stop()));
      await metrics?.close();
      await limiter.close();
      await closeContext(context);
    },
  };
}

/** Starts the mailer. Imports the mail library here, because a service without mail needs none. */
async function openMailer(
  context: Context,
  server: MailServer,
  logger: FastifyBaseLogger,
  everyMs: number | undefined,
) {
  const [{ startMailer }, { openSmtp }] = await Promise.all([
    import('./features/mail/mailer.ts'),
    import('./features/mail/smtp.ts'),
  ]);
  const events = {
    onFailure: (error: unknown) => logRepeated(logger, { err: error }, 'sending mail failed'),
    onDropped: (error: unknown) => logger.error({ err: error }, 'gave up sending a mail'),
  };
  return startMailer(context, openSmtp(server), events, everyMs);
}

/** Starts to ask the provider about people who work, if a setting says so. */
async function openChecker(
  context: Context,
  provider: UpstreamProvider,
  logger: FastifyBaseLogger,
) {
  if (provider.checkEveryMs === 0) return undefined;
  const { startChecker } = await import('./features/directory/checker.ts');
  return startChecker(context, provider, logger, (error) =>
    logRepeated(logger, { err: error }, 'asking the provider about people failed'),
  );
}

/** Warns at start, and every hour, if less than 10 % of the disk and less than 1 GB is free. */
function watchDiskSpace(dataDir: string, logger: FastifyBaseLogger): NodeJS.Timeout | undefined {
  const check = () => {
    if (!existsSync(dataDir)) return;
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    const [free, total] = [bavail * bsize, blocks * bsize];
    if (free >= Math.min(total / 10, 1024 ** 3)) return;
    logger.warn({ dataDir, free, total }, 'the disk is running full');
  };
  check();
  return setInterval(check, SPACE_EVERY_MS).unref();
}

async function openMetrics(
  { metricsPort, dataDir }: Config,
  parts: Omit<Parameters<typeof createMetrics>[0], 'dataDir'>,
) {
  if (metricsPort === undefined) return undefined;
  const { createMetrics } = await import('./surfaces/http/metrics.ts');
  return createMetrics({ ...parts, dataDir });
}
