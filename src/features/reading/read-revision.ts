import type { FastifyReply } from 'fastify';
import { isInsider, presentPermissions } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { signedAddressOf } from '../pages/page-service.ts';
import { getRevision } from '../revisions/revision-service.ts';
import { articleContent } from './article-content.ts';
import { briefRevisionPage, goneRevisionPage, pageRevisionPage } from './revision-page.tsx';

/** Shows one revision of a document at `/read/…@{n}`. @throws DocumentMoved, NOT_FOUND */
export async function readRevision(
  parts: AppParts,
  asked: AppRequest,
  ref: DocumentRef,
  { number }: { number: number },
): Promise<FastifyReply> {
  const { context } = parts;
  const { actor } = asked;
  const { document, level, revision, text } = await getRevision(context, actor, ref, number);
  const { write } = presentPermissions(level);
  const page = { document, revision, rights: { insider: isInsider(document), write } };
  if (text === undefined) return parts.show(asked, goneRevisionPage(page), 404);
  if (ref.kind === 'page') {
    const { url } = await signedAddressOf(context, actor, document, { revision: number });
    return parts.show(asked, pageRevisionPage(page, url));
  }
  const outcome = await context.markdown.renderOutcome(actor.id, text);
  const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
  const content = articleContent(rendered, { name: document.name, source: text });
  return parts.show(asked, briefRevisionPage(page, content));
}
