import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ErrorBody,
  FieldError,
  ServiceError,
  undefinedIfNotFound,
} from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import { addressKey, type RateLimiter } from '../../base/limits/rate-limit.ts';
import { ARGUMENT_NAMES } from '../../base/schema/argument-names.ts';
import type { Call, Context } from '../../core/context.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { MergeRefused } from '../../core/document/merge-service.ts';
import { withWarnings } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { UPLOAD_SEGMENT } from '../../core/identity/ticket.ts';
import { callFor } from '../../core/owner/program-service.ts';
import { showAllowance } from '../../surfaces/http/authentication.ts';
import { BARE_HEADERS } from '../../surfaces/http/bare-headers.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { presentFile } from '../files/file-schema.ts';
import type { FileRow } from '../files/file-store.ts';
import {
  type OpenTicket,
  openTicket,
  publishUpload,
  saveUploadedFile,
  type Uploaded,
} from './upload-service.ts';

/** Nothing here is for browsers: no page can read a response, and no address is passed on. */
const HEADERS = {
  ...BARE_HEADERS,
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'private, no-store',
};

/**
 * Creates the surface for uploads with tickets: `PUT {base_url}/uploads/{secret}`. The address is
 * the only secret, so no header is needed, and other origins are refused.
 */
export async function createUploadSurface(
  http: HttpParts,
  parts: { context: Context; accountQueue: FairQueue; limiter: RateLimiter },
): Promise<FastifyInstance> {
  const { context, accountQueue, limiter } = parts;
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
      const ticket = await countedTicket(context, limiter, request, reply);
      request.accountId = ticket.actor.id;
      const body = bodyOf(request, ticket.limitBytes);
      const call = callFor(context, ticket.actor);
      return reply.code(201).send(await storeUploaded(call, accountQueue, ticket, body));
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
  const body: ErrorBody = { error: { code: 'METHOD_NOT_ALLOWED', message } };
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

/**
 * Returns the body of an upload as a stream. The stream fails with PAYLOAD_TOO_LARGE as soon as it
 * is above the limit, and with BAD_REQUEST if it is empty or ends early.
 *
 * @throws BAD_REQUEST if it is compressed; PAYLOAD_TOO_LARGE if it is declared to be above the
 *   limit
 */
function bodyOf({ headers, raw }: FastifyRequest, limitBytes: number): Readable {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new FieldError('BAD_REQUEST', 'Content-Encoding', 'must be identity: no compression.');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return Readable.from(checked(raw, limitBytes), { objectMode: false });
}

/**
 * Yields the chunks of a body. If the caller stops, drops the rest, so that the response can be
 * sent.
 */
async function* checked(body: Readable, limitBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limitBytes) throw tooLarge(limitBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new FieldError('BAD_REQUEST', 'body', 'ended early.');
  } finally {
    body.resume();
  }
  if (length > 0) return;
  throw new FieldError('BAD_REQUEST', 'body', "is empty. Send the bytes: curl -T FILE 'URL'.");
}

function tooLarge(limitBytes: number): FieldError {
  const problem = `is too large. The limit is ${limitBytes} bytes.`;
  return new FieldError('PAYLOAD_TOO_LARGE', 'body', problem);
}

/** Stores the bytes uploaded with a ticket, and returns their address. */
async function storeUploaded(
  call: Call,
  accountQueue: FairQueue,
  ticket: OpenTicket,
  body: Readable,
): Promise<object> {
  const { task } = ticket;
  if (task.what === 'file') {
    return presentUploadedFile(call, await saveUploadedFile(call, ticket, task, body));
  }
  const bytes = await buffer(body);
  const publish = () => publishUpload(call, ticket, task, bytes);
  const uploaded = await accountQueue.run(call.actor.id, publish);
  const warnings = await warningsAbout(call, uploaded.seen);
  return withWarnings(presentPublication(call, uploaded), warnings);
}

function presentUploadedFile({ renderUrl }: Context, row: FileRow) {
  const file = presentFile(renderUrl, row);
  const label = file.name.replace(/[\\[\]]/g, '\\$&');
  const link = `[${label}](${file.url})`;
  return { ...file, markdown: file.contentType.startsWith('image/') ? `!${link}` : link };
}

function presentPublication({ webUrl }: Context, { isNew, seen }: Uploaded) {
  const { document, etag, merged } = seen;
  const { kind, id, name, ownerNamespace: owner, visibility, version, sizeBytes } = document;
  const url = readerUrl(webUrl, document);
  const state = { visibility, revision: version, etag, sizeBytes };
  return { url, kind, owner, name, id, ...state, created: isNew, merged };
}
