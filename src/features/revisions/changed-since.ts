import type { Comparison } from '../../base/text/comparison.ts';
import type { Call } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { isRefusal } from '../../surfaces/web/form.ts';
import type { ChangedSinceView } from './changed-since-page.tsx';
import { compareRevisions } from './comparison-service.ts';
import { findLastVisit } from './last-visit-service.ts';

/** Parses the revision that a form or an address says was shown; 0 if it doesn't say. */
export function shownRevision(text: unknown): number {
  return typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

/** What an address says was on the screen from which it was opened. */
export interface SeenQuery {
  revision?: unknown;
  /** The id of the document. */
  document?: unknown;
}

/**
 * Returns the revision of a document that someone has seen: the one that the address names, if they
 * have opened it, otherwise the one that they saw last; 0 if none is known.
 */
export async function revisionSeen(
  call: Call,
  document: DocumentRow,
  { revision, document: id }: SeenQuery,
): Promise<number> {
  const given = id === undefined || id === document.id ? shownRevision(revision) : 0;
  const seen = await findLastVisit(call, document);
  // Visits of people who aren't insiders aren't recorded.
  if (seen === undefined) return isInsider(document) ? 0 : given;
  return given === 0 ? seen : Math.min(given, seen);
}

/**
 * Loads what has changed since a revision was shown.
 *
 * @param shown its number; 0 if that isn't known
 * @param isRefused whether an action was refused for it
 */
export async function loadChangedSince(
  call: Call,
  document: DocumentRow,
  shown: number,
  isRefused = true,
): Promise<ChangedSinceView> {
  const { kind, ownerNamespace: owner, name, version: current } = document;
  const comparison = await comparisonSince(call, { kind, owner, name }, shown, current);
  return { document, shown, current, comparison, isRefused };
}

async function comparisonSince(
  call: Call,
  ref: DocumentRef,
  from: number,
  to: number,
): Promise<Comparison | undefined> {
  if (from === 0 || from >= to) return undefined;
  try {
    const numbers = { from, to };
    return (await compareRevisions(call, ref, numbers, { isWhole: true })).comparison;
  } catch (error) {
    // Only insiders can read older texts.
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
