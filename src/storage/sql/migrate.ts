import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ConfigError } from '../../base/config-error.ts';
import { capabilitiesOf } from './dialect.ts';
import * as schema from './migrations/001-schema.ts';
import * as appointedReviewers from './migrations/002-appointed-reviewers.ts';
import * as noDocumentBlocks from './migrations/003-no-document-blocks.ts';
import * as deletedAt from './migrations/004-deleted-at.ts';
import * as oneInvitation from './migrations/005-one-invitation.ts';
import * as sharedAddresses from './migrations/006-shared-addresses.ts';
import * as references from './migrations/007-references.ts';
import * as disabledOwners from './migrations/008-disabled-owners.ts';
import * as answeredRequests from './migrations/009-answered-requests.ts';
import * as sessionSubscriptions from './migrations/010-session-subscriptions.ts';
import * as liveEditing from './migrations/012-live-editing.ts';
import * as presence from './migrations/013-presence.ts';
import * as authorship from './migrations/014-authorship.ts';
import * as links from './migrations/015-links.ts';
import * as inboxLater from './migrations/016-inbox-later.ts';
import * as suggestionSets from './migrations/017-suggestion-sets.ts';
import * as adminsAndAudit from './migrations/018-admins-and-audit.ts';
import * as administration from './migrations/019-administration.ts';
import * as secondFactor from './migrations/020-second-factor.ts';
import * as takenDown from './migrations/021-taken-down.ts';
import * as auditAndQuotas from './migrations/022-audit-and-quotas.ts';
import * as policies from './migrations/023-policies.ts';
import * as instanceState from './migrations/024-instance-state.ts';
import * as programs from './migrations/025-programs.ts';
import * as liveClients from './migrations/026-live-clients.ts';
import * as aroundSuggestions from './migrations/027-around-suggestions.ts';
import * as threadWriters from './migrations/028-thread-writers.ts';
import * as invitedByPerson from './migrations/029-invited-by-person.ts';
import type { Tables } from './tables.ts';

/**
 * All migrations, which run in the order of their names. Only restoring a backup undoes them. A
 * released migration never changes (src/storage/sql/schema-changes.test.ts), because databases that
 * ran it would keep the old schema.
 */
const MIGRATIONS: Record<string, Migration> = {
  '001-schema': schema,
  '002-appointed-reviewers': appointedReviewers,
  '003-no-document-blocks': noDocumentBlocks,
  '004-deleted-at': deletedAt,
  '005-one-invitation': oneInvitation,
  '006-shared-addresses': sharedAddresses,
  '007-references': references,
  '008-disabled-owners': disabledOwners,
  '009-answered-requests': answeredRequests,
  '010-session-subscriptions': sessionSubscriptions,
  '012-live-editing': liveEditing,
  '013-presence': presence,
  '014-authorship': authorship,
  '015-links': links,
  '016-inbox-later': inboxLater,
  '017-suggestion-sets': suggestionSets,
  '018-admins-and-audit': adminsAndAudit,
  '019-administration': administration,
  '020-second-factor': secondFactor,
  '021-taken-down': takenDown,
  '022-audit-and-quotas': auditAndQuotas,
  '023-policies': policies,
  '024-instance-state': instanceState,
  '025-programs': programs,
  '026-live-clients': liveClients,
  '027-around-suggestions': aroundSuggestions,
  '028-thread-writers': threadWriters,
  '029-invited-by-person': invitedByPerson,
};

/** The migrations that together created what `001-schema` creates. Nothing was released with them. */
export const BEFORE_001_SCHEMA = [
  '001-initial',
  '002-document-blocks',
  '003-token-scopes',
  '004-sign-in',
  '005-authorization',
  '006-search',
  '008-early-databases',
  '009-released-namespaces',
  '010-revisions',
  '011-trash',
  '013-seen',
  '014-request-keys',
  '015-document-aliases',
  '016-feed',
  '017-review',
  '018-webhooks',
  '019-mail',
  '020-thread-element',
  '021-public-documents',
  '022-brief-titles',
  '023-document-links',
  '024-proposals',
  '025-verified-email',
  '026-profiles',
  '027-labels',
  '028-typing-errors',
  '029-editing',
  '030-email-invitations',
  '031-upload-tickets',
  '032-label-lists',
  '033-trust',
  '034-offers-left-behind',
  '035-page-text',
  '036-security-notices',
];

/**
 * Runs all missing migrations in one transaction, once even if several processes start together.
 * Foreign keys must be off on SQLite, because a migration may copy tables. A database of the last
 * version before `001-schema` is taken over: it has that schema.
 *
 * @throws ConfigError if the database has migrations that this code does not know, or is older than that
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

/** Returns the names of this version's migrations, in their order. */
export function knownMigrations(): string[] {
  return Object.keys(MIGRATIONS).sort();
}

/** Returns those of the names that are no migrations of this version. */
export function unknownMigrations(names: readonly string[]): string[] {
  return names.filter((name) => !(name in MIGRATIONS));
}

/**
 * Takes over a database of the last version before `001-schema`.
 *
 * @throws ConfigError if the database has migrations that this code does not know, or is older than that
 */
export async function checkLedger(tx: Kysely<Tables>): Promise<void> {
  await takeOver(tx);
  const unknown = unknownMigrations(await appliedMigrations(tx));
  if (unknown.length === 0) return;
  throw new ConfigError(
    `The database is newer than this version of Briefs (it has ${unknown.join(', ')}). ` +
      'Run a newer version, or restore a backup made before the upgrade.',
  );
}

/** Records `001-schema` in place of the migrations that it replaces. */
async function takeOver(db: Kysely<Tables>): Promise<void> {
  const applied = new Set(await appliedMigrations(db));
  if (!BEFORE_001_SCHEMA.some((name) => applied.has(name))) return;
  const missing = BEFORE_001_SCHEMA.filter((name) => !applied.has(name));
  if (missing.length > 0) {
    throw new ConfigError(
      `The database is too old for this version of Briefs (it lacks ${missing.join(', ')}). ` +
        'Start it once with the last version before 001-schema, commit c6bc5e22, then with this one.',
    );
  }
  const ledger = db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
  await ledger.deleteFrom('kysely_migration').where('name', 'in', BEFORE_001_SCHEMA).execute();
  await ledger
    .insertInto('kysely_migration')
    .values({ name: '001-schema', timestamp: new Date().toISOString() })
    .execute();
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
