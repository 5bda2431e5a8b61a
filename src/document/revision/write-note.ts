import type { Actor } from '../../context.ts';
import type { RepeatableRequest } from './repeated-request.ts';
import type { NewRevision } from './revision-store.ts';

/** What a writer says of a write, or is known of it. */
export interface WriteNote {
  message?: string | undefined;
  /** The version that the writer started from. */
  baseVersion?: number | undefined;
  /** Whether somebody else's changes since then were merged in. */
  merged?: boolean;
  /** The version whose text is brought back. */
  restoredFrom?: number;
  /** The request that makes the write, if its sender may repeat it. */
  request?: RepeatableRequest | undefined;
}

/** The row of a write. */
export function revisionOf(
  actor: Actor,
  write: { documentId: string; version: number; changed: readonly string[]; at: string },
  note: WriteNote,
): NewRevision {
  return {
    ...write,
    changed: write.changed.join(' '),
    accountId: actor.id,
    via: actor.via.means,
    viaName: actor.via.name,
    message: note.message ?? null,
    baseVersion: note.baseVersion ?? null,
    merged: note.merged ? 1 : 0,
    restoredFrom: note.restoredFrom ?? null,
    requestKey: note.request?.key ?? null,
    requestHash: note.request?.hash ?? null,
  };
}
