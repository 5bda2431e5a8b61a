import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/** Keeps every protected document that was public at an address, not only one of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, keptWithKey } = capabilitiesOf(db);
  const statements = [
    sql`alter table protected_address rename to former_address`,
    sql`create table protected_address (
      owner_id ${text} not null references owner (id) on delete cascade,
      kind ${text} not null,
      name ${text} not null,
      document_id ${text} not null,
      two_people integer not null,
      constraint protected_address_of_document primary key (owner_id, kind, name, document_id)
    ) ${keptWithKey}`,
    sql`insert into protected_address (owner_id, kind, name, document_id, two_people)
      select owner_id, kind, name, document_id, two_people from former_address`,
    sql`drop table former_address`,
  ];
  for (const statement of statements) await statement.execute(db);
}
