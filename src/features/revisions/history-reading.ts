import type { Actor, Context } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { pageSummary, presentPage } from '../../surfaces/mcp/paging.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { listRevisions } from './revision-service.ts';

const PAGE_SIZE = 50;

/** Lists a document's revisions, newest first: who wrote them, how and when. @throws NOT_FOUND */
export async function readHistory(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  number: number,
): Promise<ReadingOutcome> {
  const page = { number, size: PAGE_SIZE };
  const found = await listRevisions(context, actor, ref, page);
  const { items, ...data } = presentPage(found, page, inOneLine);
  const text = items.join('\n');
  return {
    summary: pageSummary('Revisions, newest first', { items, ...data }),
    data,
    quotations: text ? [{ what: 'the history (one revision per line)', text }] : [],
  };
}

/**
 * Formats a revision as one line of JSON, so that messages and names, which users wrote, can't pass
 * for another revision. Leaves out empty fields.
 */
function inOneLine(revision: Revision): string {
  const { number, createdAt, author, via, viaName, changed, message } = revision;
  const { basedOn, merged, restoredFrom, pinned, hasText } = revision;
  return JSON.stringify({
    number,
    at: createdAt,
    author,
    via,
    ...(viaName !== null && { viaName }),
    changed: changed.join(' '),
    ...(message !== null && { message }),
    ...(basedOn !== null && { basedOn }),
    ...(merged && { merged }),
    ...(restoredFrom !== null && { restoredFrom }),
    ...(pinned && { pinned }),
    ...(!hasText && { hasText }),
  });
}
