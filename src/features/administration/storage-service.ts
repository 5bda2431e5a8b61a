import { DAY_MS } from '../../base/time/clock.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { type CreatedPerDay, countCreated, countTotals, type Totals } from './people-store.ts';
import { firstIdAt } from './prefix.ts';

/** How long what was counted is shown, because counting reads a lot. */
const COUNTED_FOR_MS = 10 * 60_000;

const DAYS = 30;

/** What is stored, and how it grows. */
export interface StorageFacts {
  totals: Totals;
  /** When all of it was counted, at most ten minutes ago. */
  countedAt: string;
  /** The last 30 days in UTC, today last. */
  days: readonly CreatedPerDay[];
}

interface Counted {
  at: string;
  facts: Promise<Omit<StorageFacts, 'countedAt'>>;
}

const counted = new WeakMap<Context['sql'], Counted>();

/** Describes what is stored. @throws FORBIDDEN */
export async function describeStorage(
  context: Context,
  by: Actor | undefined,
): Promise<StorageFacts> {
  if (by) await requireAdmin(context.sql.read, by);
  const { at, facts } = countedFor(context);
  return { ...(await facts), countedAt: at };
}

function countedFor(context: Context): Counted {
  const now = context.now();
  const known = counted.get(context.sql);
  if (known && Date.parse(known.at) + COUNTED_FOR_MS > Date.parse(now)) return known;
  const fresh = { at: now, facts: count(context, now) };
  counted.set(context.sql, fresh);
  // The next request counts again.
  fresh.facts.catch(() => counted.delete(context.sql));
  return fresh;
}

async function count(context: Context, now: string): Promise<Omit<StorageFacts, 'countedAt'>> {
  const first = Date.parse(`${now.slice(0, 10)}T00:00:00.000Z`) - (DAYS - 1) * DAY_MS;
  const created = await countCreated(context.sql.read, firstIdAt(first));
  const days = Array.from({ length: DAYS }, (_, index): CreatedPerDay => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return { day, ...(created.get(day) ?? { accounts: 0, documents: 0 }) };
  });
  return { totals: await countTotals(context.sql.read), days };
}
