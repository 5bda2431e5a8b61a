import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, nothingAtAddress } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { sendBlob } from '../../surfaces/http/send-blob.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { openFile } from '../files/file-service.ts';
import { adding } from './framed-content.ts';
import { renderHeaders } from './headers.ts';
import { createPageFiller } from './page-file-service.ts';
import { frameScript, reportBlocked, reviewScript, standInScript } from './page-scripts.ts';
import {
  openPublicPage,
  openPublicPageRevision,
  openSignedPage,
  type PageContent,
} from './page-service.ts';

const NOTHING_HERE = nothingAtAddress();

/** Errors that a cached 404 would hide. */
const SHOWN: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'MOVED']);

/**
 * Creates the render host, a separate origin for untrusted content: GET and HEAD only, no cookies,
 * no tokens. All errors look like 404, except an unavailable back end and a page that has moved.
 */
export function createRenderSurface(http: HttpParts, context: Context): FastifyInstance {
  const { webUrl, pageSources } = http.config;
  const headers = renderHeaders(webUrl, pageSources, context.renderUrl);
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
  const preview = previewDocument(webUrl);
  const standIns = standInScript(webUrl);
  const last = frameScript(webUrl);
  const framed = adding({ first: standIns, last });
  const opened = adding({ first: standIns });
  // Must run before all others, to keep what they could replace.
  const reviewed = adding({ first: reviewScript(webUrl) + standIns, last });
  const filled = createPageFiller(context);
  const method = ['GET', 'HEAD'] as const;

  /**
   * Sends a user's HTML: to a browser that shows it (by `Sec-Fetch-Dest`) with the uploaded pictures
   * in it and our scripts, in a frame with those that need the page around it; otherwise unchanged.
   */
  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<PageContent & { isReview?: boolean }>,
    own: Record<string, string>,
  ): Promise<FastifyReply> {
    const destination = request.headers['sec-fetch-dest'];
    const allowlist = destination === 'document' ? headers.topLevel : headers.framed;
    const findSent = async () => {
      const { isReview, ...stored } = await find();
      if (!isReview && destination !== 'iframe' && destination !== 'document') return stored;
      const content = await filled(stored);
      if (isReview) return reviewed(content);
      return destination === 'iframe' ? framed(content) : opened(content);
    };
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
        const find = () => openSignedPage(context, request.url);
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

/**
 * Returns the editor's preview document. It asks its parent page for the HTML and replaces itself
 * with that. The HTML keeps this document's headers, which are those of a page on this host, so the
 * preview looks like the saved page.
 *
 * @param webUrl the only parent to ask and accept HTML from
 */
function previewDocument(webUrl: string): string {
  const editor = inScript(new URL(webUrl).origin);
  const last = inScript(frameScript(webUrl));
  // The stand-ins belong to the window, which stays when the document is written anew.
  return `<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
${standInScript(webUrl)}
<script>
(() => {
  const editor = ${editor};
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin !== editor || typeof data !== 'string') return;
    document.open();
    ${reportBlocked(webUrl)}
    document.write(data + ${last});
    document.close();
  });
  parent.postMessage('preview-ready', editor);
})();
</script>
`;
}

/** Encodes a text as JavaScript that cannot close its script element. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}
