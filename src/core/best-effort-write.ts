import { BackEndUnavailable } from '../base/errors.ts';
import { type Context, later } from './context.ts';

/** How long to skip writes after one failed. */
const PAUSE_MS = 60_000;

const pausedUntil = new WeakMap<Context['sql'], string>();

/**
 * Writes something optional, such as when a token was last used. Ignores an unavailable database
 * and then skips such writes for a minute, so that reads neither fail nor wait while the disk is
 * full or the database is read-only.
 *
 * @throws any error other than BackEndUnavailable
 */
export async function bestEffortWrite(
  context: Context,
  write: () => Promise<unknown>,
): Promise<void> {
  const now = context.now();
  if (now < (pausedUntil.get(context.sql) ?? '')) return;
  try {
    await write();
  } catch (error) {
    if (!(error instanceof BackEndUnavailable)) throw error;
    pausedUntil.set(context.sql, later(now, PAUSE_MS));
  }
}
