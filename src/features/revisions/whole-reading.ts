import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { getRevision, textGone } from './revision-service.ts';

export type WholeRevision = WholeDocument & {
  /** The text's revision. */
  revision: number;
};

/**
 * Reads a document with its current text or an older revision's.
 *
 * @throws NOT_FOUND; UNPROCESSABLE if the text is no longer stored
 */
export async function readWhole(
  call: Call,
  ref: DocumentRef,
  revision: number | undefined,
): Promise<WholeRevision> {
  if (revision === undefined) {
    const current = await getDocument(call, ref);
    return { ...current, revision: current.document.version };
  }
  const { text, ...seen } = await getRevision(call, ref, revision);
  if (text === undefined) throw textGone(revision);
  return { ...seen, text, revision };
}

/** Names a text's revision, for a summary. */
export function revisionInWords({ document, revision }: WholeRevision): string {
  const { version } = document;
  return revision === version
    ? `revision ${revision}`
    : `revision ${revision} (the current one is ${version})`;
}
