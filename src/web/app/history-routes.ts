import { usernamesOf } from '../../account/username-service.ts';
import { requireDocument } from '../../document/authorize.ts';
import { listChanges } from '../../document/history-service.ts';
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
      const changes = await listChanges(context, actor, ref);
      const makers = await usernamesOf(context, [document.createdBy]);
      const made = { by: makers.get(document.createdBy), at: document.createdAt };
      return parts.show(asked, historyPage(document, changes.items, made));
    },
  });
}
