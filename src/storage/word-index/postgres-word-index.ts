import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { prepared } from '../sql/prepared.ts';
import type { Sql, Writer } from '../sql/sql.ts';
import { type DocumentWords, type WordIndex, writeWords } from './word-index.ts';

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
export function postgresWordIndex({
  read,
  transaction,
}: Pick<Sql, 'read' | 'transaction'>): WordIndex {
  return {
    async change(documents, forgotten) {
      await transaction(async (tx) => {
        if (forgotten.length > 0) await removed(tx, { ids: forgotten });
        if (documents.length === 0) return;
        await upserted(tx, {
          ids: documents.map(({ id }) => id),
          recencies: await placesOf(tx, documents),
          words: documents.map(({ words }) => words),
        });
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

const removed = prepared<{ ids: readonly string[] }, unknown>((db, parameter) => ({
  compile: () =>
    sql`delete from document_text
      where document_id = any (cast(${parameter('ids')} as text[]))`.compile(db),
}));

/** Of as many documents as there are in each. */
interface Columns {
  ids: readonly string[];
  recencies: readonly number[];
  words: readonly string[];
}

const upserted = prepared<Columns, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into document_text (document_id, recency, words)
      select id, recency, array_to_tsvector(string_to_array(words, ' '))
      from unnest(cast(${parameter('ids')} as text[]), cast(${parameter('recencies')} as bigint[]),
        cast(${parameter('words')} as text[])) as divided (id, recency, words)
      on conflict (document_id) do update
      set recency = excluded.recency, words = excluded.words`.compile(db),
}));

const placed = prepared<{ ids: readonly string[] }, { id: string; recency: number }>(
  (db, parameter) => ({
    compile: () =>
      sql<{ id: string; recency: number }>`select document_id as id, recency from document_text
        where document_id = any (cast(${parameter('ids')} as text[]))`.compile(db),
  }),
);

const taken = prepared<{ recencies: readonly number[] }, { recency: number }>((db, parameter) => ({
  compile: () =>
    sql<{ recency: number }>`select recency from document_text
      where recency = any (cast(${parameter('recencies')} as bigint[]))`.compile(db),
}));

/** Free places in the order of documents; where one has not changed, the one that it has. */
async function placesOf(db: Writer, documents: readonly DocumentWords[]): Promise<number[]> {
  const places = new Map<string, number>();
  const firstOf = ({ updatedAt }: DocumentWords) => updatedAt * PLACES_PER_MS;
  const rows = await placed(db, { ids: documents.map(({ id }) => id) });
  const current = new Map(rows.map(({ id, recency }) => [id, recency]));
  for (const document of documents) {
    const place = current.get(document.id) ?? -1;
    const first = firstOf(document);
    if (place >= first && place < first + PLACES_PER_MS) places.set(document.id, place);
  }
  // The more are taken, as after an import, the farther it looks.
  for (let spread = PLACES_PER_MS; places.size < documents.length; spread *= 2) {
    const wishes = documents
      .filter(({ id }) => !places.has(id))
      .map((document) => ({ id: document.id, recency: firstOf(document) + randomInt(spread) }));
    const found = await taken(db, { recencies: wishes.map(({ recency }) => recency) });
    const gone = new Set([...places.values(), ...found.map(({ recency }) => recency)]);
    for (const { id, recency } of wishes) {
      if (!gone.has(recency)) places.set(id, recency);
      gone.add(recency);
    }
  }
  return documents.map(({ id }) => places.get(id) as number);
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
