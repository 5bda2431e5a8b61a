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
import * as trash from './migrations/011-trash.ts';
import * as seen from './migrations/013-seen.ts';
import * as requestKeys from './migrations/014-request-keys.ts';
import * as documentAliases from './migrations/015-document-aliases.ts';
import * as feed from './migrations/016-feed.ts';
import * as review from './migrations/017-review.ts';
import * as webhooks from './migrations/018-webhooks.ts';
import * as mail from './migrations/019-mail.ts';
import * as threadElement from './migrations/020-thread-element.ts';
import * as publicDocuments from './migrations/021-public-documents.ts';
import * as briefTitles from './migrations/022-brief-titles.ts';
import * as documentLinks from './migrations/023-document-links.ts';
import * as proposals from './migrations/024-proposals.ts';
import * as verifiedEmail from './migrations/025-verified-email.ts';
import * as profiles from './migrations/026-profiles.ts';
import * as labels from './migrations/027-labels.ts';
import * as typingErrors from './migrations/028-typing-errors.ts';
import * as editing from './migrations/029-editing.ts';
import * as emailInvitations from './migrations/030-email-invitations.ts';
import * as uploadTickets from './migrations/031-upload-tickets.ts';
import * as labelLists from './migrations/032-label-lists.ts';
import * as trust from './migrations/033-trust.ts';
import * as offersLeftBehind from './migrations/034-offers-left-behind.ts';
import * as pageText from './migrations/035-page-text.ts';
import * as securityNotices from './migrations/036-security-notices.ts';
import * as noDocumentBlocks from './migrations/037-no-document-blocks.ts';
import { compareSchema } from './schema-check.ts';
import type { Tables } from './tables.ts';

/**
 * All migrations, which run in the order of their names. Only restoring a backup undoes them. A
 * released migration never changes (test/storage/schema-changes.test.ts), because databases that
 * ran it would keep the old schema.
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
  '011-trash': trash,
  '014-request-keys': requestKeys,
  '013-seen': seen,
  '015-document-aliases': documentAliases,
  '016-feed': feed,
  '017-review': review,
  '018-webhooks': webhooks,
  '019-mail': mail,
  '020-thread-element': threadElement,
  '021-public-documents': publicDocuments,
  '022-brief-titles': briefTitles,
  '023-document-links': documentLinks,
  '024-proposals': proposals,
  '025-verified-email': verifiedEmail,
  '026-profiles': profiles,
  '027-labels': labels,
  '028-typing-errors': typingErrors,
  '029-editing': editing,
  '030-email-invitations': emailInvitations,
  '031-upload-tickets': uploadTickets,
  '032-label-lists': labelLists,
  '033-trust': trust,
  '034-offers-left-behind': offersLeftBehind,
  '035-page-text': pageText,
  '036-security-notices': securityNotices,
  '037-no-document-blocks': noDocumentBlocks,
};

/**
 * Runs all missing migrations in one transaction, once even if several processes start together.
 * Foreign keys must be off on SQLite, because some migrations copy tables.
 *
 * @returns a sentence that says how the schema differs from what this version creates, or
 *   `undefined`
 * @throws Error if the database has migrations that this code does not know
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

/** @throws Error if this code does not know one of these migrations */
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
