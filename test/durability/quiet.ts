import { Client } from 'pg';
import type { Installation } from '../installation.ts';
import { until } from '../until.ts';

/**
 * Waits until the database has finished the statements of a process that is gone, which may include
 * a commit.
 */
export async function nothingUnderWay({ settings }: Installation): Promise<void> {
  if (!settings.DATABASE_URL) return;
  const client = new Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await until('the database is idle', async () => {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where datname = current_database()
           and application_name = 'briefs' and state <> 'idle'`,
      );
      return rows.length === 0;
    });
  } finally {
    await client.end();
  }
}
