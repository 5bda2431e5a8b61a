import type { FastifyReply } from 'fastify';
import { undefinedIfNotFound } from '../../base/errors.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { readPublicDocument } from '../../core/document/public-document-service.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { documentPath, pathOfRef, siblingsPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { signInPath } from '../../surfaces/web/next-path.ts';
import { renderSlidesPage } from './slides-page.tsx';

/** Adds `/present/…`, which shows a brief as slides to anyone who can read it. */
export function addPresentRoutes(parts: AppParts): void {
  const { context, site } = parts;

  async function show(
    reply: FastifyReply,
    key: string,
    document: { ownerNamespace: string; name: string },
    source: string,
    seenBy: 'anyone' | 'visitor',
  ): Promise<FastifyReply> {
    const brief = { ...document, kind: 'brief' as const };
    const readPath =
      seenBy === 'anyone' ? documentUrl(site.webUrl, brief) : documentPath('read', brief);
    const base = siblingsPath(URL.parse(readPath)?.pathname ?? readPath);
    const outcome = await context.markdown.slidesOutcome(key, source, { base });
    const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
    const html = renderSlidesPage(site, {
      owner: document.ownerNamespace,
      name: document.name,
      title: rendered?.title ?? document.name,
      isLate: outcome.kind === 'busy',
      slides: rendered?.slides,
      math: rendered?.math ?? false,
      readPath,
    });
    return sendOwnPage(reply, html);
  }

  addDocumentRoutes(parts, 'present', {
    async get({ actor, reply }, ref) {
      if (ref.kind === 'page') return seeOther(reply, pathOfRef('read', ref));
      const { document, text } = await getDocument(context, actor, ref);
      return show(reply, actor.id, document, text, 'visitor');
    },
    getSignedOut: (kind) => async (request, reply) => {
      const ref: DocumentRef = { kind, ...(request.params as DocumentRoute['Params']) };
      if (kind === 'page') return seeOther(reply, pathOfRef('read', ref));
      const document = await undefinedIfNotFound(readPublicDocument(context, ref));
      if (!document) return seeOther(reply, signInPath(request.url));
      // Readers can be anonymous, so rendering counts against the owner.
      return show(reply, `owner:${document.ownerNamespace}`, document, document.content, 'anyone');
    },
  });
}
