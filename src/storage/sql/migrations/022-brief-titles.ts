import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from '../dialect.ts';

/**
 * Briefs store their titles, as pages do. Those that begin with a plain heading get theirs here, all
 * others with their next save. Their entries in the search index are made again, with the titles.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { choose } = capabilitiesOf(db);
  const line = choose({
    sqlite: sql`rtrim(substr(content, 1, instr(content || char(10), char(10)) - 1), char(13))`,
    postgres: sql`rtrim(split_part(content, chr(10), 1), chr(13))`,
  });
  // Characters that can be markup. A bracket comes first in a set.
  const hasMarkup = choose({
    sqlite: sql.raw("title glob '*[][\\*_`<>&!$~^#%@/|]*'"),
    postgres: sql.raw("title ~ '[][\\\\*_`<>&!$~^#%@/|]'"),
  });
  for (const table of ['document', 'trashed_document']) {
    const briefs = sql`${sql.table(table)} set title`;
    await sql`update ${briefs} = trim(substr(${line}, 3))
      where kind = 'brief' and substr(content, 1, 2) = '# '`.execute(db);
    await sql`update ${briefs} = null
      where kind = 'brief' and title is not null
        and (length(title) not between 1 and 200 or ${hasMarkup})`.execute(db);
  }
  await sql`insert into search_pending (document_id, stamp, claimed_until)
    select id, '', '' from document where kind = 'brief' and title is not null
    on conflict do nothing`.execute(db);
}
