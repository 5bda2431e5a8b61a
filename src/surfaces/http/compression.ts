import { brotliCompress, type CompressCallback, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseQualities } from './qualities.ts';

type Compress = (body: string | Uint8Array, done: CompressCallback) => void;

/**
 * Content codings (RFC 9110, section 8.4.1; RFC 9659 for zstd) at cheap levels. The first is used
 * if a client has no preference.
 */
const CODINGS = {
  zstd: (body, done) => {
    zstdCompress(body, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }, done);
  },
  br: (body, done) => {
    brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, done);
  },
  gzip: (body, done) => {
    gzip(body, { level: 4 }, done);
  },
} satisfies Record<string, Compress>;

export type Coding = keyof typeof CODINGS;

const COMPRESSIBLE = /^(?:text\/(?:html|markdown|plain)|application\/(?:json|xml|atom\+xml))\b/;

const MIN_BYTES = 1024;

/** Matches the coding in an ETag of {@link codedTag}. */
const CODED_TAG = new RegExp(`-(${Object.keys(CODINGS).join('|')})"$`);

/**
 * Compresses a surface's responses, except streams, if the client accepts that.
 *
 * Each coding needs its own strong ETag (RFC 9110, section 8.8.3.3), so a response with a strong ETag is
 * compressed only as the ETag says ({@link codedTag}). Document responses of the API are never
 * compressed: their ETags are compared with `If-Match`.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', (request, reply, body, done) => {
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return done(null, body);
    const etag = reply.getHeader('etag');
    const coding =
      etag === undefined || `${etag}`.startsWith('W/')
        ? chooseCoding(request, reply, body)
        : (CODED_TAG.exec(`${etag}`)?.[1] as Coding | undefined);
    if (!coding) return done(null, body);
    CODINGS[coding](body, (error, compressed) => {
      if (error) return done(error);
      reply.header('content-encoding', coding).removeHeader('content-length');
      done(null, compressed);
    });
  });
}

/**
 * Chooses the coding of a body, or `undefined` for none, and sets `Vary`. Set the content type
 * first.
 *
 * The length of a compressed body can leak a secret in it (BREACH; docs/develop/security.md). So
 * nothing is compressed that another site could make a browser request and that may hold a secret:
 * responses to anything but GET and HEAD, secret addresses, and, if the browser sends cookies,
 * responses to cross-site requests or those of unknown origin.
 */
export function chooseCoding(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Uint8Array,
): Coding | undefined {
  const { method, headers } = request;
  const isCompressible = COMPRESSIBLE.test(`${reply.getHeader('content-type')}`);
  if (!isCompressible || reply.statusCode >= 400) return undefined;
  if (Buffer.byteLength(body) < MIN_BYTES) return undefined;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (request.routeOptions.config.secretPath) return undefined;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const site = headers['sec-fetch-site'];
  if (headers.cookie !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
  return preferredCoding(`${headers['accept-encoding'] ?? ''}`);
}

/**
 * Returns the ETag of a representation in a coding (RFC 9110, section 8.8.3.3).
 *
 * @param etag the strong ETag of the uncompressed representation
 */
export function codedTag(etag: string, coding: Coding | undefined): string {
  return coding ? etag.replace(/"$/, `-${coding}"`) : etag;
}

/**
 * Returns the coding that an `Accept-Encoding` header prefers (RFC 9110, section 12.5.3).
 *
 * @returns `undefined` to send the body uncompressed, even if the client excludes `identity`
 */
function preferredCoding(header: string): Coding | undefined {
  const qualities = parseQualities(header);
  const quality = (coding: Coding) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const codings = Object.keys(CODINGS) as Coding[];
  const best = codings.reduce((one, other) => (quality(other) > quality(one) ? other : one));
  const least = qualities.get('identity') ?? 0;
  return quality(best) > 0 && quality(best) >= least ? best : undefined;
}
