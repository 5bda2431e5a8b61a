import type { FastifyRequest } from 'fastify';
import { LABEL_LIMITS, splitLabels } from '../../base/schema/label.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, pathOfReferrer } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { isCorrectable, readForm, readTexts } from '../../surfaces/web/form.ts';
import { nextPath } from '../../surfaces/web/next-path.ts';
import { getLabels, listSuggestions, setLabels } from './label-service.ts';
import { labelsPage } from './labels-page.tsx';

/** Adds `/labels/…`, which sets a document's labels. */
export function addLabelRoutes(parts: AppParts): void {
  const { context, site } = parts;
  const hasReferrer = ({ headers }: FastifyRequest) => headers.referer !== undefined;

  addDocumentRoutes(parts, 'labels', {
    get: async (asked, ref) => {
      const { call, request } = asked;
      const { document } = await requireDocument(context.sql.read, call.actor, ref, 'label');
      const labels = await getLabels(call, ref);
      const choices = await listSuggestions(context, document, labels);
      const back = hasReferrer(request)
        ? pathOfReferrer(request, site.webUrl)
        : pathOfRef('read', ref);
      return parts.show(asked, labelsPage({ document, choices, added: '', back }));
    },
    post: async (asked, ref) => {
      const { call, request } = asked;
      const form = readForm(request.body, ['added', 'back']);
      const chosen = readTexts(request.body, 'label', LABEL_LIMITS.perDocument + 1);
      const back = nextPath(form.back, site.webUrl) ?? pathOfRef('read', ref);
      try {
        const labels = [...chosen, ...splitLabels(form.added)];
        const { length } = await setLabels(call, ref, labels);
        const message = length === 0 ? 'Labels removed.' : 'Labels saved.';
        return parts.goOn(asked, back, { message });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        const { document } = await requireDocument(context.sql.read, call.actor, ref, 'label');
        const choices = await listSuggestions(context, document, chosen);
        const page = { document, choices, added: form.added, fault: error.sentence, back };
        return parts.show(asked, labelsPage(page), 422);
      }
    },
  });
}
