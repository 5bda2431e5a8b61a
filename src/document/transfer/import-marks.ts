import type { Actor, Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { DocumentRef } from '../document-ref.ts';
import { setLabels } from '../label/label-service.ts';
import { pinToTop } from '../pin/pin-service.ts';

/** What an export says of a document besides its text. */
export interface Marks {
  labels: string[];
  isPinned: boolean;
}

/**
 * Reads the index of an export: the marks of its documents, by their path in the archive. Leaves out
 * what no export writes, because anyone can make an archive that claims to be one.
 */
export function readMarks(index: string): Map<string, Marks> {
  const marks = new Map<string, Marks>();
  for (const entry of listIn(parsed(index), 'documents')) {
    const { path, pinned } = (entry ?? {}) as { path?: unknown; pinned?: unknown };
    if (typeof path !== 'string') continue;
    const labels = listIn(entry, 'labels').filter((label) => typeof label === 'string');
    marks.set(path, { labels, isPinned: pinned === true });
  }
  return marks;
}

/**
 * Labels an imported document and pins it to the top, as the export had it.
 *
 * @returns whether all of it was possible: a member can't pin an organization's documents, and only
 *   so many can be pinned
 */
export async function setMarks(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { labels, isPinned }: Marks,
): Promise<boolean> {
  try {
    if (labels.length > 0) await setLabels(context, actor, ref, labels);
    if (isPinned) await pinToTop(context, actor, ref);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listIn(value: unknown, key: string): unknown[] {
  const list = (value as Record<string, unknown> | null | undefined)?.[key];
  return Array.isArray(list) ? list : [];
}
