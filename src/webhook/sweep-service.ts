import { type Context, later } from '../context.ts';
import { deleteOldDeliveries } from './webhook-delivery-store.ts';

/** How long deliveries are stored. Longer than the retries take. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** How many deliveries one transaction deletes. */
const SWEPT_AT_ONCE = 1_000;

/** Deletes deliveries that are older than 30 days. @returns how many */
export async function sweepDeliveries(context: Context): Promise<number> {
  const before = later(context.now(), -KEPT_MS);
  for (let removed = 0; ; ) {
    const count = await context.sql.transaction(
      (tx) => deleteOldDeliveries(tx, before, SWEPT_AT_ONCE),
      { freesSpace: true },
    );
    removed += count;
    if (count < SWEPT_AT_ONCE) return removed;
  }
}
