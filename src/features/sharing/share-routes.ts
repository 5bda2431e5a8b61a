import type { FastifyReply } from 'fastify';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { changeDocument } from '../../core/document/document-change-service.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { warningsAboutOpened, warningsInWords } from '../../core/document/warning-service.ts';
import { mayPublish, requireLinkMaker } from '../../core/owner/policy-service.ts';
import { COMMENT_SETTINGS } from '../../core/review/review-access.ts';
import { ChangedSince } from '../../core/review/shown-service.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { consequenceOf } from '../../surfaces/web/pages/access-labels.ts';
import { visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { revokeLinks } from '../links/link-service.ts';
import { addUserSuggestionRoutes } from '../profiles/user-suggestion-routes.ts';
import { changeReviewSettings } from '../reviews/review-setting-service.ts';
import { loadChangedSince, shownRevision } from '../revisions/changed-since.ts';
import { addCollaboratorRoutes } from './share-collaborator-routes.ts';
import { addDocumentInvitationRoutes } from './share-invitation-routes.ts';
import { addDocumentLinkRoutes, makeLink } from './share-link-routes.ts';
import { COMMENT_CHOICES, changedSharePage, sharePage, WITH_LINK } from './share-page.tsx';
import { hiddenThreadsNote, loadSharePage, ownerInWords, type ShareRoute } from './share-view.ts';

/** Adds the Share page, as in `/share/ada/plans` and `/share/ada/pages/dice`. */
export function addShareRoutes(parts: AppParts): void {
  addUserSuggestionRoutes(parts);
  addDocumentRoutes(parts, 'share', {
    get: async (asked, ref) =>
      parts.show(asked, sharePage(await loadSharePage(asked.call, ref, asked.request.query))),
  });
  for (const kind of Object.values(KINDS)) {
    const address = ['/share/:owner', ...kind.webSegments, ':name'].join('/');
    addSettings(parts, kind, address);
    addCollaboratorRoutes(parts, kind, address);
    addDocumentInvitationRoutes(parts, kind, address);
    addDocumentLinkRoutes(parts, kind, address);
  }
}

/** Adds the forms for the visibility, for who can comment and for which threads readers see. */
function addSettings(parts: AppParts, { kind }: DocumentKind, address: string): void {
  const { context, post, act } = parts;

  post<ShareRoute>(`${address}/visibility`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const path = pathOfRef('share', ref);
    const form = readForm(asked.request.body, ['visibility', 'from', 'revision']);
    if (form.visibility === WITH_LINK) return shareWithLink(parts, asked, ref, form.from);
    const change = async () => {
      const visibility = requireChoice(VISIBILITIES, form.visibility, 'visibility');
      if (visibility === form.from) return undefined;
      const { call } = asked;
      const shown = visibility === 'private' ? undefined : shownRevision(form.revision);
      const { document } = await changeDocument(call, ref, { visibility }, '*', { shown });
      const label = visibilityWords(visibility).label;
      // Unless the document is public now, the choice also revokes its secret links. Undo couldn't
      // restore them.
      const revoked = visibility === 'public' ? 0 : await revokeLinks(call, ref);
      if (revoked > 0) return { message: `${label}. Its secret links no longer work.` };
      const words = await ownerInWords(call, document);
      const consequence = consequenceOf(visibility, words, 'invited people');
      const { sentence, next } = await hiddenThreadsNote(context, document);
      const canUndo =
        form.from !== WITH_LINK &&
        (form.from !== 'public' ||
          (await mayPublish(context.sql.read, document.ownerId, 'public')));
      const warnings = warningsInWords(await warningsAboutOpened(call, document));
      return {
        message: `${label}. ${consequence}${sentence}${warnings}`,
        ...(next && { next }),
        ...(canUndo && {
          undo: {
            action: `${path}/visibility`,
            fields: {
              visibility: form.from,
              from: visibility,
              revision: String(document.version),
            },
          },
        }),
      };
    };
    try {
      return await act(asked, path, change);
    } catch (error) {
      if (!(error instanceof ChangedSince) || wantsJson(asked.request)) throw error;
      return showChangedShare(parts, asked, ref, form);
    }
  });

  post<ShareRoute>(`${address}/comments`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const path = pathOfRef('share', ref);
    const form = readForm(asked.request.body, ['comments', 'from']);
    return act(asked, path, async () => {
      const comments = requireChoice(COMMENT_SETTINGS, form.comments, 'comments');
      if (comments === form.from) return undefined;
      const { call } = asked;
      await changeReviewSettings(call, ref, { comments });
      const { document } = await requireDocument(context.sql.read, call.actor, ref, 'share');
      const { sentence, next } =
        comments === 'readers' ? await hiddenThreadsNote(context, document) : { sentence: '' };
      return {
        message: `Who can comment: ${COMMENT_CHOICES[comments].label.toLowerCase()}.${sentence}`,
        ...(next && { next }),
        undo: { action: `${path}/comments`, fields: { comments: form.from, from: comments } },
      };
    });
  });

  post<ShareRoute>(`${address}/threads`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const path = pathOfRef('share', ref);
    const form = readForm(asked.request.body, ['since', 'from']);
    return act(asked, path, async () => {
      const threadsSince = form.since || null;
      await changeReviewSettings(asked.call, ref, { threadsSince });
      return {
        message:
          threadsSince === null
            ? 'Readers see all threads.'
            : 'Earlier threads are hidden from readers.',
        undo: { action: `${path}/threads`, fields: { since: form.from, from: form.since } },
      };
    });
  });
}

/**
 * Lets anyone with a new secret link read a document. A public document becomes internal if an
 * organization owns it, else private.
 */
async function shareWithLink(
  parts: AppParts,
  asked: AppRequest<ShareRoute>,
  ref: DocumentRef,
  from: string,
): Promise<FastifyReply> {
  const { context, goOn } = parts;
  if (from === WITH_LINK) return goOn(asked, pathOfRef('share', ref));
  const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'share');
  return makeLink(parts, asked, ref, async () => {
    if (document.visibility === 'public') {
      // It stays public if there can be no link.
      await requireLinkMaker(context.sql.read, document);
      const visibility = document.ownerType === 'organization' ? 'internal' : 'private';
      await changeDocument(asked.call, ref, { visibility }, '*');
    }
    return { access: 'read' };
  });
}

/** Shows what has changed since the Share screen was opened, with the choice offered again. */
async function showChangedShare(
  parts: AppParts,
  asked: AppRequest<ShareRoute>,
  ref: DocumentRef,
  form: { visibility: string; from: string; revision: string },
): Promise<FastifyReply> {
  const { context } = parts;
  const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'share');
  const shown = shownRevision(form.revision);
  const view = await loadChangedSince(asked.call, document, shown);
  const visibility = requireChoice(VISIBILITIES, form.visibility, 'visibility');
  const page = changedSharePage(view, { visibility, from: form.from });
  return parts.show(asked, page, 409);
}
