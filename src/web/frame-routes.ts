import type { FastifyInstance } from 'fastify';
import type { Actor, Context } from '../context.ts';
import { documentUrl, renderUrl } from '../document/addresses.ts';
import { viewPage } from '../document/page-service.ts';
import { findOwnInvitation } from '../document/sharing/sharing-service.ts';
import { ServiceError } from '../errors.ts';
import { pathOf } from '../http/addresses.ts';
import { seeOther, sendOwnPage } from './account-parts.ts';
import { pathOfRef } from './app/addresses.ts';
import type { VisitorOf } from './browser-session.ts';
import { NothingForVisitor } from './errors.ts';
import type { Site } from './pages/assets.ts';
import { renderFramePage } from './pages/frame-page.tsx';

/** Adds the address of pages, where a frame shows what the render host has. */
export function addFrameRoutes(
  app: FastifyInstance,
  parts: { context: Context; site: Site; visitorOf: VisitorOf },
): void {
  const { context, site, visitorOf } = parts;
  app.get<{ Params: { owner: string; name: string } }>(
    '/:owner/pages/:name',
    async (request, reply) => {
      const ref = { kind: 'page', ...request.params } as const;
      const visitor = await visitorOf(request);
      const view = await viewPage(context, visitor, ref).catch(async (error) => {
        if (visitor && (await findOwnInvitation(context, visitor, ref))) return undefined;
        return askToSignIn(error, visitor, pathOf(request.url));
      });
      if (!view) return seeOther(reply, pathOfRef('read', ref));
      const { document, signedUrl } = view;
      const html = renderFramePage(site, {
        owner: document.ownerNamespace,
        name: document.name,
        title: document.title ?? document.name,
        url: documentUrl(site.webUrl, { ...document, kind: 'page' }),
        source: signedUrl ?? renderUrl(context.renderUrl, document),
        isPublic: signedUrl === undefined,
      });
      return sendOwnPage(reply, html);
    },
  );
}

/** Nobody learns whether there is a page that is not for them. */
function askToSignIn(error: unknown, visitor: Actor | undefined, path: string): never {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  if (!visitor) throw new NothingForVisitor(path);
  throw new ServiceError(
    'NOT_FOUND',
    `There is no page at this address that ${visitor.username} may see. ` +
      'If there should be one, ask its owner to share it with you.',
  );
}
