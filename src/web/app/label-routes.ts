import type { FastifyRequest } from 'fastify';
import { requireDocument } from '../../document/authorize.ts';
import { LABEL_LIMITS, splitLabels } from '../../document/label/label.ts';
import { getLabels, listSuggestions, setLabels } from '../../document/label/label-service.ts';
import { pinToTop, unpinFromTop } from '../../document/pin/pin-service.ts';
import { seeOther } from '../account-parts.ts';
import { isCorrectable, readForm, readTexts, requireChoice } from '../form.ts';
import { nextPath } from '../next-path.ts';
import { labelsPage } from '../pages/app/labels-page.tsx';
import { pathOfRef } from './addresses.ts';
import { type AppParts, pathOfReferrer } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';

/** Adds `/labels/…`, which sets a document's labels, and `/pin/…`, which pins it to the top. */
export function addLabelRoutes(parts: AppParts): void {
  const { context, site } = parts;
  const hasReferrer = ({ headers }: FastifyRequest) => headers.referer !== undefined;

  addDocumentRoutes(parts, 'labels', {
    get: async (asked, ref) => {
      const { actor, request } = asked;
      const { document } = await requireDocument(context.sql.read, actor, ref, 'label');
      const labels = await getLabels(context, actor, ref);
      const choices = await listSuggestions(context, document, labels);
      const back = hasReferrer(request)
        ? pathOfReferrer(request, site.webUrl)
        : pathOfRef('read', ref);
      return parts.show(asked, labelsPage({ document, choices, added: '', back }));
    },
    post: async (asked, ref) => {
      const { actor, request } = asked;
      const form = readForm(request.body, ['added', 'back']);
      const chosen = readTexts(request.body, 'label', LABEL_LIMITS.perDocument + 1);
      const back = nextPath(form.back, site.webUrl) ?? pathOfRef('read', ref);
      try {
        const labels = [...chosen, ...splitLabels(form.added)];
        const { length } = await setLabels(context, actor, ref, labels);
        const message = length === 0 ? 'Labels removed.' : 'Labels saved.';
        return parts.goOn(asked, back, { message });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        const { document } = await requireDocument(context.sql.read, actor, ref, 'label');
        const choices = await listSuggestions(context, document, chosen);
        const page = { document, choices, added: form.added, fault: error.sentence, back };
        return parts.show(asked, labelsPage(page), 422);
      }
    },
  });

  addDocumentRoutes(parts, 'pin', {
    get: async ({ reply }, ref) => seeOther(reply, pathOfRef('read', ref)),
    post: (asked, ref) => {
      const { actor, request } = asked;
      const form = readForm(request.body, ['pinned']);
      const back = hasReferrer(request) ? pathOfReferrer(request, site.webUrl) : '/';
      return parts.act(asked, back, async () => {
        const isPinning = requireChoice(['yes', 'no'], form.pinned, 'pinned') === 'yes';
        await (isPinning ? pinToTop : unpinFromTop)(context, actor, ref);
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
