import { type Context, later } from '../context.ts';
import { BackEndUnavailable } from '../errors.ts';

/** How long nobody tries again, after nothing could be written. */
const PAUSE_MS = 60_000;

/** Until when, by what is written to. */
const pausedUntil = new WeakMap<Context['sql'], string>();

/**
 * Writes what may as well be left unwritten, such as when a token was used: whoever only reads should
 * not fail, nor wait each time, where a disk is full or a database has become one to read from.
 *
 * @throws whatever does not say that a back end is away
 */
export async function writeIfPossible(
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
