import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ConfigError } from '../../base/config-error.ts';
import { capabilitiesOf } from './dialect.ts';
import * as tables from './migrations/001-tables.ts';
import type { Tables } from './tables.ts';

/**
 * All migrations, which run in the order of their names. Only restoring a backup undoes them. A
 * released migration never changes (src/storage/sql/schema-changes.test.ts), because databases that
 * ran it would keep the old schema.
 */
const MIGRATIONS: Record<string, Migration> = { '001-tables': tables };

/**
 * Runs all missing migrations in one transaction, once even if several processes start together.
 * Foreign keys must be off on SQLite, because a migration may copy tables.
 *
 * @throws ConfigError if the database has migrations that this code does not know
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await capabilitiesOf(tx).lockMigrations(tx);
    await checkLedger(tx);
    await runMigrations(tx);
  });
}

/**
 * Runs missing migrations in a transaction.
 *
 * @param last the last one to run; all if `undefined`
 */
export async function runMigrations(tx: Kysely<Tables>, last?: string): Promise<void> {
  const migrator = new Migrator({ db: tx, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await (last ? migrator.migrateTo(last) : migrator.migrateToLatest());
  if (error) throw error;
}

/**
 * Checks that a database needs no migration.
 *
 * @throws ConfigError if it needs one, or has migrations that this code does not know
 */
export async function requireMigrated(db: Kysely<Tables>): Promise<void> {
  const applied = await appliedMigrations(db);
  refuseUnknown(applied);
  if (knownMigrations().every((name) => applied.includes(name))) return;
  throw new ConfigError(
    'DATA_DIR: The disk is full, so the database cannot be created or upgraded. Make room.',
  );
}

/** Returns the names of this version's migrations, in their order. */
export function knownMigrations(): string[] {
  return Object.keys(MIGRATIONS).sort();
}

/** Returns those of the names that are no migrations of this version. */
export function unknownMigrations(names: readonly string[]): string[] {
  return names.filter((name) => !(name in MIGRATIONS));
}

/** @throws ConfigError if the database has migrations that this code does not know */
export async function checkLedger(tx: Kysely<Tables>): Promise<void> {
  refuseUnknown(await appliedMigrations(tx));
}

function refuseUnknown(applied: readonly string[]): void {
  const unknown = unknownMigrations(applied);
  if (unknown.length === 0) return;
  throw new ConfigError(
    `The database is of another version of Briefs (it has ${unknown.join(', ')}): run a newer one, or ` +
      'restore a backup made before the upgrade. Data from before 1.0.0 cannot be read.',
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
