import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { pageOf, pageSummary, presentPage } from '../../surfaces/mcp/paging.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { presentEntry } from '../library/entry.ts';
import { getBacklinks } from './backlink-service.ts';

/** Lists for a model what links to a document, last changed first. @throws NOT_FOUND */
export async function readBacklinks(
  call: Call,
  ref: DocumentRef,
  input: { page?: number },
): Promise<ReadingOutcome> {
  const page = pageOf(input);
  const found = await getBacklinks(call, ref, page);
  const { items, ...data } = presentPage(found, page, ({ document }) =>
    presentEntry({ ...document, updatedBy: document.updatedByUsername }),
  );
  return {
    summary: pageSummary('Documents that link to it', { items, ...data }),
    data,
    quotations:
      items.length === 0
        ? []
        : [{ what: 'the documents (one per line)', isPlural: true, rows: items }],
  };
}
