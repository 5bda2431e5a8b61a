import { DAY_MS } from '../../base/time/clock.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { type Context, later } from '../context.ts';
import { findOwnerById } from '../owner/owner-store.ts';
import { type Limit, QuotaExceeded, type Quotas } from './quota.ts';
import { findExceptions } from './quota-store.ts';
import {
  chargeUsage,
  findUsage,
  insertUsage,
  type UsageChange,
  type UsageRow,
} from './usage-store.ts';

const NOTHING: UsageRow = {
  documents: 0,
  bytes: 0,
  fileBytes: 0,
  dayStart: '',
  dayDocuments: 0,
};

/** Returns what an owner may have: its own limits, otherwise those of the settings. */
export async function quotasOf({ quotas }: Context, db: Reader, ownerId: string): Promise<Quotas> {
  return { ...quotas, ...(await findExceptions(db, ownerId)) };
}

/**
 * Adds to what an owner has, before the transaction stores it. What lessens it, the stores subtract
 * themselves.
 *
 * @param change no negative numbers; bytes as stored
 * @param created how many documents are new, not moved or restored
 * @throws QuotaExceeded, and then the transaction must not be committed
 */
export async function charge(
  context: Context,
  tx: Writer,
  ownerId: string,
  change: UsageChange,
  created = 0,
): Promise<void> {
  const now = context.now();
  const dayAgo = later(now, -DAY_MS);
  const options = { created, most: context.quotas, now, dayAgo };
  if (await chargeUsage(tx, ownerId, change, options)) return;
  if (!(await findUsage(tx, ownerId))) {
    await insertUsage(tx, ownerId);
    if (await chargeUsage(tx, ownerId, change, options)) return;
  }
  await requireQuota(context, tx, ownerId, change, created);
  throw new Error(`The usage of ${ownerId} cannot be changed.`);
}

/**
 * Requires that {@link charge} would add as much now, for what is stored later.
 *
 * @throws QuotaExceeded
 */
export async function requireQuota(
  context: Context,
  db: Reader,
  ownerId: string,
  change: UsageChange,
  created = 0,
): Promise<void> {
  const { documents, bytes, dayStart, dayDocuments } = (await findUsage(db, ownerId)) ?? NOTHING;
  const today = dayStart > later(context.now(), -DAY_MS) ? dayDocuments : 0;
  const quotas = await quotasOf(context, db, ownerId);
  const wanted = [
    ['documents', documents, change.documents ?? 0],
    ['bytes', bytes, change.bytes ?? 0],
    ['documentsPerDay', today, created],
  ] as const;
  for (const [limit, has, more] of wanted) {
    const allowed = quotas[limit];
    if (more > 0 && allowed !== null && has + more > allowed) {
      throw await exceeded(context, db, ownerId, limit, { used: has, allowed });
    }
  }
}

/**
 * Requires that an owner can have one more of what is counted where it is stored. Lock the owner
 * before.
 *
 * @param used how many it has
 * @throws QuotaExceeded
 */
export async function requireRoom(
  context: Context,
  tx: Writer,
  ownerId: string,
  limit: 'tokens' | 'webhooks' | 'organizations',
  used: number,
): Promise<void> {
  const allowed = context.quotas[limit];
  if (allowed === null || used < allowed) return;
  throw await exceeded(context, tx, ownerId, limit, { used, allowed });
}

/** Requires that an owner's storage isn't full. @throws QuotaExceeded */
export async function requireStorage(context: Context, db: Reader, ownerId: string): Promise<void> {
  const { bytes: allowed } = await quotasOf(context, db, ownerId);
  if (allowed === null) return;
  const { bytes: used } = (await findUsage(db, ownerId)) ?? NOTHING;
  if (used < allowed) return;
  throw await exceeded(context, db, ownerId, 'bytes', { used, allowed });
}

/**
 * Requires that an owner has no more storage than it may, after a transaction has added to it.
 *
 * @throws QuotaExceeded, and then the transaction must not be committed
 */
export async function requireFit(context: Context, tx: Writer, ownerId: string): Promise<void> {
  const { bytes: allowed } = await quotasOf(context, tx, ownerId);
  if (allowed === null) return;
  const { bytes: used } = (await findUsage(tx, ownerId)) ?? NOTHING;
  if (used > allowed) throw await exceeded(context, tx, ownerId, 'bytes', { used, allowed });
}

async function exceeded(
  context: Context,
  db: Reader,
  ownerId: string,
  limit: Limit,
  amounts: { used: number; allowed: number },
): Promise<QuotaExceeded> {
  context.quotaRefused(limit);
  const owner = await findOwnerById(db, ownerId);
  return new QuotaExceeded(owner?.namespace ?? '', limit, amounts);
}
