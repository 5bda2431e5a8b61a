import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { prepared } from '../sql/prepared.ts';
import type { Sql, Writer } from '../sql/sql.ts';
import { type DocumentWords, type WordIndex, writeWords } from './word-index.ts';
import type { WordThreads } from './word-threads.ts';

/**
 * How many documents that changed in the same millisecond can be told apart: two that look for a free
 * place at the same time hardly ever find the same one.
 */
export const PLACES_PER_MS = 4_096;

/** How many documents a search compares before it asks whether to go on. */
const BATCH = 128;

/** As measured: as long as to compare a document takes the index for so much of all of their rows. */
const BYTES_FOR_ONE = 64;

/** The index for searches in PostgreSQL itself: the table `document_text`. */
export function postgresWordIndex(
  { read, transaction }: Pick<Sql, 'read' | 'transaction'>,
  threads: WordThreads,
): WordIndex {
  return {
    async change(documents, forgotten) {
      const { result: divided } = await threads.run('divide', documents);
      await transaction(async (tx) => {
        for (const id of forgotten) await removed(tx, { id });
        const places = new Set<number>();
        for (const document of divided) {
          const recency = await placeOf(tx, document, places);
          places.add(recency);
          await upserted(tx, { id: document.id, recency, words: document.words });
        }
      });
    },
    async find(query, limit) {
      const words = writeWords(query, { quote: "'", prefix: ':*', and: ' & ', or: ' | ' });
      return (await matching(read, { words, limit })).map(({ id }) => id);
    },
    async clear() {
      await transaction((tx) => sql`truncate document_text`.execute(tx));
    },
  };
}

const removed = prepared<{ id: string }, unknown>((db, parameter) => ({
  compile: () => sql`delete from document_text where document_id = ${parameter('id')}`.compile(db),
}));

const upserted = prepared<{ id: string; recency: number; words: string }, unknown>(
  (db, parameter) => ({
    compile: () =>
      sql`insert into document_text (document_id, recency, words)
        values (${parameter('id')}, ${parameter('recency')},
          array_to_tsvector(string_to_array(${parameter('words')}, ' ')))
        on conflict (document_id) do update
        set recency = excluded.recency, words = excluded.words`.compile(db),
  }),
);

const taken = prepared<{ documentId: string; recency: number }, { recency: number }>(
  (db, parameter) => ({
    compile: () =>
      sql<{ recency: number }>`select recency from document_text
        where document_id = ${parameter('documentId')} or recency = ${parameter('recency')}`.compile(
        db,
      ),
  }),
);

/**
 * A free place in the order of documents: the one it has, where it has not changed.
 *
 * @param given places that others are about to take
 */
async function placeOf(
  db: Writer,
  { id, updatedAt }: DocumentWords,
  given: ReadonlySet<number>,
): Promise<number> {
  const first = updatedAt * PLACES_PER_MS;
  const [current] = await taken(db, { documentId: id, recency: -1 });
  if (current && current.recency >= first && current.recency < first + PLACES_PER_MS) {
    return current.recency;
  }
  // The more are taken, as after an import, the farther it looks.
  for (let places = PLACES_PER_MS; ; places *= 2) {
    const recency = first + randomInt(places);
    if (given.has(recency)) continue;
    if ((await taken(db, { documentId: '', recency })).length === 0) return recency;
  }
}

// The index gives all matches, in no order, however few are wanted: too many of a frequent word. So
// the latest documents are compared first, as long as matches are close enough to one another; where
// they are not, the index is asked. To compare takes the longer the farther apart they are, the index
// the shorter, and where both take as long is what `apart` says (decision 012). What the index gives
// is not sorted by the column itself, which would be a way to compare all documents there are.
const matching = prepared<{ words: string; limit: number }, { id: string }>((db, parameter) => {
  const limit = parameter('limit');
  const matches = sql`words @@ cast(${parameter('words')} as tsquery)`;
  const batch = sql`
    select recency, words from document_text where recency < walk.last
    order by recency desc limit ${sql.lit(BATCH)}`;
  const next = sql`
    select count(*) as compared, min(recency) as last,
      array_agg(recency order by recency desc) filter (where matches) as found
    from (select recency, ${matches} as matches from (${batch}) as batch) as compared
    having count(*) > 0`;
  const apart = sql`
    select sqrt(pg_relation_size('document_text') / ${sql.lit(BYTES_FOR_ONE)}.0 / ${limit})`;
  const recencies = sql`
    with recursive walk as (
      select cast(0 as bigint) as compared, 9223372036854775807 as last,
        cast('{}' as bigint[]) as found
      union all
      select walk.compared + next.compared, next.last, walk.found || next.found
      from walk cross join lateral (${next}) as next
      where cardinality(walk.found) < ${limit}
        and walk.compared <= (cardinality(walk.found) + 1) * (${apart})
    ),
    enough as (
      select found[:${limit}] as recencies from walk where cardinality(found) >= ${limit}
    )
    select unnest(recencies) as recency from enough
    union all
    (
      select recency from document_text where ${matches} and not exists (select from enough)
      order by recency + 0 desc limit ${limit}
    )`;
  return {
    compile: () =>
      sql<{ id: string }>`select document_id as id from document_text
        where recency = any (array(select recency from (${recencies}) as worded))`.compile(db),
  };
});
