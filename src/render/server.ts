import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { openPublicPage, openSignedPage } from '../document/page-service.ts';
import { nothingAtAddress } from '../errors.ts';
import { openFile } from '../file/file-service.ts';
import { sendBlob } from '../http/send-blob.ts';
import { createSurface, type HttpParts } from '../http/server.ts';
import { renderHeaders } from './headers.ts';
import { previewDocument } from './preview.ts';

const NOTHING_HERE = nothingAtAddress();

/**
 * Makes the render host, an origin of its own for what is not to be trusted: GET and HEAD, no
 * cookie, no token. Whatever goes wrong here looks the same from outside, but for a back end that
 * is away: that nothing is there must not be remembered.
 */
export function createRenderSurface(http: HttpParts, context: Context): FastifyInstance {
  const headers = renderHeaders(http.config.webUrl);
  const app = createSurface({
    ...http,
    surface: 'render',
    headers: headers.common,
    renderError: (error) => {
      const shown = error.code === 'UNAVAILABLE' ? error : NOTHING_HERE;
      return {
        status: shown.status,
        contentType: 'application/json; charset=utf-8',
        body: JSON.stringify(shown.toBody()),
      };
    },
  });
  const preview = previewDocument(http.config.webUrl);
  const method = ['GET', 'HEAD'] as const;

  app.route<{ Params: { owner: string; name: string } }>({
    method: [...method],
    url: '/:owner/:name',
    handler: async (request, reply) => {
      const { owner, name } = request.params;
      const find = () => openPublicPage(context, owner, name);
      return sendBlob(request, reply, find, () => ({ ...headers.page, ...headers.publicPage }));
    },
  });

  app.route({
    method: [...method],
    url: '/preview',
    handler: async (_request, reply) =>
      reply.headers({ ...headers.page, ...headers.preview }).send(preview),
  });

  app.route({
    method: [...method],
    url: '/s/:page/:version',
    handler: async (request, reply) => {
      const find = () => openSignedPage(context, request.url);
      return sendBlob(request, reply, find, () => ({ ...headers.page, ...headers.signedPage }));
    },
  });

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
