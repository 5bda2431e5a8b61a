import type { FastifyReply } from 'fastify';
import { ConflictError, FieldError, type ServiceError } from '../../base/errors.ts';
import { allow } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { parseIfMatch } from '../../surfaces/http/conditional.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import {
  type AppParts,
  type AppRequest,
  sendRefusal,
  wantsJson,
} from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { type Faults, requireSameWriter } from '../../surfaces/web/form.ts';
import { signedAddressOf } from '../pages/page-service.ts';
import { mustPropose } from '../proposals/proposal-access-service.ts';
import { proposeText } from '../proposals/proposal-service.ts';
import { showSuggestion } from '../suggestions/proposal-view.ts';
import { suggestText } from '../suggestions/suggestion-set-service.ts';
import { correctable } from './edit-faults.ts';
import type { EditForm } from './edit-form.ts';
import { sendEditor } from './editor-view.ts';
import { returnTextToSignedOut, withEditForm } from './unsaved-text.ts';

/** Adds `/propose/…`, where users propose a text or, with `?thread`, look at a suggestion. */
export function addProposeRoutes(parts: AppParts): void {
  const { context } = parts;

  async function show(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    sent?: { form: EditForm; faults: Faults; status: number },
  ): Promise<FastifyReply> {
    await requireReview(context.sql.read, asked.call.actor, ref, 'comment');
    const { document, text } = await getDocument(asked.call, ref);
    const mayEdit = allow(asked.call.actor, 'editContent', document);
    const isForced = await mustPropose(asked.call, ref);
    const because = isForced ? (mayEdit ? 'protected' : 'reader') : undefined;
    const { kind, name, visibility, version, ownerNamespace: owner } = document;
    const { content = text, message = '', baseRevision = String(version) } = sent?.form ?? {};
    return sendEditor(parts, asked, sent?.status, {
      kind,
      document,
      owners: [],
      rights: { visibility: false },
      fields: { content, name, visibility, owner },
      from: { name, visibility },
      isSent: sent !== undefined,
      etag: '',
      faults: sent?.faults ?? {},
      proposal: { baseRevision, message, because },
      ...(kind === 'page' && { saved: (await signedAddressOf(asked.call, document)).url }),
    });
  }

  async function suggest(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    { content, message, etag, baseRevision }: EditForm,
  ): Promise<FastifyReply> {
    const { threadId, count } = await suggestText(asked.call, ref, {
      content,
      body: reasonIn(message),
      // An open editor knows the current state; others know which revision they began with.
      ...(etag === ''
        ? { ifMatch: undefined, baseRevision: requireRevision(baseRevision) }
        : { ifMatch: parseIfMatch(etag), baseRevision: undefined }),
    });
    const path = proposalPathOf(ref, threadId);
    const what = count === 1 ? '1 suggestion' : `${count} suggestions`;
    const told = `Saved ${what}. People who can edit can accept ${count === 1 ? 'it' : 'them'}.`;
    if (!wantsJson(asked.request)) return parts.goOn(asked, path, { message: told });
    return asked.reply.header('cache-control', 'private, no-store').send({ path, message: told });
  }

  addDocumentRoutes(parts, 'propose', {
    get: (asked, ref) => {
      const { query } = asked.request;
      return query.thread === undefined
        ? show(asked, ref)
        : showSuggestion(parts, asked, ref, query);
    },
    post: (asked, ref) =>
      withEditForm(parts, asked, ref.kind, async (form) => {
        requireSameWriter(asked.call.actor, form);
        try {
          const { content, message } = form;
          await requireReview(context.sql.read, asked.call.actor, ref, 'comment');
          if (form.as === 'suggestions') return await suggest(asked, ref, form);
          const thread = await proposeText(asked.call, ref, {
            content,
            baseRevision: requireRevision(form.baseRevision),
            body: reasonIn(message),
          });
          const flash = { message: 'Proposed. People who can edit can accept it.' };
          return parts.goOn(asked, proposalPathOf(ref, thread.id), flash);
        } catch (error) {
          if (form.as === 'suggestions' && isBehind(error) && wantsJson(asked.request)) {
            // The script knows the base, so it can bring what was written up to date.
            const { document, text } = await getDocument(asked.call, ref);
            const current = { content: text, revision: document.version };
            return sendRefusal(asked.reply, error, { current });
          }
          const { fault, faults } = correctable(error, asked, ref.kind);
          return show(asked, ref, { form, faults, status: fault.status });
        }
      }),
    postSignedOut: (kind) => returnTextToSignedOut(parts, kind),
  });
}

function proposalPathOf(ref: DocumentRef, threadId: string): string {
  return `${pathOfRef('propose', ref)}?thread=${threadId}`;
}

const reasonIn = (message: string) => (message.trim() === '' ? undefined : message);

/** Tells whether suggestions couldn't be saved because of others' newer text. */
function isBehind(error: unknown): error is ServiceError {
  if (error instanceof ConflictError) return true;
  return error instanceof FieldError && error.field === 'baseRevision' && error.status === 422;
}

/** @throws BAD_REQUEST */
function requireRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new FieldError('BAD_REQUEST', 'baseRevision', 'must be the number of a revision.');
}
