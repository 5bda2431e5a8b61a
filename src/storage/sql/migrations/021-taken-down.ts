import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Lets administrators of the instance take documents down, which hides them like deleted ones, but
 * keeps their names and everything that belongs to them. Stores reports of public documents, and
 * invitations to sign up.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { choose, text } = capabilitiesOf(db);
  await sql`drop view document`.execute(db);
  for (const index of CHANGED_INDEXES) await sql`drop index ${sql.ref(index)}`.execute(db);
  await choose({ sqlite: addColumnsOnSqlite, postgres: addColumnsOnPostgres })(db);
  await createIndexes(db);
  await createDocumentView(db);
  const statements = [
    sql`create table document_report (
      id ${text} primary key,
      document_id ${text} not null references stored_document (id) on delete cascade,
      kind ${text} not null,
      words ${text} not null,
      reporter_id ${text} references account (id) on delete set null,
      email ${text},
      reporter_key ${text} not null,
      created_at ${text} not null,
      mailed_at ${text},
      closed_at ${text},
      outcome ${text},
      constraint document_report_kind
        check (kind in ('spam', 'abuse', 'illegal', 'copyright', 'personal_data', 'other')),
      constraint document_report_outcome
        check (outcome in ('taken_down', 'dismissed', 'closed')),
      constraint document_report_state check ((closed_at is null) = (outcome is null))
    )`,
    sql`create unique index document_report_open on document_report (document_id, reporter_key)
      where closed_at is null`,
    sql`create index document_report_by_document_id on document_report (document_id, id)`,
    sql`create index document_report_by_closed_at on document_report (closed_at, id)`,
    sql`create index document_report_by_reporter_id on document_report (reporter_id)`,
    sql`create index document_report_by_mailed_at on document_report (mailed_at)
      where mailed_at is not null`,
    sql`create table sign_up_invitation (
      id ${text} primary key,
      token_hash ${text} not null,
      sealed_token ${text},
      email ${text},
      note ${text} not null,
      uses integer not null,
      used integer not null,
      created_by ${text} references account (id) on delete cascade,
      created_at ${text} not null,
      expires_at ${text} not null,
      constraint sign_up_invitation_token_hash unique (token_hash),
      constraint sign_up_invitation_uses check (uses > 0 and used >= 0 and used <= uses)
    )`,
    sql`create index sign_up_invitation_by_created_by on sign_up_invitation (created_by)`,
    sql`create index sign_up_invitation_by_expires_at on sign_up_invitation (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}

/**
 * Creates the view `document`: what is neither deleted nor taken down. On PostgreSQL, a view keeps its
 * columns, so a migration that adds a column to `stored_document` has to call this, too.
 */
export async function createDocumentView(db: Kysely<unknown>): Promise<void> {
  await sql`drop view if exists document`.execute(db);
  await sql`create view document as select * from stored_document
    where deleted_at is null and taken_down_at is null`.execute(db);
}

/** The indexes of lists. The index of names stays: a document that is taken down keeps its name. */
const CHANGED_INDEXES = [
  'document_by_owner_id_kind_visibility_updated_at_id',
  'document_public_by_id',
  'document_by_title',
  'document_by_owner_id_kind_visibility_id',
];

const REASON =
  'constraint document_takedown check ((taken_down_at is null) = (taken_down_reason is null))';

/**
 * Copies the table, which SQLite needs to put the columns before the content: it skips over the content
 * to read a column after it. Rows of other tables refer to it by its name.
 */
async function addColumnsOnSqlite(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ definition: string }>`select sql as definition from sqlite_schema
    where type = 'table' and name = 'stored_document'`.execute(db);
  const indexes = await sql<{ definition: string }>`select sql as definition from sqlite_schema
    where type = 'index' and tbl_name = 'stored_document' and sql is not null`.execute(db);
  const [before] = rows as [{ definition: string }];
  const after = before.definition.replace(
    /\bdeleted_at text,/,
    `deleted_at text, taken_down_at text, taken_down_reason text,`,
  );
  if (after === before.definition) throw new Error('stored_document is defined in another way.');
  const constrained = after.replace(/\)\s*(strict)?\s*$/i, (end) => `, ${REASON}${end}`);
  const named = await sql<{ name: string }>`
    select name from pragma_table_info('stored_document')`.execute(db);
  const columns = sql.join(named.rows.map(({ name }) => sql.ref(name)));
  await sql
    .raw(constrained.replace(/^create table "?\w+"?/i, 'create table redefined'))
    .execute(db);
  await sql`insert into redefined (${columns}) select ${columns} from stored_document`.execute(db);
  await sql`drop table stored_document`.execute(db);
  await sql`alter table redefined rename to stored_document`.execute(db);
  for (const { definition } of indexes.rows) await sql.raw(definition).execute(db);
}

async function addColumnsOnPostgres(db: Kysely<unknown>): Promise<void> {
  const { text } = capabilitiesOf(db);
  await sql`alter table stored_document add column taken_down_at ${text},
    add column taken_down_reason ${text}, add ${sql.raw(REASON)}`.execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const there = sql`deleted_at is null and taken_down_at is null`;
  // SQLite reads the row for a column of an index's condition, unless the index has this column.
  const hidden = capabilitiesOf(db).choose({
    sqlite: sql`, deleted_at, taken_down_at`,
    postgres: sql``,
  });
  const statements = [
    sql`create index document_by_owner_id_kind_visibility_updated_at_id on stored_document (owner_id, kind,
      visibility, updated_at, id ${hidden}) where ${there}`,
    sql`create index document_public_by_id on stored_document (id ${hidden})
      where visibility = 'public' and ${there}`,
    // Has hidden documents, too: the foreign key to their owner needs an index.
    sql`create index document_by_title on stored_document (owner_id, kind, visibility,
      lower(coalesce(title, name)), id, deleted_at, taken_down_at)`,
    sql`create index document_by_taken_down_at on stored_document (taken_down_at)
      where taken_down_at is not null`,
    sql`create index document_taken_down_by_owner_id on stored_document (owner_id, taken_down_at)
      where taken_down_at is not null`,
    // SQLite prefers the newest of several indexes that have all columns, so counts use this one.
    sql`create index document_by_owner_id_kind_visibility_id on stored_document (owner_id, kind, visibility,
      id ${hidden}) where ${there}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
