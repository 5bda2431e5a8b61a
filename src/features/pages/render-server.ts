import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, nothingAtAddress } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { sendBlob } from '../../surfaces/http/send-blob.ts';
import { createSurface, type HttpParts } from '../../surfaces/http/surface.ts';
import { openFile } from '../files/file-service.ts';
import { renderHeaders } from './headers.ts';
import { linkScript } from './page-links.ts';
import {
  openPublicPage,
  openPublicPageRevision,
  openSignedPage,
  type PageContent,
} from './page-service.ts';
import { reviewScript } from './review-script.ts';
import { scriptPlace } from './script-place.ts';

/**
 * How many bytes at the start of a page to search for the script's place. A tag that ends later
 * isn't found, so the script goes before it.
 */
const START_BYTES = 16_384;

/** Returns a page's content with a script that runs before its own. It can only be sent whole. */
function withScript(content: PageContent, script: Buffer): PageContent {
  const { etag, sizeBytes } = content;
  return {
    etag: etag.replace(/"$/, '-review"'),
    sizeBytes: sizeBytes + script.length,
    isWhole: true,
    async open() {
      const start = await firstBytes(content);
      if (!start) return undefined;
      const place = scriptPlace(start.toString('latin1'));
      const isShort = start.length === sizeBytes;
      const rest = isShort ? undefined : await content.open(from(start.length, sizeBytes));
      if (!isShort && !rest) return undefined;
      return Readable.from(
        (async function* () {
          yield start.subarray(0, place);
          yield script;
          yield start.subarray(place);
          if (rest) yield* rest;
        })(),
        { objectMode: false },
      );
    },
  };
}

const from = (start: number, sizeBytes: number) => ({ start, end: sizeBytes - 1 });

async function firstBytes({ sizeBytes, open }: PageContent): Promise<Buffer | undefined> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  const stream = await open({ start: 0, end: Math.min(sizeBytes, START_BYTES) - 1 });
  return stream && Buffer.concat(await stream.toArray());
}

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

/** Appends bytes to a page's content, with its own size, ETag and ranges. */
function followedBy(content: PageContent, tail: Buffer): PageContent {
  const { etag, sizeBytes, isWhole = false } = content;
  const total = sizeBytes + tail.length;
  return {
    etag: etag.replace(/"$/, '-framed"'),
    sizeBytes: total,
    isWhole,
    async open({ start, end } = { start: 0, end: total - 1 }) {
      const rest = tail.subarray(Math.max(0, start - sizeBytes), Math.max(0, end + 1 - sizeBytes));
      if (start >= sizeBytes) return Readable.from([rest], { objectMode: false });
      const head = await content.open({ start, end: Math.min(end, sizeBytes - 1) });
      if (!head) return undefined;
      const both = new Transform({
        transform: (chunk, _encoding, done) => done(null, chunk),
        flush: (done) => done(null, rest),
      });
      // The reader of `both` gets the error of either stream.
      return pipeline(head, both, () => {});
    },
  };
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
  const links = inScript(linkScript(webUrl));
  return `<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
<script>
(() => {
  const editor = ${editor};
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin !== editor || typeof data !== 'string') return;
    document.open();
    document.write(data + ${links});
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
