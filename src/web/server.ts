import { fileURLToPath } from 'node:url';
import fastifyCookie from '@fastify/cookie';
import fastifyFormbody from '@fastify/formbody';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TooManyAttempts } from '../account/attempts.ts';
import { ConfigError } from '../config.ts';
import type { Actor, Context } from '../context.ts';
import { documentUrl, renderUrl } from '../document/addresses.ts';
import { viewPage } from '../document/page-service.ts';
import { readProfile } from '../document/profile-service.ts';
import { ServiceError } from '../errors.ts';
import { pathOf, takenSegments } from '../http/addresses.ts';
import { isNotModified } from '../http/conditional.ts';
import { type KeptAnswer, KeptAnswers } from '../http/kept-answers.ts';
import { type BackEnds, requireReady } from '../http/readiness.ts';
import { createSurface, type HttpParts, type RawHandler } from '../http/server.ts';
import { isKept } from '../kept-with-row.ts';
import { lastPageNumber } from '../page.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { ROOT } from '../root.ts';
import type { AccountParts } from './account-parts.ts';
import { createAppParts, sentenceOf } from './app/app-parts.ts';
import { registerMultipart } from './app/multipart-form.ts';
import { addAppRoutes } from './app/routes.ts';
import { loadAssets } from './assets.ts';
import { addConsentRoutes } from './consent.ts';
import { webHeaders } from './headers.ts';
import { preferredFormat } from './negotiation.ts';
import { signInPath } from './next-path.ts';
import { renderApiReferencePage } from './pages/api-reference-page.tsx';
import type { Site } from './pages/assets.ts';
import { renderErrorPage } from './pages/error-page.tsx';
import { renderFramePage } from './pages/frame-page.tsx';
import { renderProfilePage } from './pages/profile-page.tsx';
import { createPageReader, type Reading, readMarkdown } from './reading.ts';
import { requireSameOrigin } from './same-origin.ts';
import { addSignInRoutes } from './sign-in-routes.ts';
import { addSignUpRoutes } from './sign-up-routes.ts';
import { createVisits } from './visits.ts';

/** The built browser code. */
const CLIENT_DIR = fileURLToPath(new URL('dist/client/', ROOT));

const PROFILE_PAGE_SIZE = 30;

/** Who is signed in on the web host, if anybody is. */
export type VisitorOf = (request: FastifyRequest) => Promise<Actor | undefined>;

/** Makes the public web host: documents for programs and people, profiles, the front page. */
export async function createWebSurface(
  http: HttpParts,
  parts: {
    context: Context;
    version: string;
    dispatch: (own: RawHandler) => RawHandler;
    /** The API's description of itself (OpenAPI 3.1). */
    openapi: () => object;
    limiter: RateLimiter;
    /** In place of whose session it is, for tests. */
    visitorOf: VisitorOf | undefined;
    /** What has to answer before the service is ready. */
    backEnds: BackEnds;
  },
): Promise<FastifyInstance> {
  const { config } = http;
  const { context, version, dispatch, openapi, backEnds } = parts;
  const assets = loadAssets(`${CLIENT_DIR}manifest.json`);
  const site: Site = { webUrl: config.webUrl, baseUrl: config.baseUrl, assets, version };
  const headers = webHeaders(config);
  const keptAnswers = new KeptAnswers(() => context.sql.state());
  const app = createSurface({
    ...http,
    surface: 'web',
    headers: headers.page,
    dispatch,
    keptAnswers,
    renderError: (error, asked) => renderError(site, error, asked),
  });

  const segments = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    segments.add(url.split('/')[1] as string);
  });

  // Forms are all that is sent here.
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

  const sendHtml = (reply: FastifyReply, html: string) =>
    reply.header('content-type', 'text/html; charset=utf-8').send(html);

  let reference: string | undefined;
  app.get('/reference', async (_request, reply) => {
    reference ??= renderApiReferencePage(site, openapi());
    return sendHtml(reply, reference);
  });

  app.get<{ Params: { owner: string }; Querystring: { page?: unknown } }>(
    '/:owner',
    async (request, reply) => {
      const number = readPageNumber(request.query.page);
      const page = { number, size: PROFILE_PAGE_SIZE };
      const profile = await readProfile(context, request.params.owner, page);
      const { namespace, type, displayName, createdAt, documents } = profile;
      const html = renderProfilePage(site, {
        owner: namespace,
        ownerType: type,
        displayName: displayName ?? undefined,
        createdAt,
        documents: documents.items.map((document) => ({
          ...document,
          url: documentUrl(config.webUrl, { ...document, ownerNamespace: namespace }),
        })),
        page: number,
        lastPage: Math.max(1, lastPageNumber(documents.total, PROFILE_PAGE_SIZE)),
        total: documents.total,
      });
      return sendHtml(reply.header('cache-control', 'public, no-cache'), html);
    },
  );

  const readPage = createPageReader(context, site);
  app.get<{ Params: { owner: string; name: string }; Querystring: { format?: unknown } }>(
    '/:owner/:name',
    async (request, reply) => {
      const { owner, name } = request.params;
      const [, stem = name, suffix] = /^(.*)(\.md)$/is.exec(name) ?? [];
      const asked = suffix !== undefined || isMarkdown(request.query.format);
      const format = asked ? 'markdown' : preferredFormat(request.headers.accept);
      reply.header('vary', 'Accept');
      const ref = { kind: 'brief', owner, name: stem } as const;
      const state = keptAnswers.state();
      const reading = await (format === 'html'
        ? readPage(ref).catch(leadToApp)
        : readMarkdown(context, ref));
      if (format === 'markdown') reply.headers(headers.markdown);
      reply.headers(reading.headers);
      if (isKept(reading)) keptAnswers.keep(request.raw, state, toKept(reply, reading.body));
      return sendReading(request, reply, reading);
    },
  );

  // Cookies and forms, and looking for them, are for these alone: documents for everybody need neither.
  await app.register(async (scope) => {
    await scope.register(fastifyFormbody);
    await registerMultipart(scope);
    await scope.register(fastifyCookie);
    requireSameOrigin(scope, config.webUrl);

    const visits = createVisits(context, config.webUrl);
    const visitorOf: VisitorOf =
      parts.visitorOf ?? (async (request) => (await visits.visitOf(request))?.actor);
    const account: AccountParts = {
      context,
      limiter: parts.limiter,
      site,
      visits,
      signUpsOpen: config.signUps === 'open',
      upstreamName: config.upstream?.name,
    };
    addSignInRoutes(scope, account);
    addSignUpRoutes(scope, account);
    const appParts = createAppParts(scope, account);
    addAppRoutes(appParts);
    addConsentRoutes(scope, { context, site, visitorOf });
    if (config.upstream) {
      const { addUpstreamRoutes } = await import('./upstream-routes.ts');
      addUpstreamRoutes(scope, account, config.upstream, http.logger);
    }

    scope.get<{ Params: { owner: string; name: string } }>(
      '/:owner/pages/:name',
      async (request, reply) => {
        reply.header('cache-control', 'private, no-store');
        const ref = { kind: 'page', ...request.params } as const;
        const visitor = await visitorOf(request);
        const view = await viewPage(context, visitor, ref).catch((error) =>
          askToSignIn(error, visitor, pathOf(request.url)),
        );
        const { document, signedUrl } = view;
        const html = renderFramePage(site, {
          owner: document.ownerNamespace,
          name: document.name,
          title: document.title ?? document.name,
          url: documentUrl(config.webUrl, { ...document, kind: 'page' }),
          source: signedUrl ?? renderUrl(config.renderUrl, document),
          isPublic: signedUrl === undefined,
        });
        return sendHtml(reply, html);
      },
    );
  });

  const taken = takenSegments(config).find((segment) => segments.has(segment));
  if (taken) {
    throw new ConfigError(
      `BASE_URL: /${taken} is the web host’s own; another path is needed, such as /api`,
    );
  }
  return app;
}

/** There is nothing at an address for this visitor, and perhaps for another. */
class NothingForVisitor extends ServiceError {
  /** The path of the address. */
  readonly path: string;

  constructor(path: string) {
    super(
      'NOT_FOUND',
      'There is no public page at this address. If one was shared with you, sign in to see it.',
    );
    this.path = path;
  }
}

/** There is no public brief at an address, and perhaps one that is not. */
class NothingPublic extends ServiceError {
  constructor() {
    super(
      'NOT_FOUND',
      'There is no public brief at this address. If one was shared with you, open it in the app.',
    );
  }
}

/** The same for every address, so that nobody learns whether there is a brief. */
function leadToApp(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  throw new NothingPublic();
}

/** Nobody learns whether there is a page that is not for them. */
function askToSignIn(error: unknown, visitor: Actor | undefined, path: string): never {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  if (!visitor) throw new NothingForVisitor(path);
  throw new ServiceError(
    'NOT_FOUND',
    `There is no page at this address that ${visitor.username} may see. ` +
      'If there should be one, ask its owner to share it with you.',
  );
}

/** An answer as others will get it who ask the same. */
function toKept(reply: FastifyReply, body: Reading['body']): KeptAnswer {
  const { 'x-request-id': _, ...headers } = reply.getHeaders() as Record<string, string>;
  return { headers, body, route: reply.request.routeOptions.url };
}

function sendReading(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, validators }: Reading,
): FastifyReply {
  if (validators && isNotModified(request.headers, validators)) return reply.code(304).send();
  return reply.send(body);
}

const ERROR_TITLES: Record<number, string> = {
  400: 'This request does not make sense',
  403: 'This is not allowed',
  404: 'Nothing here',
  422: 'That did not work',
  429: 'Too many attempts',
  503: 'Not ready',
};

/** People get a page, programs the error shape; neither is told more than the other. */
function renderError(
  site: Site,
  error: ServiceError,
  asked: { accept: string | undefined; path: string },
) {
  const headers = {
    vary: 'Accept',
    'cache-control': 'no-store',
    ...(error instanceof TooManyAttempts && { 'retry-after': String(error.retryAfterSeconds) }),
  };
  if (preferredFormat(asked.accept) === 'markdown') {
    return {
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(error.toBody()),
      headers,
    };
  }
  const { status } = error;
  const message = sentenceOf(error);
  const title = ERROR_TITLES[status] ?? 'Something went wrong';
  return {
    contentType: 'text/html; charset=utf-8',
    body: renderErrorPage(site, { status, title, message, ...wayFrom(error, asked.path) }),
    headers,
  };
}

/** The way forward from an error, where it is not the start page. */
function wayFrom(error: ServiceError, path: string) {
  if (error instanceof NothingForVisitor) {
    return { way: { href: signInPath(error.path), label: 'Sign in' } };
  }
  if (error instanceof NothingPublic)
    return { way: { href: '/read', label: 'Open it in the app' } };
  // What else is counted is done by people who are signed in.
  const toSignIn = error instanceof TooManyAttempts && /^\/sign-(in|up)(\/|$)/.test(path);
  return toSignIn ? { way: { href: '/sign-in', label: 'Go to the sign-in page' } } : {};
}

/** @throws BAD_REQUEST */
function readPageNumber(text: unknown): number {
  if (text === undefined) return 1;
  const number = typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new ServiceError('BAD_REQUEST', 'page: must be an integer from 1.');
  return number;
}

/** Whether `format=md` is among what a query says of the format. */
function isMarkdown(format: unknown): boolean {
  return format === 'md' || (Array.isArray(format) && format.includes('md'));
}
