import { ConflictError, FieldError } from '../../base/errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { listTextWrites } from './review-store.ts';
import { digestOf } from './suggestion-digest.ts';
import type { ThreadRow } from './thread-store.ts';

/** What was shown to the person who acts: the act counts for nothing else. */
export interface Shown {
  /** The revision whose text was shown. */
  revision?: number | undefined;
  /** The {@link digestOf} each suggestion that was shown, in their order. */
  expected?: readonly string[] | undefined;
}

/** Another text was written, or a suggestion was changed, since the actor saw them. */
export class ChangedSince extends ConflictError {
  /** The revision that was shown, and the current one. */
  readonly revisions: { shown: number; current: number };

  constructor(revisions: { shown: number; current: number }, what: string) {
    super(`${what} Nothing was done. Read revision ${revisions.current} first.`, {
      baseRevision: revisions.shown,
      currentRevision: revisions.current,
      by: null,
      conflicts: [],
    });
    this.revisions = revisions;
  }
}

/**
 * Requires that the document has the text of the revision that was shown.
 *
 * @param shown its number; `undefined` if the caller doesn't say
 * @throws ChangedSince if a new text was written since; BAD_REQUEST if there is no such revision
 */
export async function requireShown(
  db: Reader,
  { id, version }: Pick<DocumentRow, 'id' | 'version'>,
  shown: number | undefined,
): Promise<void> {
  if (shown === undefined || shown === version) return;
  if (shown > version) {
    throw new FieldError('BAD_REQUEST', 'revision', `there is no revision ${shown} yet.`);
  }
  if (await isCurrentText(db, { id, version }, shown)) return;
  throw new ChangedSince(
    { shown, current: version },
    `The text has changed since revision ${shown}.`,
  );
}

/** Tells whether the text of a revision is still the current one. */
export async function isCurrentText(
  db: Reader,
  { id, version }: Pick<DocumentRow, 'id' | 'version'>,
  shown: number,
): Promise<boolean> {
  return shown === version || (await listTextWrites(db, id, shown)).length === 0;
}

/**
 * Requires that suggestions are as they were shown.
 *
 * @param expected their digests, in the same order; `undefined` if the caller doesn't say
 * @throws ChangedSince; BAD_REQUEST if there are too few or too many digests
 */
export function requireExpected(
  { version }: DocumentRow,
  threads: readonly ThreadRow[],
  { revision, expected }: Shown,
): void {
  if (expected === undefined) return;
  if (expected.length !== threads.length) {
    const problem = 'must have one digest for each of the threads, in the same order.';
    throw new FieldError('BAD_REQUEST', 'expected', problem);
  }
  const changed = threads.find((thread, index) => digestOf(thread) !== expected[index]);
  if (!changed) return;
  throw new ChangedSince(
    { shown: revision ?? version, current: version },
    `The suggestion ${changed.id} has changed since you read it.`,
  );
}
