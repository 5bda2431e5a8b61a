import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FieldError, nothingAtAddress } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { Context } from '../../core/context.ts';
import { documentUrl, refOfAddress } from '../../core/document/addresses.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import { readPublicState } from '../../core/document/public-document-service.ts';
import { chooseCoding, codedTag } from '../../surfaces/http/compression.ts';
import { isNotModified } from '../../surfaces/http/conditional.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { readProfile } from '../profiles/profile-service.ts';
import { writeAtomFeed } from './atom.ts';
import { writeLlms, writeRobots } from './discovery-texts.ts';
import { describeLink } from './oembed.ts';
import { writeSitemapIndex, writeSitemapPart } from './sitemap.ts';
import { listSitemapParts, readSitemapPart } from './sitemap-service.ts';
import { createTimedCache } from './timed-cache.ts';

const FEED_ENTRIES = 50;
const SITEMAP_INDEX_MS = 60 * 60_000;
/**
 * How long this service caches a part of the site map, and how long other caches can then use it.
 * A document that is no longer public can stay listed for twice as long.
 */
const SITEMAP_PART_MS = 10 * 60_000;
/** The most parts of the site map to cache, about 300 KB each. */
const SITEMAP_PARTS_CACHED = 8;

const TEXT = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';
const ATOM = 'application/atom+xml; charset=utf-8';

/**
 * Adds what search engines, feed readers and other sites read about public documents. Every first
 * path segment is reserved or has a dot, so it can't be a namespace.
 */
export function addDiscoveryRoutes(
  app: FastifyInstance,
  { context, site }: { context: Context; site: Site },
): void {
  const { webUrl } = site;
  const robots = writeRobots(site);
  const llms = writeLlms(site);
  const indexes = createTimedCache(SITEMAP_INDEX_MS, 1);
  const parts = createTimedCache(SITEMAP_PART_MS, SITEMAP_PARTS_CACHED);

  app.get('/robots.txt', (request, reply) => send(request, reply, TEXT, robots));
  app.get('/llms.txt', (request, reply) => send(request, reply, TEXT, llms));

  app.get('/sitemap.xml', async (request, reply) => {
    const body = await indexes.get('', async () =>
      writeSitemapIndex(webUrl, await listSitemapParts(context)),
    );
    return send(request, reply, XML, body, SITEMAP_PART_MS);
  });

  app.get<{ Params: { part: string } }>('/sitemap/:part', async (request, reply) => {
    const [, id = ''] = /^(.*)\.xml$/.exec(request.params.part) ?? [];
    const from = normaliseId(id);
    if (from === '') throw nothingAtAddress();
    const body = await parts.get(from, async () =>
      writeSitemapPart(webUrl, await readSitemapPart(context, from)),
    );
    return send(request, reply, XML, body, SITEMAP_PART_MS);
  });

  app.get<{ Params: { owner: string } }>('/:owner(^[^.]+).atom', async (request, reply) => {
    const page = { number: 1, size: FEED_ENTRIES };
    const { documents, ...owner } = await readProfile(context, request.params.owner, page);
    return send(request, reply, ATOM, writeAtomFeed(webUrl, owner, documents.items));
  });

  app.get<{ Querystring: { url?: unknown; format?: unknown } }>(
    '/oembed.json',
    async (request, reply) => {
      const { url, format } = request.query;
      if (typeof url !== 'string') {
        throw new FieldError('BAD_REQUEST', 'url', 'must be the address of a document, once.');
      }
      if (format !== undefined && format !== 'json') {
        throw new FieldError('BAD_REQUEST', 'format', 'must be json.');
      }
      const ref = refOfAddress(context, url);
      if (!ref) throw nothingAtAddress();
      const { kind } = ref;
      const document = await readPublicState(context, ref).catch((error: unknown) => {
        // Answers for the new address. A redirect would keep the old one in its query.
        if (error instanceof DocumentMoved) return readPublicState(context, error.to);
        throw error;
      });
      const link = documentUrl(webUrl, { ...document, kind });
      const body = JSON.stringify(describeLink(webUrl, link, document));
      return send(request, reply, 'application/json; charset=utf-8', body);
    },
  );
}

/**
 * Sends a text that is the same for everyone, or 304.
 *
 * @param freshMs how long caches can use the text without revalidating. By default they always
 *   revalidate, so that making a document private takes effect immediately
 */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  contentType: string,
  body: string,
  freshMs?: number,
): FastifyReply {
  reply.headers({
    'content-type': contentType,
    'cache-control': freshMs ? `public, max-age=${freshMs / 1000}` : 'public, no-cache',
  });
  const plain = `"${hash('sha256', body).slice(0, 32)}"`;
  const etag = codedTag(plain, chooseCoding(request, reply, body));
  reply.header('etag', etag);
  return isNotModified(request.headers, { etag }) ? reply.code(304).send() : reply.send(body);
}
