import { hash } from 'node:crypto';
import { ConflictError, FieldError } from '../../errors.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { DocumentRow } from '../document-store.ts';
import { listTextWrites } from './review-store.ts';
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
  { id, version }: DocumentRow,
  shown: number | undefined,
): Promise<void> {
  if (shown === undefined || shown === version) return;
  if (shown > version) {
    throw new FieldError('BAD_REQUEST', 'revision', `there is no revision ${shown} yet.`);
  }
  const writes = await listTextWrites(db, id, shown);
  if (writes.length === 0) return;
  throw new ChangedSince(
    { shown, current: version },
    `The text has changed since revision ${shown}.`,
  );
}

/**
 * Returns a digest of what accepting a suggestion does: it changes with its author, its passage and
 * its text. Replies don't change it.
 *
 * @param thread with its whole suggested text
 */
export function digestOf(
  thread: Pick<
    ThreadRow,
    | 'id'
    | 'kind'
    | 'accountId'
    | 'madeVersion'
    | 'madeStart'
    | 'madeEnd'
    | 'quote'
    | 'element'
    | 'replacement'
  >,
): string {
  const { id, kind, accountId, madeVersion, madeStart, madeEnd } = thread;
  const words = [thread.quote, thread.element, thread.replacement];
  const whole = JSON.stringify([id, kind, accountId, madeVersion, madeStart, madeEnd, ...words]);
  return hash('sha256', whole, 'base64url').slice(0, 22);
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
