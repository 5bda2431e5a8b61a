import type { Actor, Context } from '../../context.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../document/document-service.ts';
import { getRevision, textGone } from '../../document/revision/revision-service.ts';

export type WholeRevision = WholeDocument & {
  /** The revision that the text is of. */
  revision: number;
};

/**
 * Reads a document with its current text, or with that of an older revision.
 *
 * @throws NOT_FOUND; UNPROCESSABLE when the text is no longer stored
 */
export async function readWhole(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  revision: number | undefined,
): Promise<WholeRevision> {
  if (revision === undefined) {
    const current = await getDocument(context, actor, ref);
    return { ...current, revision: current.document.version };
  }
  const { text, ...seen } = await getRevision(context, actor, ref, revision);
  if (text === undefined) throw textGone(revision);
  return { ...seen, text, revision };
}

/** Which revision a text is of, for a summary. */
export function revisionInWords({ document, revision }: WholeRevision): string {
  const { version } = document;
  return revision === version
    ? `revision ${revision}`
    : `revision ${revision} (the current one is ${version})`;
}
