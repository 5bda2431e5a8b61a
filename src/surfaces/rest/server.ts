import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import type { ServiceError } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';
import type { Context } from '../../core/context.ts';
import { authenticate } from '../../core/identity/token-service.ts';
import { collectRoutes } from '../http/allowed-methods.ts';
import { requireAuthentication, resourceMetadataOf } from '../http/authentication.ts';
import { BARE_HEADERS } from '../http/bare-headers.ts';
import { compressAnswers } from '../http/compression.ts';
import { allowOtherOrigins } from '../http/cors.ts';
import { createSurface, type HttpParts } from '../http/surface.ts';
import { collectRawBodies } from './body.ts';
import { serveOpenApi } from './built-openapi.ts';
import type { Api } from './operation.ts';
import { compileValidator, validationError } from './validation.ts';

/**
 * Returns the function that serializes exactly the fields of a response's schema. Compiles the
 * schema at the first response. Error bodies are already text, so their schemas aren't compiled.
 */
const compileSerializer: FastifySerializerCompiler<object> = ({ schema, httpStatus }) => {
  if (Number(httpStatus) >= 400) return JSON.stringify;
  let compiled: ReturnType<typeof fastJsonStringify> | undefined;
  return (answer) => {
    compiled ??= fastJsonStringify(schema);
    return compiled(answer);
  };
};

const HEADERS = {
  ...BARE_HEADERS,
  'cache-control': 'private, no-cache',
  vary: 'Authorization',
  // Also for requests that come to no route, such as a bad address.
  'access-control-allow-origin': '*',
};

/** Response headers that scripts of any origin can read. */
const EXPOSED_HEADERS = [
  'Allow',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-Merged',
  'X-Search-Pending',
  'X-Search-Partial',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Revision',
];

/** Creates the REST API: everything below `{base_url}`. */
export async function createRestSurface(
  http: HttpParts,
  parts: {
    context: Context;
    limiter: RateLimiter;
    accountQueue: FairQueue;
    version: string;
    addOperations: (api: Api) => Promise<void>;
    /** The OpenAPI document to serve. Without it, the surface can generate it: `swagger()`. */
    openapi: string | undefined;
  },
): Promise<FastifyInstance> {
  const { config, bodyQueue, unread } = http;
  const { context, limiter, accountQueue, version, addOperations, openapi } = parts;
  const app = createSurface({ ...http, surface: 'rest', headers: HEADERS, renderError });
  compressAnswers(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setSchemaErrorFormatter(validationError);
  const { methodsOf } = collectRoutes(app);
  app.addHook('onRequest', async (request, reply) => {
    const methods = request.method === 'OPTIONS' ? methodsOf(pathOf(request.url)) : [];
    if (methods.length > 0) reply.header('allow', methods.join(', '));
  });
  await allowOtherOrigins(app, {
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
    ],
    exposedHeaders: EXPOSED_HEADERS,
  });
  const prefix = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const description = `<${config.baseUrl}/openapi.json>; rel="service-desc"`;
  app.addHook('onRequest', async (request, reply) => {
    // RFC 8631. Nothing is at the base address itself.
    if (pathOf(request.url).replace(/\/$/, '') === prefix) reply.header('link', description);
  });
  const metadata = resourceMetadataOf(config.baseUrl);
  requireAuthentication(app, {
    authenticate: (token) => authenticate(context, token, 'api'),
    limiter,
    unread,
    challenge: () => metadata,
  });
  collectRawBodies(app);
  if (openapi === undefined) {
    const { describeApi } = await import('./openapi.ts');
    await describeApi(app, config, version);
  }

  await app.register(
    async (scope) => {
      const { baseUrl } = config;
      const api: Api = { app: scope, context, baseUrl, bodyQueue, accountQueue, unread };
      await addOperations(api);
      if (openapi !== undefined) {
        scope.get('/openapi.json', { config: { open: true } }, serveOpenApi(openapi));
      }
    },
    { prefix },
  );
  return app;
}

function renderError(error: ServiceError) {
  return {
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(error.toBody()),
  };
}
