import { fileURLToPath } from 'node:url';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { ROOT } from '../../base/package.ts';
import { ConfigError } from '../../core/config/config.ts';
import { takenSegments } from '../../core/config/listening-addresses.ts';
import type { Context } from '../../core/context.ts';
import { addSignInRoutes } from '../../features/accounts/sign-in-routes.ts';
import { addSignUpRoutes } from '../../features/accounts/sign-up-routes.ts';
import { addVerifyRoutes } from '../../features/accounts/verify-routes.ts';
import { addConsentRoutes } from '../../features/applications/consent.ts';
import { addCardRoutes } from '../../features/cards/card-routes.ts';
import { addDiscoveryRoutes } from '../../features/discovery/discovery-routes.ts';
import { addInvitedRoutes } from '../../features/invited/invited-routes.ts';
import { addLinkRoutes } from '../../features/links/link-routes.ts';
import { addUnsubscribeRoutes } from '../../features/mail/unsubscribe-routes.ts';
import { addOfflineRoutes } from '../../features/offline/offline-routes.ts';
import { addFrameRoutes } from '../../features/pages/frame-routes.ts';
import { addPictureRoutes } from '../../features/profiles/picture-routes.ts';
import { addPublicRoutes } from '../../features/reading/public-routes.ts';
import { renderApiReferencePage } from '../../features/reference/api-reference-page.tsx';
import { compressAnswers } from '../http/compression.ts';
import { refuseSubresources } from '../http/destination.ts';
import type { RawHandler } from '../http/node-server.ts';
import { type BackEnds, requireReady } from '../http/readiness.ts';
import { createSurface, type HttpParts } from '../http/surface.ts';
import type { AccountParts } from './account-parts.ts';
import { createAppParts } from './app-parts.ts';
import { addAppRoutes } from './app-routes.ts';
import { loadAssets } from './assets.ts';
import { createVisits, type VisitorOf } from './browser-session.ts';
import { renderError } from './errors.ts';
import { webHeaders } from './headers.ts';
import { registerMultipart } from './multipart-form.ts';
import type { Site } from './pages/assets.ts';
import { requireSameOrigin } from './same-origin.ts';

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
  },
): Promise<FastifyInstance> {
  const { config } = http;
  const { context, version, dispatch, openapi, backEnds } = parts;
  const assets = loadAssets(`${CLIENT_DIR}manifest.json`);
  const site: Site = {
    ...{ webUrl: config.webUrl, baseUrl: config.baseUrl, assets, version },
    sendsMail: context.sendsMail,
    keepsCopies: config.offlineCopies === 'on',
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

  let reference: string | undefined;
  app.get('/reference', async (_request, reply) => {
    reference ??= renderApiReferencePage(site, openapi());
    return reply.header('content-type', 'text/html; charset=utf-8').send(reference);
  });

  const visits = createVisits(context, config.webUrl);
  const visitorOf: VisitorOf =
    parts.visitorOf ?? (async (request) => (await visits.visitOf(request))?.actor);
  addPublicRoutes(app, {
    ...{ context, site, visitorOf },
    markdownHeaders: headers.markdown,
  });
  addDiscoveryRoutes(app, { context, site });
  addCardRoutes(app, context);
  addOfflineRoutes(app, site);
  addPictureRoutes(app, context);

  if (context.sendsMail) {
    await app.register(async (scope) => {
      await scope.register(fastifyFormbody);
      // Mail programs send either kind of form (RFC 8058, section 3.2).
      await registerMultipart(scope);
      refuseSubresources(scope);
      addUnsubscribeRoutes(scope, { context, site });
      addVerifyRoutes(scope, { context, site });
    });
  }

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
      site,
      visits,
      signUpsOpen: config.signUps === 'open',
      upstreamName: config.upstream?.name,
    };
    addSignInRoutes(scope, account);
    addSignUpRoutes(scope, account);
    const appParts = createAppParts(scope, account);
    addAppRoutes(appParts);
    addLinkRoutes(scope, appParts);
    addInvitedRoutes(appParts);
    addConsentRoutes(scope, { context, site, visitorOf });
    if (config.upstream) {
      const { addUpstreamRoutes } = await import('../../features/accounts/upstream-routes.ts');
      addUpstreamRoutes(scope, account, config.upstream, http.logger);
    }
    addFrameRoutes(scope, { context, site, visitorOf });
  });

  const taken = takenSegments(config).find((segment) => segments.has(segment));
  if (taken) {
    throw new ConfigError(
      `BASE_URL: /${taken} is the web host’s own; another path is needed, such as /api`,
    );
  }
  return app;
}
