import { type Context, later } from '../../core/context.ts';
import { deleteOldDeliveries } from './webhook-delivery-store.ts';

/** How long deliveries are stored. Longer than the retries take. */
const RETENTION_MS = 30 * 24 * 60 * 60_000;

/** How many deliveries one transaction deletes. */
const SWEEP_BATCH = 1_000;

/** Deletes deliveries that are older than 30 days. @returns how many */
export async function sweepDeliveries(context: Context): Promise<number> {
  const before = later(context.now(), -RETENTION_MS);
  for (let removed = 0; ; ) {
    const count = await context.sql.transaction((tx) =>
      deleteOldDeliveries(tx, before, SWEEP_BATCH),
    );
    removed += count;
    if (count < SWEEP_BATCH) return removed;
  }
}
