import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastifyStatic from '@fastify/static';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ConfigError } from '../../base/config-error.ts';
import { ServiceError } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { ROOT } from '../../base/package.ts';
import type { Config } from '../../core/config/config.ts';
import { takenSegments } from '../../core/config/listening-addresses.ts';
import type { Call, Context } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { refuseOtherMethods } from '../http/allowed-methods.ts';
import { compressAnswers } from '../http/compression.ts';
import { refuseSubresources } from '../http/destination.ts';
import type { RawHandler } from '../http/node-server.ts';
import { type BackEnds, requireReady } from '../http/readiness.ts';
import { createSurface, type HttpParts } from '../http/surface.ts';
import type { AccountParts } from './account-parts.ts';
import { type AppParts, createAppParts, type Prover } from './app-parts.ts';
import { loadAssets } from './assets.ts';
import { createVisits, type VisitorOf } from './browser-session.ts';
import { renderError } from './errors.ts';
import { addFaceRoutes } from './face-routes.ts';
import { registerMultipart } from './multipart-form.ts';
import type { AppPage } from './pages/app-page.tsx';
import type { Site } from './pages/assets.ts';
import { webHeaders } from './security-headers.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that could change something unless a page of this host sent them. Otherwise
 * other sites could make a visitor's browser send them.
 */
function requireSameOrigin(app: FastifyInstance, webUrl: string): void {
  const { origin } = new URL(webUrl);
  app.addHook('onRequest', async ({ method, headers }) => {
    if (SAFE_METHODS.includes(method) || isFromPageOf(origin, headers)) return;
    throw new ServiceError(
      'FORBIDDEN',
      `This form was not sent from ${origin}. Open the page there and try again.`,
    );
  });
}

/**
 * Tells whether a page of this origin sent a request, according to the browser. Current browsers
 * send `Origin` or `Sec-Fetch-Site` with every form. A request with neither could come from
 * anywhere.
 *
 * @param origin of the web host
 */
function isFromPageOf(origin: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  // Pages that send no referrer, such as those of secret links, send "null" (Fetch, "append a
  // request `Origin` header"). `Sec-Fetch-Site` then tells them from sandboxed documents, which are
  // cross-site.
  if (headers.origin === 'null') return site === 'same-origin';
  if (headers.origin !== undefined && headers.origin !== origin) return false;
  // "none" is the user's own action, such as reopening a tab.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin !== undefined;
}

/** What the features give to the web host. `features.ts` lists it. */
export interface WebFeatures {
  /** The sources of the built scripts and style sheets. */
  client: readonly string[];
  /** Adds pages that set no cookies and read no forms. */
  addOpenPages(
    app: FastifyInstance,
    parts: {
      context: Context;
      site: Site;
      visitorOf: VisitorOf;
      markdownHeaders: ReturnType<typeof webHeaders>['markdown'];
    },
  ): void;
  addMailPages(scope: FastifyInstance, parts: { context: Context; site: Site }): void;
  /** Adds the addresses that a provider or a directory calls, not a browser. */
  addDirectory(
    scope: FastifyInstance,
    parts: { context: Context; limiter: RateLimiter; config: Config; logger: FastifyBaseLogger },
  ): Promise<void>;
  /** Adds the pages with cookies and forms. */
  addScreens(
    scope: FastifyInstance,
    account: AccountParts,
    parts: {
      createParts: () => AppParts;
      /** The API's description of itself (OpenAPI 3.1). */
      openapi: () => object;
      visitorOf: VisitorOf;
      upstream: Config['upstream'];
      logger: FastifyBaseLogger;
    },
  ): Promise<void>;
  /** Creates what asks users again who they are. */
  createProver(account: AccountParts): Prover;
  /** Returns the page of a user's invitation to a document; `undefined` if there is none. */
  findInvitedPage(call: Call, ref: DocumentRef): Promise<AppPage | undefined>;
}

/** The built browser code. */
const CLIENT_DIR = fileURLToPath(new URL('dist/client/', ROOT));

/** Creates the web host: the front page, public documents, profiles, the app. */
export async function createWebSurface(
  http: HttpParts,
  parts: {
    context: Context;
    version: string;
    dispatch: (own: RawHandler) => RawHandler;
    /** The API's description of itself (OpenAPI 3.1). */
    openapi: () => object;
    limiter: RateLimiter;
    accountQueue: FairQueue;
    /** Replaces the session lookup in tests. */
    visitorOf: VisitorOf | undefined;
    /** The back ends that must respond before the service is ready. */
    backEnds: BackEnds;
    features: WebFeatures;
  },
): Promise<FastifyInstance> {
  const { config } = http;
  const { context, version, dispatch, openapi, backEnds, features } = parts;
  const assets = loadAssets(`${CLIENT_DIR}manifest.json`, features.client);
  const site: Site = {
    webUrl: config.webUrl,
    baseUrl: config.baseUrl,
    assets,
    version,
    face: config.face,
    sendsMail: context.sendsMail,
    hasPasswords: context.signIn.passwords === 'on',
    takesReports: config.reports === 'on',
  };
  const headers = webHeaders(config);
  const app = createSurface({
    ...http,
    surface: 'web',
    headers: headers.page,
    dispatch,
    renderError: (error, asked) => renderError(site, error, asked),
  });
  compressAnswers(app);

  const segments = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    segments.add(url.split('/')[1] as string);
  });

  refuseOtherMethods(app);

  // Requests to this host send only forms.
  app.removeAllContentTypeParsers();

  await app.register(fastifyStatic, {
    root: `${CLIENT_DIR}assets`,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.headers(headers.asset(path));
    },
  });

  app.get('/healthz', { logLevel: 'warn' }, async () => ({ status: 'ok' }));
  app.get('/readyz', { logLevel: 'warn' }, async () => {
    await requireReady(backEnds, http.logger);
    return { status: 'ready' };
  });

  const visits = createVisits(context, config.webUrl);
  const visitorOf: VisitorOf =
    parts.visitorOf ?? (async (request) => (await visits.visitOf(request))?.actor);
  addFaceRoutes(app, site);
  features.addOpenPages(app, { context, site, visitorOf, markdownHeaders: headers.markdown });

  if (context.sendsMail) {
    await app.register(async (scope) => {
      await scope.register(fastifyFormbody);
      // Mail programs send either kind of form (RFC 8058, section 3.2).
      await registerMultipart(scope);
      refuseSubresources(scope);
      features.addMailPages(scope, { context, site });
    });
  }

  await app.register(async (scope) => {
    await scope.register(fastifyFormbody);
    refuseSubresources(scope);
    await features.addDirectory(scope, {
      context,
      limiter: parts.limiter,
      config,
      logger: http.logger,
    });
  });

  // Public documents set no cookies and read no forms, so these plugins apply only to this scope.
  await app.register(async (scope) => {
    await scope.register(fastifyFormbody);
    await registerMultipart(scope);
    await scope.register(fastifyCookie);
    refuseSubresources(scope);
    requireSameOrigin(scope, config.webUrl);

    const account: AccountParts = {
      context,
      limiter: parts.limiter,
      accountQueue: parts.accountQueue,
      unread: http.unread,
      site,
      visits,
      signUpsOpen: config.signUps === 'open' || config.signUps === 'domains',
      upstreamName: config.upstream?.name,
    };
    await features.addScreens(scope, account, {
      createParts: () =>
        createAppParts(scope, {
          ...account,
          prover: features.createProver(account),
          findInvitedPage: features.findInvitedPage,
        }),
      openapi,
      visitorOf,
      upstream: config.upstream,
      logger: http.logger,
    });
  });

  const taken = takenSegments(config).find((segment) => segments.has(segment));
  if (taken) {
    throw new ConfigError(
      `BASE_URL: /${taken} is the web host’s own; another path is needed, such as /api`,
    );
  }
  return app;
}
