import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ErrorBody,
  FieldError,
  type ServiceError,
  undefinedIfNotFound,
} from '../../base/errors.ts';
import { addressKey, type RateLimiter } from '../../base/limits/rate-limit.ts';
import { ARGUMENT_NAMES } from '../../base/schema/argument-names.ts';
import type { Context } from '../../core/context.ts';
import { MergeRefused } from '../../core/document/merge-service.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { UPLOAD_SEGMENT } from '../../core/identity/ticket.ts';
import { showAllowance } from '../../surfaces/http/authentication.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { bodyOf } from './body.ts';
import { storeUploaded, type UploadParts } from './stored.ts';
import { type OpenTicket, openTicket } from './upload-service.ts';

/** Nothing here is for browsers: no page can read a response, and no address is passed on. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
};

/**
 * Creates the surface for uploads with tickets: `PUT {base_url}/uploads/{secret}`. The address is
 * the only secret, so no header is needed, and other origins are refused.
 */
export async function createUploadSurface(
  http: HttpParts,
  { limiter, ...parts }: UploadParts & { limiter: RateLimiter },
): Promise<FastifyInstance> {
  const app = createSurface({ ...http, surface: 'upload', headers: HEADERS, renderError });
  app.decorateRequest('actor');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  // Clients send any type, or none. The ticket decides.
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.headers['content-type'];
    done();
  });
  const prefix = new URL(http.config.baseUrl).pathname.replace(/\/$/, '');
  const route = { url: `${prefix}/${UPLOAD_SEGMENT}/:secret`, config: { secretPath: true } };
  app.route({
    ...route,
    method: 'PUT',
    handler: async (request, reply) => {
      const ticket = await countedTicket(parts.context, limiter, request, reply);
      request.accountId = ticket.actor.id;
      const body = bodyOf(request, ticket.limitBytes);
      return reply.code(201).send(await storeUploaded(parts, ticket, body));
    },
  });
  app.route({
    ...route,
    method: ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
    handler: async (_request, reply) => refuseMethod(reply),
  });
  return app;
}

/**
 * Opens the ticket of a request. Requests without one count per IP address.
 *
 * @throws NOT_FOUND, RATE_LIMITED
 */
async function countedTicket(
  context: Context,
  limiter: RateLimiter,
  request: FastifyRequest<{ Params: unknown }>,
  reply: FastifyReply,
): Promise<OpenTicket> {
  const { secret } = request.params as { secret: string };
  const ticket = await undefinedIfNotFound(openTicket(context, secret));
  if (ticket) {
    await countAttempt(limiter, [['uploadAttempt', ticket.actor.id]]);
    return ticket;
  }
  showAllowance(reply, await limiter.consume('api', addressKey(request.ip)));
  return openTicket(context, secret);
}

function refuseMethod(reply: FastifyReply): FastifyReply {
  const message = "Upload the bytes with PUT, such as curl -T FILE 'URL'.";
  const body: ErrorBody = { error: { code: 'BAD_REQUEST', message } };
  return reply.code(405).header('allow', 'PUT').send(body);
}

function renderError(error: ServiceError) {
  const body = error.toBody();
  return {
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ ...body, error: { ...body.error, message: messageOf(error) } }),
  };
}

/**
 * Returns an error's message with the names of the tool's arguments, because an agent got the
 * ticket from a tool.
 */
function messageOf(error: ServiceError): string {
  const nameOf = (field: string) => ARGUMENT_NAMES[field] ?? field;
  if (error instanceof MergeRefused) return error.messageNaming(nameOf('baseRevision'));
  if (error instanceof FieldError) return `${nameOf(error.field)}: ${error.problem}`;
  return error.message;
}
