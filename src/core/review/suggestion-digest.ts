import { hash } from 'node:crypto';
import type { ThreadKind } from './thread.ts';

/** What accepting a suggestion depends on. */
interface Suggestion {
  id: string;
  kind: ThreadKind;
  accountId: string | null;
  madeVersion: number;
  madeStart: number | null;
  madeEnd: number | null;
  quote: string | null;
  element: string | null;
  atVersion: number;
  atAround: string | null;
  replacement: string | null;
}

/**
 * Returns a digest of what accepting a suggestion does: it changes with its author, its text, its
 * passage and what is around that now. Replies don't change it, nor do changes elsewhere in the text.
 * That of a proposal, whose places aren't stored, ends with the revision that it was read in.
 *
 * @param thread with its whole suggested text, and its place in the current text
 */
export function digestOf(thread: Suggestion): string {
  const { id, kind, accountId, madeVersion, madeStart, madeEnd, atAround } = thread;
  const words = [thread.quote, thread.element, thread.replacement, atAround];
  const whole = JSON.stringify([id, kind, accountId, madeVersion, madeStart, madeEnd, ...words]);
  const digest = hash('sha256', whole, 'base64url').slice(0, 22);
  return kind === 'proposal' ? `${digest}.${thread.atVersion}` : digest;
}

/** Returns the revision that a proposal's digest is from; `NaN` for other digests. */
export function readIn(digest: string): number {
  return Number(/\.(\d{1,9})$/.exec(digest)?.[1] ?? Number.NaN);
}
