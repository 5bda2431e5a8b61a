import type { FastifyInstance } from 'fastify';
import { authenticate } from '../account/token-service.ts';
import type { Context } from '../context.ts';
import type { ServiceError } from '../errors.ts';
import { requireAuthentication, resourceMetadataOf } from '../http/authentication.ts';
import { compressAnswers } from '../http/compression.ts';
import { allowOtherOrigins } from '../http/cors.ts';
import { createSurface, type HttpParts } from '../http/surface.ts';
import type { FairQueue } from '../limits/fair-queue.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import { collectRawBodies } from './body.ts';
import { acceptForms } from './one-file-form.ts';
import { describeApi } from './openapi.ts';
import type { Api } from './operation.ts';
import { addDocumentRoutes } from './routes/documents.ts';
import { addEditRoutes } from './routes/edits.ts';
import { addEmailInvitationRoutes } from './routes/email-invitations.ts';
import { addFeedRoutes } from './routes/feed.ts';
import { addFileRoutes } from './routes/files.ts';
import { addLabelRoutes } from './routes/labels.ts';
import { addLinkRoutes } from './routes/links.ts';
import { addMemberRoutes } from './routes/members.ts';
import { addMembershipRoutes } from './routes/memberships.ts';
import { addMoveRoutes } from './routes/moves.ts';
import { addOrganizationRoutes } from './routes/organizations.ts';
import { addOwnInvitationRoutes } from './routes/own-invitations.ts';
import { addPageRoutes } from './routes/pages.ts';
import { addPictureRoutes } from './routes/pictures.ts';
import { addPinRoutes } from './routes/pins.ts';
import { addProfileRoutes } from './routes/profiles.ts';
import { addReviewRoutes } from './routes/reviews.ts';
import { addRevisionRoutes } from './routes/revisions.ts';
import { addSearchRoutes } from './routes/search.ts';
import { addSharingRoutes } from './routes/sharing.ts';
import { addThreadRoutes } from './routes/threads.ts';
import { addTrashRoutes } from './routes/trash.ts';
import { addUserRoutes } from './routes/users.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';
import { compileSerializer } from './serialization.ts';
import { compileValidator, validationError } from './validation.ts';

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-cache',
  vary: 'Authorization',
};

/** Response headers that scripts of any origin can read. */
const EXPOSED_HEADERS = [
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-Merged',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Revision',
];

/** Creates the REST API: everything below `{base_url}`. */
export async function createRestSurface(
  http: HttpParts,
  parts: { context: Context; limiter: RateLimiter; accountQueue: FairQueue; version: string },
): Promise<FastifyInstance> {
  const { config, bodyQueue } = http;
  const { context, limiter, accountQueue, version } = parts;
  const app = createSurface({ ...http, surface: 'rest', headers: HEADERS, renderError });
  compressAnswers(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setSchemaErrorFormatter(validationError);
  await allowOtherOrigins(app, {
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Last-Event-ID'],
    exposedHeaders: EXPOSED_HEADERS,
  });
  const metadata = resourceMetadataOf(config.baseUrl);
  requireAuthentication(app, {
    authenticate: (token) => authenticate(context, token, 'api'),
    limiter,
    challenge: () => metadata,
  });
  collectRawBodies(app);
  await describeApi(app, config, version);

  const prefix = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  await app.register(
    async (scope) => {
      const { baseUrl } = config;
      const api: Api = { app: scope, context, baseUrl, bodyQueue, accountQueue };
      addUserRoutes(api);
      addProfileRoutes(api);
      addDocumentRoutes(api);
      addRevisionRoutes(api);
      addEditRoutes(api);
      addPageRoutes(api);
      addSearchRoutes(api);
      addTrashRoutes(api);
      addThreadRoutes(api);
      addReviewRoutes(api);
      addFeedRoutes(api);
      addWebhookRoutes(api);
      addSharingRoutes(api);
      addLinkRoutes(api);
      addLabelRoutes(api);
      addPinRoutes(api);
      addEmailInvitationRoutes(api);
      addMoveRoutes(api);
      addOwnInvitationRoutes(api);
      addOrganizationRoutes(api);
      addMemberRoutes(api);
      addMembershipRoutes(api);
      await scope.register(async (app) => {
        await acceptForms(app);
        addFileRoutes({ ...api, app });
        addPictureRoutes({ ...api, app });
      });
      scope.get('/openapi.json', { config: { open: true }, schema: { hide: true } }, () =>
        app.swagger(),
      );
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
