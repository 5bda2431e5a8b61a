import { strict as assert } from 'node:assert';
import type { Context } from '../../src/core/context.ts';
import type { RawText } from '../../src/core/revision/packing-store.ts';
import { packWaiting } from '../../src/features/revisions/packer.ts';

/** Packs all waiting texts. */
export async function packAll(context: Context): Promise<void> {
  const failures: unknown[] = [];
  const options = { isStopping: () => false, onFailure: (error: unknown) => failures.push(error) };
  let position: RawText | undefined;
  do {
    position = await packWaiting(context, options, position);
  } while (position);
  assert.deepEqual(failures, []);
}
