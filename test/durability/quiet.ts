import { Client } from 'pg';
import { type Installation, until } from '../installation.ts';

/**
 * Waits until the database has ended what it was asked by a process that is gone: it may have been
 * told to commit in the moment of the end.
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
