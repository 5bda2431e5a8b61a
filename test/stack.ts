import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import pg from 'pg';

/** The back ends of services under test, chosen by `TEST_STACK`. */
export const STACK = process.env.TEST_STACK === 'servers' ? 'servers' : 'embedded';

const { TEST_DATABASE_URL = '', TEST_REDIS_URL = '', TEST_BLOB_URL = '' } = process.env;

/** The back ends by data directory: services that share one also share the others. */
const installations = new Map<string, Promise<Record<string, string>>>();

/**
 * Returns the settings for the stack under test. Each data directory has its own database, counters
 * and blobs, which are deleted when the test file ends.
 */
export function stackSettings(dataDir: string): Promise<Record<string, string>> {
  let settings = installations.get(dataDir);
  if (!settings) {
    settings = STACK === 'servers' ? newInstallation() : Promise.resolve({});
    installations.set(dataDir, settings);
  }
  return settings;
}

async function newInstallation(): Promise<Record<string, string>> {
  const id = `briefs_${randomUUID().replaceAll('-', '')}`;
  const settings: Record<string, string> = {};
  if (TEST_DATABASE_URL) {
    await administer(`create database ${id}`);
    settings.DATABASE_URL = withPath(TEST_DATABASE_URL, `/${id}`);
  }
  if (TEST_REDIS_URL) settings.REDIS_URL = `${TEST_REDIS_URL}?prefix=${id}:`;
  if (TEST_BLOB_URL) {
    settings.BLOB_URL = withPath(TEST_BLOB_URL, `${new URL(TEST_BLOB_URL).pathname}/${id}`);
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
      settings[name] = process.env[name] ?? '';
    }
  }
  return settings;
}

function withPath(address: string, path: string): string {
  const url = new URL(address);
  url.pathname = path;
  return url.href;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Drops the databases that this file created. */
export async function dropInstallations(): Promise<void> {
  const made = [...installations.values()];
  installations.clear();
  for (const settings of made) {
    const { DATABASE_URL } = await settings;
    if (!DATABASE_URL) continue;
    await administer(`drop database ${new URL(DATABASE_URL).pathname.slice(1)} with (force)`);
  }
}

after(dropInstallations);
