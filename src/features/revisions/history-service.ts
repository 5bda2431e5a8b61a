import { BackEndUnavailable, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Figures } from '../../base/text/figures.ts';
import type { Call } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import { requireDocument, type Seen } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { listReviewsOfVersions, type ReviewRow } from '../../core/review/review-store.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { listRevisions } from './revision-service.ts';

/**
 * Revisions that follow one another and come from one sitting in the editor, or that one program wrote
 * for one person minutes apart; others stand alone.
 */
export interface Sitting {
  /** The newest first; at least one. */
  revisions: readonly [Revision, ...Revision[]];
  /** What it changed; `undefined` if that isn't known, or the text is the same. */
  figures: Figures | undefined;
  /** What people said of its texts. */
  reviews: readonly Pick<ReviewRow, 'author' | 'verdict' | 'version'>[];
}

/** Larger texts aren't compared for the list, and only so much of them in all: in bytes. */
const MAX_TEXT = 64 * 1024;
const MAX_TEXTS = 1024 * 1024;

/** How far apart a program's revisions are at most that are one entry. */
const APART_MS = 5 * 60_000;

/**
 * Lists a document's revisions by sitting, newest first, with how much each changed.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it
 */
export async function getHistory(
  call: Call,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Seen<DocumentRow> & { revisions: Page<Revision>; sittings: Sitting[] }> {
  const { read } = call.sql;
  const seen = await requireDocument(read, call.actor, ref, 'read');
  const revisions = await listRevisions(call, ref, page);
  const { comments } = await findReviewSettings(read, seen.document.id);
  const range = { from: revisions.items.at(-1)?.number ?? 1, to: revisions.items[0]?.number ?? 0 };
  const reviews = canReview(seen.document, comments, 'see')
    ? await listReviewsOfVersions(read, seen.document.id, range)
    : [];
  const reviewed = new Set(reviews.map(({ version }) => version));
  const groups = sittingsOf(revisions.items, reviewed);
  const figures = isInsider(seen.document)
    ? await figuresOf(call, { id: seen.document.id, kind: ref.kind }, groups)
    : [];
  const sittings = groups.map((group, index) => ({
    revisions: group,
    figures: figures[index],
    reviews: reviews.filter(({ version }) => version === group[0].number),
  }));
  return { ...seen, revisions, sittings };
}

/** Named, pinned and reviewed revisions stand alone, so that they are found. */
function sittingsOf(
  revisions: readonly Revision[],
  reviewed: ReadonlySet<number>,
): [Revision, ...Revision[]][] {
  const groups: [Revision, ...Revision[]][] = [];
  for (const revision of revisions) {
    const { number, message, pinned } = revision;
    const later = groups.at(-1)?.at(-1);
    const isFound = message !== null || pinned || reviewed.has(number);
    if (later && !isFound && areOneEntry(revision, later)) groups.at(-1)?.push(revision);
    else groups.push([revision]);
  }
  return groups;
}

function areOneEntry(revision: Revision, later: Revision): boolean {
  if (revision.sitting || later.sitting) return revision.sitting?.first === later.sitting?.first;
  const { author, via, viaName } = later;
  const isProgram = via === 'token' || via === 'application';
  const pauseMs = Date.parse(later.createdAt) - Date.parse(revision.createdAt);
  if (!isProgram || pauseMs > APART_MS) return false;
  // What made, named or showed the document, or restored a text, says so in a row of its own.
  return [revision, later].every(
    (each) =>
      each.author === author &&
      each.via === via &&
      each.viaName === viaName &&
      each.number > 1 &&
      each.restoredFrom === null &&
      each.changed.every((part) => part === 'content'),
  );
}

/** Reads at most one text for each sitting, and compares them off the event loop. */
async function figuresOf(
  call: Call,
  { id, kind }: { id: string; kind: Kind },
  sittings: readonly (readonly Revision[])[],
): Promise<(Figures | undefined)[]> {
  let left = MAX_TEXTS;
  const load = async ({ number, sizeBytes }: Pick<Revision, 'number' | 'sizeBytes'>) => {
    left -= sizeBytes ?? 0;
    const isSmall = sizeBytes !== null && sizeBytes <= MAX_TEXT && left >= 0;
    return isSmall ? loadRevisionText(call, id, number) : undefined;
  };
  // Newest first, because the budget ends with the oldest.
  const texts: (string | undefined)[] = [];
  let isSame = false;
  for (const [last, ...earlier] of sittings) {
    if (!last) continue;
    texts.push(isSame ? texts.at(-1) : await load(last));
    isSame = [last, ...earlier].every(({ changed }) => !changed.includes('content'));
  }
  const oldest = sittings.at(-1)?.at(-1);
  if (oldest && oldest.number > 1) {
    const before = { number: oldest.number - 1, sizeBytes: oldest.sizeBytes };
    texts.push(isSame ? texts.at(-1) : await load(before));
  }
  const figures = await call.texts
    .run(call.actor.id, 'figures', [texts.reverse(), kind])
    .catch((error: unknown) => {
      // The list is complete without them, such as while much else is compared.
      if (error instanceof ServiceError || error instanceof BackEndUnavailable) return [];
      throw error;
    });
  return figures.map((each) => (each && each.blocks > 0 ? each : undefined)).reverse();
}
