import { VISIBILITIES } from '../../document/access.ts';
import { changeDocument } from '../../document/document-change-service.ts';
import { type DocumentKind, KINDS } from '../../document/kind.ts';
import { COMMENT_SETTINGS } from '../../document/review/review-access.ts';
import { changeReviewSettings } from '../../document/review/review-setting-service.ts';
import { readForm, requireChoice } from '../form.ts';
import { consequenceOf } from '../pages/app/access-labels.ts';
import { visibilityWords } from '../pages/app/parts.tsx';
import { COMMENT_CHOICES, sharePage } from '../pages/app/share-page.tsx';
import { pathOfRef } from './addresses.ts';
import type { AppParts } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';
import { addCollaboratorRoutes } from './share-collaborator-routes.ts';
import { addDocumentInvitationRoutes } from './share-invitation-routes.ts';
import { loadSharePage, ownerInWords, type ShareRoute } from './share-view.ts';
import { addUserSuggestionRoutes } from './user-suggestion-routes.ts';

/** Adds the Share page, as in `/share/ada/plans` and `/share/ada/pages/dice`. */
export function addShareRoutes(parts: AppParts): void {
  addUserSuggestionRoutes(parts);
  addDocumentRoutes(parts, 'share', {
    get: async (asked, ref) =>
      parts.show(
        asked,
        sharePage(await loadSharePage(parts.context, asked.actor, ref, asked.request.query)),
      ),
  });
  for (const kind of Object.values(KINDS)) {
    const address = ['/share/:owner', ...kind.webSegments, ':name'].join('/');
    addSettings(parts, kind, address);
    addCollaboratorRoutes(parts, kind, address);
    addDocumentInvitationRoutes(parts, kind, address);
  }
}

/** Adds the forms for the visibility and for who can comment. */
function addSettings(parts: AppParts, { kind }: DocumentKind, address: string): void {
  const { context, post, act } = parts;

  post<ShareRoute>(`${address}/visibility`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const path = pathOfRef('share', ref);
    const form = readForm(asked.request.body, ['visibility', 'from']);
    return act(asked, path, async () => {
      const visibility = requireChoice(VISIBILITIES, form.visibility, 'visibility');
      if (visibility === form.from) return undefined;
      const { actor } = asked;
      const { document } = await changeDocument(context, actor, ref, { visibility }, '*');
      const words = await ownerInWords(context, actor, document);
      const consequence = consequenceOf(visibility, words, 'invited people');
      return {
        message: `${visibilityWords(visibility).label}. ${consequence}`,
        undo: {
          action: `${path}/visibility`,
          fields: { visibility: form.from, from: visibility },
        },
      };
    });
  });

  post<ShareRoute>(`${address}/comments`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const path = pathOfRef('share', ref);
    const form = readForm(asked.request.body, ['comments', 'from']);
    return act(asked, path, async () => {
      const comments = requireChoice(COMMENT_SETTINGS, form.comments, 'comments');
      if (comments === form.from) return undefined;
      await changeReviewSettings(context, asked.actor, ref, { comments });
      return {
        message: `Who can comment: ${COMMENT_CHOICES[comments].label.toLowerCase()}.`,
        undo: { action: `${path}/comments`, fields: { comments: form.from, from: comments } },
      };
    });
  });
}
