import { Type } from 'typebox';
import { see } from '../../document/authorize.ts';
import { requireLabelKey } from '../../document/label/label-service.ts';
import { isListed } from '../../document/library-filter.ts';
import {
  FoundDocument,
  presentFound,
  SearchQuerySchema,
} from '../../document/search/search-schema.ts';
import { findDocuments } from '../../document/search/search-service.ts';
import { FieldError } from '../../errors.ts';
import { parseTime } from '../../schema/time.ts';
import { type Api, addOperation, listAnswer } from '../operation.ts';

/** The search of documents (decision 012). */
export function addSearchRoutes(api: Api): void {
  addOperation(api, {
    ...{ method: 'GET', path: '/search', id: 'searchDocuments', tag: 'Search' },
    scope: 'documents:read',
    summary: 'Search documents',
    description:
      'Briefs and pages that you can read and that have all words in their text, name or title. If there are few, ' +
      'documents follow whose name or title has the words but for typing errors. New text is found after a moment. ' +
      'At most 1,000 documents are found: of words that more have, the last changed. Filters, the order and the ' +
      'total are about these.',
    query: SearchQuerySchema,
    paginated: true,
    answers: { 200: Type.Array(FoundDocument) },
    errors: [400],
    handler: async ({ context, actor, query, page }) => {
      const { q, sort, kind, visibility, owner, label, shared, changed_since: since } = query;
      const filter = {
        ...{ kind, visibility, owner: owner?.trim().toLowerCase(), isShared: shared === 'true' },
        label: label === undefined ? undefined : requireLabelKey(label),
        changedAfter: since === undefined ? undefined : readTime(since),
      };
      const search = { query: q, size: page.size, page: page.number, sort, isCounted: true };
      const found = await api.accountQueue.run(actor.id, () =>
        findDocuments(context, actor, { ...search, isWanted: (row) => isListed(row, filter) }),
      );
      return listAnswer(found, ({ row, excerpt }) => presentFound(context, see(row), excerpt));
    },
  });
}

function readTime(text: string): string {
  const time = parseTime(text);
  if (time === undefined) {
    throw new FieldError('BAD_REQUEST', 'changed_since', 'must be a time, as ISO 8601.');
  }
  return time;
}
