import type { Writer } from '../../storage/sql/sql.ts';
import type { Actor } from '../context.ts';
import type { DocumentRow } from '../document/document-store.ts';
import type { NewRevision } from './revision-store.ts';

/** Details of a write for the history. */
export interface WriteNote {
  /** The document that is meant; absent if the name is enough. */
  documentId?: string | undefined;
  message?: string | undefined;
  baseVersion?: number | undefined;
  /** Whether others' changes since `baseVersion` were merged in. */
  merged?: boolean;
  /** The lines of the text in which the writer and others changed words, from 1. */
  wordLines?: readonly number[];
  /** The version whose text is restored. */
  restoredFrom?: number | undefined;
  /** The suggestions that the write accepts, if it does nothing else. */
  accepts?: {
    /** The accounts that wrote or moved them; `null` for deleted accounts. */
    authors: readonly (string | null)[];
    /** Whose approvals stay valid: see `seenByAccepting`. */
    seenBy: string | null;
  };
  /** The revision that was shown. If another text was written since, nothing happens. */
  shown?: number | undefined;
  /**
   * Runs after the write, in its transaction, even if the document already had the new values.
   *
   * @param document the document after the write
   */
  alongside?: ((tx: Writer, document: DocumentRow) => Promise<void>) | undefined;
}

export function revisionOf(
  actor: Actor,
  write: { documentId: string; version: number; changed: readonly string[]; at: string },
  note: WriteNote,
): NewRevision {
  return {
    documentId: write.documentId,
    version: write.version,
    at: write.at,
    changed: write.changed.join(' '),
    accountId: actor.id,
    via: actor.via.means,
    viaName: actor.via.name,
    message: note.message ?? null,
    baseVersion: note.baseVersion ?? null,
    merged: note.merged ? 1 : 0,
    wordLines: note.wordLines?.length ? note.wordLines.join(' ') : null,
    restoredFrom: note.restoredFrom ?? null,
    seenBy: note.accepts?.seenBy ?? null,
    sittingId: null,
  };
}
