/**
 * Fills a database like that of a service after years, with everything that writes leave behind:
 * history, collaborators, counts by blocks, the search index.
 *
 *   node dist/bench/generate.js [--briefs 100000] [--owners 1] [--median-bytes 3000]
 *
 * The settings (DATA_DIR or DATABASE_URL) name the database, which must be empty. Prints an access
 * token of the user ada.
 */
import { parseArgs } from 'node:util';
import { readConfig } from '../src/core/config/read-config.ts';
import { generateRows, type Plan } from './generate-rows.ts';
import { openTarget } from './generate-target.ts';

export const DEFAULT_PLAN: Plan = { briefs: 100_000, owners: 1, medianBytes: 3_000 };

/**
 * Fills the empty database of a stopped service.
 *
 * @param settings the service's settings
 * @returns an access token of the user ada
 */
export async function generate(
  settings: Record<string, string>,
  plan: Plan,
): Promise<{ token: string }> {
  const target = await openTarget(readConfig(settings));
  try {
    const rows = generateRows(plan);
    for (;;) {
      const { value, done } = rows.next();
      if (done) {
        await target.finish();
        return value;
      }
      await target.insert(value);
    }
  } finally {
    await target.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      briefs: { type: 'string', default: String(DEFAULT_PLAN.briefs) },
      owners: { type: 'string', default: String(DEFAULT_PLAN.owners) },
      'median-bytes': { type: 'string', default: String(DEFAULT_PLAN.medianBytes) },
    },
  });
  const begin = performance.now();
  const plan = {
    briefs: Number(values.briefs),
    owners: Number(values.owners),
    medianBytes: Number(values['median-bytes']),
  };
  const { token } = await generate(process.env as Record<string, string>, plan);
  const perSecond = plan.briefs / ((performance.now() - begin) / 1000);
  console.error(`${plan.briefs} briefs, ${Math.round(perSecond)} a second`);
  console.log(token);
}
