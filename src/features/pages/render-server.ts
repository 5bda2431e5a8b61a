import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, nothingAtAddress } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { sendBlob } from '../../surfaces/http/send-blob.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { openFile } from '../files/file-service.ts';
import { followedBy } from './followed-by.ts';
import { renderHeaders } from './headers.ts';
import { linkScript } from './page-links.ts';
import {
  openPublicPage,
  openPublicPageRevision,
  openSignedPage,
  type PageContent,
} from './page-service.ts';
import { previewDocument } from './preview.ts';
import { reviewScript } from './review-script.ts';
import { withScript } from './with-script.ts';

const NOTHING_HERE = nothingAtAddress();

/** Errors that a cached 404 would hide. */
const SHOWN: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'MOVED']);

/**
 * Creates the render host, a separate origin for untrusted content: GET and HEAD only, no cookies,
 * no tokens. All errors look like 404, except an unavailable back end and a page that has moved.
 */
export function createRenderSurface(http: HttpParts, context: Context): FastifyInstance {
  const headers = renderHeaders(http.config.webUrl);
  const app = createSurface({
    ...http,
    surface: 'render',
    headers: headers.common,
    renderError: (error) => {
      const shown = SHOWN.has(error.code) ? error : NOTHING_HERE;
      return {
        status: shown.status,
        contentType: 'application/json; charset=utf-8',
        body: JSON.stringify(shown.toBody()),
      };
    },
  });
  const preview = previewDocument(http.config.webUrl);
  const links = Buffer.from(linkScript(http.config.webUrl));
  const review = Buffer.from(reviewScript(http.config.webUrl));
  const method = ['GET', 'HEAD'] as const;

  /** Sends a user's HTML unchanged; in a frame (by `Sec-Fetch-Dest`), with the link script. */
  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<PageContent>,
    own: Record<string, string>,
  ): Promise<FastifyReply> {
    const destination = request.headers['sec-fetch-dest'];
    const allowlist = destination === 'document' ? headers.topLevel : headers.framed;
    const findSent = async () =>
      destination === 'iframe' ? followedBy(await find(), links) : find();
    const all = { ...headers.page, ...allowlist, ...own, vary: 'sec-fetch-dest' };
    return sendBlob(request, reply, findSent, () => all);
  }

  app.route<{ Params: { owner: string; name: string } }>({
    method: [...method],
    url: '/:owner/:name',
    handler: async (request, reply) => {
      const { owner, name } = request.params;
      const revision = parseRevisionName(name);
      if (revision) {
        const find = () => openPublicPageRevision(context, owner, revision);
        return sendPage(request, reply, find, headers.pinnedPage);
      }
      const find = () => openPublicPage(context, owner, name);
      return sendPage(request, reply, find, headers.publicPage);
    },
  });

  app.route({
    method: [...method],
    url: '/preview',
    handler: async (_request, reply) =>
      reply.headers({ ...headers.page, ...headers.framed, ...headers.preview }).send(preview),
  });

  for (const url of ['/s/:page/:version', '/s/:page/revisions/:version']) {
    app.route({
      method: [...method],
      url,
      handler: async (request, reply) => {
        const find = async () => {
          const page = await openSignedPage(context, request.url);
          return page.isReview ? withScript(page, review) : page;
        };
        return sendPage(request, reply, find, headers.signedPage);
      },
    });
  }

  app.route<{ Params: { address: string; name: string } }>({
    method: [...method],
    url: '/files/:address/:name',
    config: { secretPath: true },
    handler: async (request, reply) => {
      const { address, name } = request.params;
      const find = () => openFile(context, address, name);
      return sendBlob(request, reply, find, ({ contentType, disposition }) => ({
        ...headers.file,
        'content-type': contentType,
        'content-disposition': disposition,
      }));
    },
  });
  return app;
}
