import { ServiceError } from '../../base/errors.ts';
import { allow } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import { updateDocument } from '../../core/document/merge-service.ts';
import { NameTaken } from '../../core/document/name-taken.ts';
import { accessOf, type DocumentAccess } from '../../core/document/shown-link-service.ts';
import { mayPublish } from '../../core/owner/policy-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { parseIfMatch } from '../../surfaces/http/conditional.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { type Faults, requireSameWriter } from '../../surfaces/web/form.ts';
import { worksFor } from '../../surfaces/web/pages/access-labels.ts';
import { signedAddressOf } from '../pages/page-service.ts';
import { mustPropose } from '../proposals/proposal-access-service.ts';
import { findReviewBar } from '../reviews/review-bar-service.ts';
import { hiddenThreadsNote } from '../sharing/share-view.ts';
import { correctable, withFreeName } from './edit-faults.ts';
import { changesOf, type EditForm, rebased } from './edit-form.ts';
import { sendEditor } from './editor-view.ts';
import { readEditable, sendNameTaken, sendSaved, writerOf } from './save-answers.ts';
import { returnTextToSignedOut, withEditForm } from './unsaved-text.ts';

/** What the editor shows in addition to the document's current state. */
interface Shown {
  form?: EditForm;
  faults?: Faults;
  /** Whether the document has changed since the user read it. */
  isConflict?: boolean;
}

/** Adds `/edit/…`, the editor of a document. Scripts save through it too. */
export function addEditRoutes(parts: AppParts): void {
  const { context } = parts;

  async function show(asked: AppRequest, seen: WholeDocument, shown: Shown = {}, status?: number) {
    const { form, faults = {}, isConflict = false } = shown;
    const { document, etag, text } = seen;
    const { kind, ownerNamespace, name, visibility } = document;
    const { comments } = await findReviewSettings(context.sql.read, document.id);
    const own = { content: text, name, visibility, owner: ownerNamespace };
    const { call } = asked;
    const access = (await accessOf(call, [document])).get(document.id) as DocumentAccess;
    return sendEditor(parts, asked, status, {
      kind,
      owners: [],
      document,
      seenBy: access.seenBy,
      acts: {
        state: (await findReviewBar(call, document))?.state,
        link: access.url,
        linkHint: worksFor(visibility, access),
      },
      rights: {
        visibility: allow(call.actor, 'changeVisibility', document),
        publish:
          visibility === 'public' ||
          (await mayPublish(context.sql.read, document.ownerId, 'public')),
        suggest: canReview(document, comments, 'comment'),
      },
      fields: form ? { ...own, ...form, visibility: form.visibility || visibility } : own,
      from: { name: form?.fromName || name, visibility: form?.fromVisibility || visibility },
      isSent: form !== undefined,
      etag,
      faults,
      savedBy: await writerOf(asked.call, seen),
      ...(isConflict && { theirs: { content: text } }),
      ...(kind === 'page' && { saved: (await signedAddressOf(asked.call, document)).url }),
    });
  }

  addDocumentRoutes(parts, 'edit', {
    async get(asked, ref) {
      if (await mustPropose(asked.call, ref)) {
        return seeOther(asked.reply, pathOfRef('propose', ref));
      }
      return show(asked, await readEditable(asked.call, ref));
    },
    post: (asked, ref) =>
      withEditForm(parts, asked, ref.kind, async (form) => {
        const { request, call } = asked;
        requireSameWriter(call.actor, form);
        const before = await requireDocument(context.sql.read, call.actor, ref, 'editContent');
        try {
          const changes = changesOf(form, before.document);
          // Without a tag, we don't know which version the writer saw, so the save must conflict.
          const ifMatch = parseIfMatch(form.etag === '' ? '""' : form.etag);
          const after = await updateDocument(call, ref, changes, ifMatch);
          const hidden =
            changes.visibility === 'public'
              ? await hiddenThreadsNote(context, after.document)
              : undefined;
          return sendSaved(parts, asked, after, { hidden });
        } catch (error) {
          if (isConflict(error) && !wantsJson(request)) {
            const now = await readEditable(call, ref);
            const shown = { form: rebased(form, now.document), isConflict: true };
            return show(asked, now, shown, error.status);
          }
          if (error instanceof NameTaken && wantsJson(request)) return sendNameTaken(asked, error);
          const { fault, faults } = correctable(error, asked, ref.kind);
          // Keeps the old tag, so that the next attempt still conflicts with changes the writer
          // hasn't seen.
          const seen = { ...before, etag: form.etag, text: form.content };
          return show(asked, seen, { form: withFreeName(form, error), faults }, fault.status);
        }
      }),
    postSignedOut: (kind) => returnTextToSignedOut(parts, kind),
  });
}

function isConflict(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'PRECONDITION_FAILED';
}
