import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { undefinedIfNotFound } from '../../base/errors.ts';
import { type Context, callOf } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { chooseCoding, codedTag } from '../../surfaces/http/compression.ts';
import { isNotModified } from '../../surfaces/http/conditional.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import type { VisitorOf } from '../../surfaces/web/browser-session.ts';
import { NothingPublic } from '../../surfaces/web/errors.ts';
import { preferredFormat } from '../../surfaces/web/negotiation.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { FOR_EVERY_SITE } from '../../surfaces/web/security-headers.ts';
import { findAppPath } from '../invitations/app-path-service.ts';
import {
  createPageReader,
  type Reading,
  readMarkdown,
  readRevisionMarkdown,
  readRevisionPage,
} from './reading.ts';

/** Adds public briefs, which are the same for everyone who isn't signed in. */
export function addPublicRoutes(
  app: FastifyInstance,
  parts: {
    context: Context;
    site: Site;
    visitorOf: VisitorOf;
    /** Headers of Markdown responses, in addition to those of every response. */
    markdownHeaders: Record<string, string>;
  },
): void {
  const { context, site, visitorOf, markdownHeaders } = parts;

  const readPage = createPageReader(context, site);
  app.get<{ Params: { owner: string; name: string }; Querystring: { format?: unknown } }>(
    '/:owner/:name',
    async (request, reply) => {
      const { owner, name } = request.params;
      const [, stem = name, suffix] = /^(.*)(\.md)$/is.exec(name) ?? [];
      const asked = suffix !== undefined || isMarkdown(request.query.format);
      const format = asked ? 'markdown' : preferredFormat(request.headers.accept);
      reply.header('vary', format === 'html' ? 'Accept, Cookie' : 'Accept');
      const revision = parseRevisionName(stem);
      const ref = { kind: 'brief', owner, name: revision?.name ?? stem } as const;
      const visitor = format === 'html' ? await visitorOf(request) : undefined;
      // The link to one text shows the same to all, if all can read it.
      if (visitor && !revision)
        return leadToApp(reply, await findAppPath(callOf(context, visitor), ref));
      const reading = await (format === 'html'
        ? undefinedIfNotFound(readHtml(ref, revision?.number))
        : readText(ref, revision?.number));
      if (!reading && visitor) {
        return leadToApp(reply, await findAppPath(callOf(context, visitor), ref, revision?.number));
      }
      if (!reading) throw new NothingPublic();
      if (format === 'markdown') reply.headers(markdownHeaders).headers(FOR_EVERY_SITE);
      reply.headers(reading.headers);
      return sendReading(request, reply, reading);
    },
  );

  function readText(ref: DocumentRef, revision: number | undefined): Promise<Reading> {
    if (revision === undefined) return readMarkdown(context, ref);
    return readRevisionMarkdown(context, ref, revision);
  }

  function readHtml(ref: DocumentRef, revision: number | undefined): Promise<Reading> {
    return revision === undefined ? readPage(ref) : readRevisionPage(context, site, ref, revision);
  }
}

/** @throws NothingPublic without a path */
function leadToApp(reply: FastifyReply, path: string | undefined): FastifyReply {
  if (path === undefined) throw new NothingPublic();
  return seeOther(reply, path);
}

function sendReading(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, validators }: Reading,
): FastifyReply {
  if (!validators) return reply.send(body);
  const etag = codedTag(validators.etag, chooseCoding(request, reply, body));
  reply.header('etag', etag);
  if (isNotModified(request.headers, { ...validators, etag })) return reply.code(304).send();
  return reply.send(body);
}

/** Tells whether the query contains `format=md`. */
function isMarkdown(format: unknown): boolean {
  return format === 'md' || (Array.isArray(format) && format.includes('md'));
}
