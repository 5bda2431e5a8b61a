import { requireDocument } from '../../document/authorize.ts';
import { listRevisions } from '../../document/revision/revision-service.ts';
import { historyPage } from '../pages/app/history-page.tsx';
import type { AppParts } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';

/** `/history/…`: who wrote a document, and when. */
export function addHistoryRoutes(parts: AppParts): void {
  const { context } = parts;
  addDocumentRoutes(parts, 'history', {
    get: async (asked, ref) => {
      const { actor } = asked;
      const { document } = await requireDocument(context.sql.read, actor, ref, 'read');
      const revisions = await listRevisions(context, actor, ref, { number: 1, size: 100 });
      return parts.show(asked, historyPage(document, revisions.items));
    },
  });
}
