import { Type } from 'typebox';
import { requireTime } from '../../base/schema/time.ts';
import { see } from '../../core/document/authorize.ts';
import { type Api, addOperation, listAnswer } from '../../surfaces/rest/operation.ts';
import { requireLabelKey } from '../labels/label-service.ts';
import { isListed } from '../library/library-filter.ts';
import { FoundDocument, presentFound, SearchQuerySchema } from './search-schema.ts';
import { findDocuments } from './search-service.ts';

/** Adds the route that searches documents (decision 005). */
export function addSearchOperations(api: Api): void {
  addOperation(api, {
    method: 'GET',
    path: '/search',
    id: 'searchDocuments',
    tag: 'Search',
    scope: 'documents:read',
    summary: 'Search documents',
    description:
      'Briefs and pages that you can read and that match in their text, name or title: names before texts, and whole ' +
      'words before beginnings of words and other forms. If there are few, documents follow whose name or title ' +
      'nearly matches. New text is found after a moment; until then, `X-Search-Pending` is `true`. If nothing ' +
      'has all words, frequent ones of the query’s language don’t count; then more than half of the others are enough, and ' +
      '`X-Search-Partial` is `true`. If more than 1,000 documents match, only the 1,000 changed last ' +
      'are filtered, sorted and counted.',
    query: SearchQuerySchema,
    paginated: 'pages',
    answers: { 200: Type.Array(FoundDocument) },
    sends: { 200: ['X-Search-Pending', 'X-Search-Partial'] },
    handler: async ({ call, query, page, request }) => {
      const { q, sort, kind, visibility, owner, label, shared, changed_since: since } = query;
      const filter = {
        kind,
        visibility,
        owner: owner?.trim().toLowerCase(),
        isShared: shared === 'true',
        label: label === undefined ? undefined : requireLabelKey(label),
        changedAfter: since === undefined ? undefined : requireTime('changed_since', since),
      };
      const search = { query: q, size: page.size, page: page.number, sort, isCounted: true };
      const found = await api.accountQueue.run(call.actor.id, async ({ hasWaited }) => {
        if (hasWaited) await request.requireToken();
        return findDocuments(call, {
          ...search,
          isWanted: (row) => isListed(row, filter),
        });
      });
      const answer = listAnswer(found, ({ row, excerpt }) => presentFound(call, see(row), excerpt));
      return { ...answer, searchPending: found.isBehind, searchPartial: found.isPartial };
    },
  });
}
