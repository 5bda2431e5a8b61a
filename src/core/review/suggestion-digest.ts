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
  replacement: string | null;
}

/**
 * Returns a digest of what accepting a suggestion does: it changes with its author, its passage and
 * its text. Replies don't change it.
 *
 * @param thread with its whole suggested text
 */
export function digestOf(thread: Suggestion): string {
  const { id, kind, accountId, madeVersion, madeStart, madeEnd } = thread;
  const words = [thread.quote, thread.element, thread.replacement];
  const whole = JSON.stringify([id, kind, accountId, madeVersion, madeStart, madeEnd, ...words]);
  return hash('sha256', whole, 'base64url').slice(0, 22);
}
