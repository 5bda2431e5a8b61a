import type { FastifyReply } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Actor } from '../../core/context.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import { holdBody } from '../../surfaces/http/unread.ts';
import { sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { newDocumentPath } from '../../surfaces/web/addresses.ts';
import {
  type AppParts,
  type AppRequest,
  type HandleSignedOut,
  wantsJson,
} from '../../surfaces/web/app-parts.ts';
import { type EditForm, readEditForm } from './edit-form.ts';
import { renderUnsavedTextPage, type UnsavedTextPage } from './unsaved-text-page.tsx';

/**
 * Reads the editor's form and passes it on. If saving fails, a browser without scripts gets its
 * text back.
 */
export async function withEditForm(
  parts: AppParts,
  asked: AppRequest,
  kind: Kind,
  work: (form: EditForm) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { request, reply } = asked;
  holdBody(parts.unread, request, reply);
  const form = await readEditForm(request, kind);
  const { actor } = asked.call;
  // At the address of a document; see `AppParts.post`.
  if (actor.documentId !== undefined) asked.call.actor = { ...actor, documentId: form.document };
  return parts.unread.inTurn(actor.id, async () => {
    try {
      return await work(form);
    } catch (error) {
      const isUnanswerable = !(error instanceof ServiceError) || error instanceof DocumentMoved;
      if (wantsJson(request) || isUnanswerable) throw error;
      const page = unsavedTextPage(error, { kind, form, path: request.url }, actor);
      return sendOwnPage(reply, renderUnsavedTextPage(parts.site, page), error.status);
    }
  });
}

/** Returns the text to a user who is no longer signed in. */
export function returnTextToSignedOut({ site, unread }: AppParts, kind: Kind): HandleSignedOut {
  return async (request, reply) => {
    holdBody(unread, request, reply);
    const form = await readEditForm(request, kind);
    const error = new ServiceError('UNAUTHORIZED', 'You’re signed out, so this was not saved.');
    const page = unsavedTextPage(error, { kind, form, path: request.url });
    return sendOwnPage(reply, renderUnsavedTextPage(site, page), error.status);
  };
}

/**
 * Returns the page for a text that was not saved. Its form submits the text again. If the document
 * is gone, another one or not editable, the form saves the text as a new document.
 *
 * @param written.path the path the text was sent to
 * @param actor undefined if signed out
 */
function unsavedTextPage(
  error: ServiceError,
  written: { kind: Kind; form: EditForm; path: string },
  actor?: Actor,
): UnsavedTextPage {
  const { kind, form, path } = written;
  const { content, ...fields } = form;
  const field = error instanceof FieldError ? error.field : undefined;
  const isRefused = ['NOT_FOUND', 'FORBIDDEN'].includes(error.code) && field !== 'account';
  const isGone = isRefused || field === 'documentId';
  const page = {
    viewer: actor ? { username: actor.username } : ('signed out' as const),
    title: actor ? 'Not saved' : 'You’re signed out',
    content,
  };
  if (isGone) {
    const { name, account } = form;
    return {
      ...page,
      message: `${error.sentence} Your text is below. Save it as a new ${kind}, or copy it.`,
      fields: { name, account, visibility: 'private' },
      action: newDocumentPath(kind),
      button: `Save as a new private ${kind}`,
    };
  }
  return {
    ...page,
    message: `${error.sentence} Your text is below, complete.`,
    fields,
    action: path,
    button: 'Save',
  };
}
