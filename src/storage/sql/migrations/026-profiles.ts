import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Adds what users and organizations say about themselves. An owner without a row says nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, bytes } = capabilitiesOf(db);
  await db.schema
    .createTable('profile')
    .addColumn('owner_id', text, (column) =>
      column.primaryKey().references('owner.id').onDelete('cascade'),
    )
    .addColumn('display_name', text)
    .addColumn('summary', text)
    .addColumn('picture_type', text)
    .addColumn('picture_hash', text)
    .addColumn('picture_bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('picture', bytes)
    .addCheckConstraint(
      'profile_picture',
      sql`(picture is null) = (picture_type is null) and (picture is null) = (picture_hash is null)
        and (picture is null) = (picture_bytes = 0)`,
    )
    .addCheckConstraint(
      'profile_picture_type',
      sql`picture_type in ('image/png', 'image/jpeg', 'image/webp')`,
    )
    .execute();
}
