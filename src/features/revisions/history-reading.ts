import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { pageSummary, presentPage } from '../../surfaces/mcp/paging.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { listRevisions } from './revision-service.ts';

const PAGE_SIZE = 50;

/** Lists a document's revisions, newest first: who wrote them, how and when. @throws NOT_FOUND */
export async function readHistory(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<ReadingOutcome> {
  const page = { number, size: PAGE_SIZE };
  const found = await listRevisions(call, ref, page);
  const { items, ...data } = presentPage(found, page, present);
  return {
    summary: pageSummary('Revisions, newest first', { items, ...data }),
    data,
    quotations:
      items.length > 0 ? [{ what: 'the history (one revision per line)', rows: items }] : [],
  };
}

/** Presents a revision for a model. Leaves out empty fields. */
function present(revision: Revision): object {
  const { number, createdAt, author, coAuthors, via, viaName, changed, message } = revision;
  const { basedOn, merged, mergedByWords, restoredFrom, pinned, hasText, sitting } = revision;
  return {
    number,
    at: createdAt,
    author,
    ...(coAuthors.length > 0 && { coAuthors }),
    via,
    ...(viaName !== null && { viaName }),
    changed: changed.join(' '),
    ...(message !== null && { message }),
    ...(basedOn !== null && { basedOn }),
    ...(merged && { merged }),
    ...(mergedByWords.length > 0 && { mergedByWords }),
    ...(restoredFrom !== null && { restoredFrom }),
    ...(pinned && { pinned }),
    ...(sitting && sitting.first < sitting.last && { sitting }),
    ...(!hasText && { hasText }),
  };
}
