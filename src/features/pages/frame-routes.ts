import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress, ServiceError, undefinedIfNotFound } from '../../base/errors.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';
import type { Actor, Context } from '../../core/context.ts';
import { documentUrl, renderUrl } from '../../core/document/addresses.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';

import { readPublicRevision } from '../../core/revision/public-revision-service.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { VisitorOf } from '../../surfaces/web/browser-session.ts';
import { NothingForVisitor } from '../../surfaces/web/errors.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { findInvitationTo } from '../invitations/invitation-store.ts';
import { renderFramePage } from './frame-page.tsx';
import { viewPage } from './page-service.ts';

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
      const view = await viewPage(context, visitor, ref).catch(async (error) => {
        if (visitor && (await findInvitationTo(context.sql.read, normaliseRef(ref), visitor.id)))
          return undefined;
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
        seenBy: signedUrl === undefined ? 'anyone' : 'visitor',
        live: {
          document: { ...document, kind: 'page' },
          version: document.version,
          isForAll: signedUrl === undefined,
        },
      });
      return sendOwnPage(reply, html);
    },
  );

  /** Shows a pinned revision of a public page. Redirects readers of other revisions to the app. */
  async function showRevision(
    request: FastifyRequest,
    reply: FastifyReply,
    ref: DocumentRef,
    number: number,
    visitor: Actor | undefined,
  ): Promise<FastifyReply> {
    const found = await undefinedIfNotFound(readPublicRevision(context, ref, number));
    if (!found) {
      const { read } = context.sql;
      const isReader =
        visitor && (await undefinedIfNotFound(requireDocument(read, visitor, ref, 'read')));
      if (isReader) return seeOther(reply, pathOfRef('read', ref, number));
      return askToSignIn(nothingAtAddress(), visitor, pathOf(request.url));
    }
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
function askToSignIn(error: unknown, visitor: Actor | undefined, path: string): never {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  if (!visitor) throw new NothingForVisitor(path);
  throw new ServiceError(
    'NOT_FOUND',
    `It isn’t shared with you (${visitor.username}) or doesn’t exist. ` +
      'Ask the owner to share it with you.',
  );
}
