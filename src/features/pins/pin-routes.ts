import { seeOther } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, pathOfReferrer } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { pinToTop, unpinFromTop } from './pin-service.ts';

/** Adds `/pin/…`, which pins a document to the top of its owner's, or unpins it. */
export function addPinRoutes(parts: AppParts): void {
  const { site } = parts;
  addDocumentRoutes(parts, 'pin', {
    get: async ({ reply }, ref) => seeOther(reply, pathOfRef('read', ref)),
    post: (asked, ref) => {
      const { call, request } = asked;
      const form = readForm(request.body, ['pinned']);
      const back =
        request.headers.referer !== undefined ? pathOfReferrer(request, site.webUrl) : '/';
      return parts.act(asked, back, async () => {
        const isPinning = requireChoice(['yes', 'no'], form.pinned, 'pinned') === 'yes';
        await (isPinning ? pinToTop : unpinFromTop)(call, ref);
        return {
          message: isPinning
            ? `Pinned to the top of ${ref.owner}’s documents.`
            : 'Unpinned from the top.',
          undo: { action: pathOfRef('pin', ref), fields: { pinned: isPinning ? 'no' : 'yes' } },
        };
      });
    },
  });
}
