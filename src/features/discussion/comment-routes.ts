import type { FastifyReply } from 'fastify';
import { requireAction } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { loadSourceThreads, previewComment } from './discussion-view.ts';
import { suggestMentions } from './mention-suggestion-service.ts';
import { actOnThread, THREAD_FORM_BYTES } from './thread-forms.ts';

/**
 * Adds `/comments/…`, where the editor's script loads open threads and sends their forms, and
 * `/comments/…?mention=gr`, which suggests whom to mention. The act `preview` renders a comment.
 */
export function addCommentRoutes(parts: AppParts): void {
  const { context, limiter } = parts;

  async function send(
    { call, reply }: AppRequest,
    ref: DocumentRef,
    message?: string,
  ): Promise<FastifyReply> {
    const seen = await getDocument(call, ref);
    requireAction(seen, ref, 'editContent');
    const threads = await loadSourceThreads(call, seen);
    return reply
      .header('cache-control', 'private, no-store')
      .send({ etag: seen.etag, threads, message });
  }

  async function preview(
    { call, reply }: AppRequest,
    ref: DocumentRef,
    body: string,
  ): Promise<FastifyReply> {
    await countAttempt(limiter, [['webLookup', call.actor.id]]);
    const { document } = await requireReview(context.sql.read, call.actor, ref, 'comment');
    const html = await previewComment(call, document, body);
    return reply.header('cache-control', 'private, no-store').send({ html });
  }

  const goToReading = ({ reply }: AppRequest, ref: DocumentRef) =>
    seeOther(reply, `${pathOfRef('read', ref)}#comments`);

  addDocumentRoutes(parts, 'comments', {
    async get(asked, ref) {
      if (!wantsJson(asked.request)) return goToReading(asked, ref);
      await countAttempt(limiter, [['webLookup', asked.call.actor.id]]);
      const { mention } = asked.request.query;
      if (typeof mention !== 'string') return send(asked, ref);
      const people = await suggestMentions(asked.call, ref, mention);
      return asked.reply.header('cache-control', 'private, no-store').send({ people });
    },
    bodyLimit: THREAD_FORM_BYTES,
    async post(asked: AppRequest<DocumentRoute>, ref) {
      const form = readForm(asked.request.body, ['act', 'body']);
      if (form.act === 'preview') return preview(asked, ref, form.body);
      const act: AppParts['act'] = async (_, __, work) => send(asked, ref, (await work())?.message);
      return actOnThread({ ...parts, act }, asked, ref, async () => goToReading(asked, ref));
    },
  });
}
