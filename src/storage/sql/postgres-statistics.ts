import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** How many transactions this process commits before it first looks: so few that no plan is slow yet. */
const FIRST_LOOK = 64;

/**
 * Has a database that has just been made look at what is in it as soon as there is something.
 *
 * PostgreSQL plans a prepared statement for what it knows to be in the tables, and again when it knows better.
 * It looks once a minute; till then a new database is asked as if it were empty, where any index is as good as
 * another, and reading one of ten thousand documents was seen to take four times as long.
 *
 * @returns to be called when this process has committed a transaction
 */
export function lookEarly(db: Kysely<Tables>): () => void {
  let commits = 0;
  let lookAt = FIRST_LOOK;
  return () => {
    commits += 1;
    if (commits < lookAt) return;
    lookAt *= 2;
    // It comes to it by itself later, so whatever keeps us from it does not matter.
    lookAtDocuments(db).catch(() => {});
  };
}

async function lookAtDocuments(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ known: number }>`
    select reltuples as known from pg_class where oid = ${'document'}::regclass
  `.execute(db);
  // Of a table that was empty when it was looked at, no more is known than of one that was not.
  if (rows[0] && rows[0].known > 0) return;
  await sql`
    analyze document, document_block, owner, account, access_token,
      organization, membership, collaborator, rendition
  `.execute(db);
}
