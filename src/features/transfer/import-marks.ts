import { ServiceError } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { setLabels } from '../labels/label-service.ts';
import { pinToTop } from '../pins/pin-service.ts';

/** A document's labels and pin in an export. */
export interface Marks {
  labels: string[];
  isPinned: boolean;
}

/**
 * Reads the index of an export: the marks of its documents, by their path in the archive. Ignores
 * anything that no export writes, because anyone can create an archive that claims to be an export.
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
 * @returns whether everything was possible: a member can't pin an organization's documents, and the
 *   number of pins is limited
 */
export async function setMarks(
  call: Call,
  ref: DocumentRef,
  { labels, isPinned }: Marks,
): Promise<boolean> {
  try {
    if (labels.length > 0) await setLabels(call, ref, labels);
    if (isPinned) await pinToTop(call, ref);
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
