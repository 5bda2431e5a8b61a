import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { capabilitiesOf } from './dialect.ts';
import * as initial from './migrations/001-initial.ts';
import * as documentBlocks from './migrations/002-document-blocks.ts';
import * as tokenScopes from './migrations/003-token-scopes.ts';
import * as signIn from './migrations/004-sign-in.ts';
import * as authorization from './migrations/005-authorization.ts';
import * as search from './migrations/006-search.ts';
import * as earlyDatabases from './migrations/008-early-databases.ts';
import * as releasedNamespaces from './migrations/009-released-namespaces.ts';
import * as revisions from './migrations/010-revisions.ts';
import * as seen from './migrations/013-seen.ts';
import * as requestKeys from './migrations/014-request-keys.ts';
import { compareSchema } from './schema-check.ts';
import type { Tables } from './tables.ts';

/**
 * Every migration, in order. Forward only: an older version is reached by restoring a backup. A
 * migration that has shipped never changes (test/storage/schema-changes.test.ts): a database that it
 * has run on would keep the old form.
 */
const MIGRATIONS: Record<string, Migration> = {
  '001-initial': initial,
  '002-document-blocks': documentBlocks,
  '003-token-scopes': tokenScopes,
  '004-sign-in': signIn,
  '005-authorization': authorization,
  '006-search': search,
  '008-early-databases': earlyDatabases,
  '009-released-namespaces': releasedNamespaces,
  '010-revisions': revisions,
  '014-request-keys': requestKeys,
  '013-seen': seen,
};

/**
 * Brings the schema up to date: all of what is missing or nothing, and once however many processes
 * start together. Foreign keys must be off on SQLite, as some migrations copy tables.
 *
 * @returns how the schema differs from what this version creates, in one sentence; `undefined` where
 *   it does not
 * @throws Error when the database has migrations that this code does not know
 */
export async function migrate(db: Kysely<Tables>): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    await capabilitiesOf(tx).lockMigrations(tx);
    requireKnown(await appliedMigrations(tx));
    const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => MIGRATIONS } });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
    return compareSchema(tx);
  });
}

/** @throws Error when there are migrations among these that this code does not know */
export function requireKnown(names: string[]): void {
  const unknown = names.filter((name) => !(name in MIGRATIONS));
  if (unknown.length === 0) return;
  throw new Error(
    `The database is newer than this version of Briefs (it has ${unknown.join(', ')}). ` +
      'Run a newer version, or restore a backup made before the upgrade.',
  );
}

async function appliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return rows.map((row) => row.name);
}
