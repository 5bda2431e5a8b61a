import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress, ServiceError, undefinedIfNotFound } from '../../base/errors.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';
import { type Actor, type Context, callOf } from '../../core/context.ts';
import { documentUrl, renderUrl } from '../../core/document/addresses.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { readPublicRevision } from '../../core/revision/public-revision-service.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import type { VisitorOf } from '../../surfaces/web/browser-session.ts';
import { NothingForVisitor } from '../../surfaces/web/errors.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { findAppPath } from '../invitations/app-path-service.ts';
import { renderFramePage } from './frame-page.tsx';
import { getPublicPage } from './page-service.ts';

/** Adds the addresses of pages. Each shows the page from the render host in a frame. */
export function addFrameRoutes(
  app: FastifyInstance,
  parts: { context: Context; site: Site; visitorOf: VisitorOf },
): void {
  const { context, site, visitorOf } = parts;
  app.get<{ Params: { owner: string; name: string } }>(
    '/:owner/pages/:name',
    async (request, reply) => {
      const { owner, name } = request.params;
      const revision = parseRevisionName(name);
      const ref = { kind: 'page', owner, name: revision?.name ?? name } as const;
      const visitor = await visitorOf(request);
      if (revision) return showRevision(request, reply, ref, revision.number, visitor);
      if (visitor) return leadToApp(reply, visitor, ref);
      const document = await getPublicPage(context, ref).catch((error) =>
        askToSignIn(error, pathOf(request.url)),
      );
      const html = renderFramePage(site, {
        owner: document.ownerNamespace,
        name: document.name,
        title: document.title ?? document.name,
        url: documentUrl(site.webUrl, { ...document, kind: 'page' }),
        source: renderUrl(context.renderUrl, document),
        seenBy: 'anyone',
      });
      return sendOwnPage(reply, html);
    },
  );

  /** @throws NOT_FOUND */
  async function leadToApp(
    reply: FastifyReply,
    visitor: Actor,
    ref: DocumentRef,
    revision?: number,
  ): Promise<FastifyReply> {
    const path = await findAppPath(callOf(context, visitor), ref, revision);
    if (path !== undefined) return seeOther(reply, path);
    throw new ServiceError(
      'NOT_FOUND',
      `It isn’t shared with you (${visitor.username}) or doesn’t exist. ` +
        'Ask the owner to share it with you.',
    );
  }

  /** Shows a pinned revision of a public page, the same to all. */
  async function showRevision(
    request: FastifyRequest,
    reply: FastifyReply,
    ref: DocumentRef,
    number: number,
    visitor: Actor | undefined,
  ): Promise<FastifyReply> {
    const found = await undefinedIfNotFound(readPublicRevision(context, ref, number));
    if (!found && visitor) return leadToApp(reply, visitor, ref, number);
    if (!found) return askToSignIn(nothingAtAddress(), pathOf(request.url));
    const { document, author, createdAt } = found;
    const url = documentUrl(site.webUrl, { ...document, kind: 'page' });
    const html = renderFramePage(site, {
      owner: document.ownerNamespace,
      name: document.name,
      title: document.name,
      url: `${url}@${number}`,
      source: `${renderUrl(context.renderUrl, document)}@${number}`,
      seenBy: 'anyone',
      revision: { number, author: author ?? undefined, createdAt, current: url },
    });
    return sendOwnPage(reply, html);
  }
}

/** Responds in the same way for missing and inaccessible pages. */
function askToSignIn(error: unknown, path: string): never {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  throw new NothingForVisitor(path);
}
