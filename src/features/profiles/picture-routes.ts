import type { FastifyInstance } from 'fastify';
import type { Context } from '../../core/context.ts';
import { isNotModified } from '../../surfaces/http/conditional.ts';
import { SVG_TYPE } from '../../surfaces/web/security-headers.ts';
import { readPicture } from './own-profile-service.ts';

/**
 * How long browsers use a picture without revalidating. Lists have many pictures, so a request for
 * each on every view would cost too much. A picture may be stale for five minutes.
 */
const FRESH_S = 300;

/** Adds `/images/{owner}/picture`, a user's or an organization's picture. */
export function addPictureRoutes(app: FastifyInstance, context: Context): void {
  app.get<{ Params: { owner: string } }>('/images/:owner/picture', async (request, reply) => {
    const { type, tag, load } = await readPicture(context, request.params.owner);
    const etag = `"${tag.slice(0, 32)}"`;
    reply.headers({
      'cache-control': `public, max-age=${FRESH_S}`,
      'content-type': type === 'image/svg+xml' ? SVG_TYPE : type,
      // Nothing in a picture can run or load when it is opened in its own tab.
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      etag,
    });
    if (isNotModified(request.headers, { etag })) return reply.code(304).send();
    const bytes = await load();
    return reply.send(typeof bytes === 'string' ? bytes : Buffer.from(bytes));
  });
}
