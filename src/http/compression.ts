import { brotliCompress, type CompressCallback, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseQualities } from './qualities.ts';

type Compress = (body: string | Uint8Array, done: CompressCallback) => void;

/**
 * How answers can be compressed (RFC 9110, section 8.4.1; RFC 9659 for zstd), at levels that cost
 * little. Where a client likes several equally, the first is used.
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

const COMPRESSIBLE = /^(?:text\/(?:html|markdown|plain)|application\/json)\b/;

/** Below this, compressing saves little or nothing. */
const LEAST_BYTES = 1024;

/** The coding that a tag of {@link codedTag} names. */
const CODED_TAG = new RegExp(`-(${Object.keys(CODINGS).join('|')})"$`);

/**
 * Compresses the answers of a surface, where the client accepts that. Streams are sent as they are.
 *
 * Each coding of a representation needs a strong entity tag of its own (RFC 9110, section
 * 8.8.3.3), so an answer with a tag is compressed only as that tag says ({@link codedTag}). The
 * tags of the API name the state of a document and are compared with `If-Match`; those answers
 * are never compressed.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook<unknown>('onSend', (request, reply, body, done) => {
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return done(null, body);
    const etag = reply.getHeader('etag');
    const coding =
      etag === undefined
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
 * The coding in which a client gets a body; `undefined`: as it is. Says in `Vary` what that depends
 * on. Set the content type first.
 *
 * Nothing is compressed that somebody else could make a browser ask for and that may hold a secret,
 * since the length of a compressed body tells about both (BREACH; docs/develop/security.md): answers to
 * anything but GET, addresses that are themselves secrets, and, where the browser sends cookies,
 * answers to requests that come from other sites, or from who knows where.
 */
export function chooseCoding(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Uint8Array,
): Coding | undefined {
  const { method, headers } = request;
  const isCompressible = COMPRESSIBLE.test(`${reply.getHeader('content-type')}`);
  if (!isCompressible || reply.statusCode >= 400) return undefined;
  if (Buffer.byteLength(body) < LEAST_BYTES) return undefined;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (request.routeOptions.config.secretPath) return undefined;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const site = headers['sec-fetch-site'];
  if (headers.cookie !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
  return preferredCoding(`${headers['accept-encoding'] ?? ''}`);
}

/**
 * The entity tag of a representation in a coding (RFC 9110, section 8.8.3.3).
 *
 * @param etag the strong tag of the same representation as it is
 */
export function codedTag(etag: string, coding: Coding | undefined): string {
  return coding ? etag.replace(/"$/, `-${coding}"`) : etag;
}

/**
 * The coding that an `Accept-Encoding` header prefers (RFC 9110, section 12.5.3); `undefined`: none,
 * also where a client says that it takes nothing at all.
 */
function preferredCoding(header: string): Coding | undefined {
  const qualities = parseQualities(header);
  const quality = (coding: Coding) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const codings = Object.keys(CODINGS) as Coding[];
  const best = codings.reduce((one, other) => (quality(other) > quality(one) ? other : one));
  const least = qualities.get('identity') ?? 0;
  return quality(best) > 0 && quality(best) >= least ? best : undefined;
}
