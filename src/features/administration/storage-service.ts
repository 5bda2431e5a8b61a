import type { Actor, Context } from '../../core/context.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { type CreatedPerDay, countCreated, countTotals, type Totals } from './people-store.ts';
import { firstIdAt } from './prefix.ts';

/** How long counted totals are shown, because counting reads a lot. */
const COUNTED_FOR_MS = 10 * 60_000;

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 30;

/** What is stored, and how it grows. */
export interface StorageFacts {
  totals: Totals;
  /** When they were counted, at most ten minutes ago. */
  countedAt: string;
  /** The last 30 days in UTC, today last. */
  days: readonly CreatedPerDay[];
}

const counted = new WeakMap<Context, { at: string; totals: Promise<Totals> }>();

/** Describes what is stored. @throws FORBIDDEN */
export async function describeStorage(
  context: Context,
  by: Actor | undefined,
): Promise<StorageFacts> {
  if (by) await requireAdmin(context.sql.read, by);
  const { at, totals } = totalsOf(context);
  const today = Date.parse(`${context.now().slice(0, 10)}T00:00:00.000Z`);
  const first = today - (DAYS - 1) * DAY_MS;
  const created = await countCreated(context.sql.read, firstIdAt(first));
  const days = Array.from({ length: DAYS }, (_, index): CreatedPerDay => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return { day, ...(created.get(day) ?? { accounts: 0, documents: 0 }) };
  });
  return { totals: await totals, countedAt: at, days };
}

function totalsOf(context: Context): { at: string; totals: Promise<Totals> } {
  const now = context.now();
  const known = counted.get(context);
  if (known && Date.parse(known.at) + COUNTED_FOR_MS > Date.parse(now)) return known;
  const fresh = { at: now, totals: countTotals(context.sql.read) };
  counted.set(context, fresh);
  // The next request counts again.
  fresh.totals.catch(() => counted.delete(context));
  return fresh;
}
