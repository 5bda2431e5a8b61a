import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { TERMS_VERSION } from '../../base/search/search-terms.ts';
import { prepared } from '../sql/prepared.ts';
import type { Sql, Writer } from '../sql/sql.ts';
import {
  type DocumentWords,
  type PageText,
  type ReadLimits,
  type WordIndex,
  writeWords,
} from './word-index.ts';

/**
 * How many recency values each millisecond has, so documents that changed in the same one differ.
 * Many values make collisions rare.
 */
export const RECENCIES_PER_MS = 4_096;

/** How many documents a search compares in one step. */
const BATCH = 128;

/**
 * Measured: comparing one document costs as much as the index costs per this many bytes of the
 * table.
 */
const BYTES_FOR_ONE = 64;

/**
 * Returns the search index in PostgreSQL: the tables `document_text` with the words and `page_text`,
 * which migrations create.
 */
export function postgresWordIndex({
  read,
  transaction,
}: Pick<Sql, 'read' | 'transaction'>): WordIndex {
  return {
    async change(documents, forgotten) {
      await transaction(async (tx) => {
        const pages = documents.flatMap(({ id, pageText }) =>
          pageText ? { id, ...pageText } : [],
        );
        const withText = new Set(pages.map(({ id }) => id));
        const ids = documents.map(({ id }) => id).filter((id) => !withText.has(id));
        await textsRemoved(tx, { ids: [...forgotten, ...ids] });
        if (pages.length > 0) await textsUpserted(tx, toColumns(pages));
        if (forgotten.length > 0) await removed(tx, { ids: forgotten });
        if (documents.length === 0) return;
        await upserted(tx, {
          ids: documents.map(({ id }) => id),
          recencies: await assignRecencies(tx, documents),
          words: documents.map(({ words }) => words),
        });
      });
    },
    async find(query, limit) {
      const words = writeWords(query, {
        quote: "'",
        prefix: ':*',
        and: ' & ',
        or: ' | ',
        andNot: ' & !',
      });
      return (await matching(read, { words, limit })).map(({ id }) => id);
    },
    async pageTexts(wanted, limits) {
      if (wanted.length === 0) return new Map();
      const texts = await currentTexts(read, { wanted: JSON.stringify(wanted), ...limits });
      return new Map(texts.map(({ id, text }) => [id, text]));
    },
    async clear() {
      await transaction((tx) => sql`truncate document_text, page_text`.execute(tx));
    },
  };
}

/**
 * Queues all documents if the index has terms of another version. Its terms can be found until they
 * are replaced. The table's comment tells the version.
 */
export async function rebuildOutdated(db: Writer): Promise<void> {
  const { rows } = await sql<{ version: string | null }>`
    select obj_description('document_text'::regclass, 'pg_class') as version`.execute(db);
  const current = `terms ${TERMS_VERSION}`;
  if (rows[0]?.version === current) return;
  await sql`insert into search_pending ("documentId", stamp, "claimedUntil")
    select id, ${randomUUID()}, '' from document
    on conflict ("documentId") do update set stamp = excluded.stamp`.execute(db);
  await sql`comment on table document_text is ${sql.lit(current)}`.execute(db);
}

const removed = prepared<{ ids: readonly string[] }, unknown>((db, parameter) => ({
  compile: () =>
    sql`delete from document_text
      where "documentId" = any (cast(${parameter('ids')} as text[]))`.compile(db),
}));

const textsRemoved = prepared<{ ids: readonly string[] }, unknown>((db, parameter) => ({
  compile: () =>
    sql`delete from page_text
      where "documentId" = any (cast(${parameter('ids')} as text[]))`.compile(db),
}));

/** The texts of several pages, in the same order. */
interface TextColumns {
  ids: readonly string[];
  sources: readonly string[];
  lengths: readonly number[];
  texts: readonly string[];
}

function toColumns(pages: readonly (PageText & { id: string })[]): TextColumns {
  return {
    ids: pages.map(({ id }) => id),
    sources: pages.map(({ source }) => source),
    lengths: pages.map(({ text }) => text.length),
    texts: pages.map(({ text }) => text),
  };
}

const textsUpserted = prepared<TextColumns, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into page_text ("documentId", source, length, text)
      select * from unnest(cast(${parameter('ids')} as text[]),
        cast(${parameter('sources')} as text[]), cast(${parameter('lengths')} as integer[]),
        cast(${parameter('texts')} as text[]))
      on conflict ("documentId") do update
      set source = excluded.source, length = excluded.length, text = excluded.text`.compile(db),
}));

const currentTexts = prepared<{ wanted: string } & ReadLimits, { id: string; text: string }>(
  (db, parameter) => ({
    compile: () =>
      sql<{ id: string; text: string }>`
        select page_text."documentId" as id, substr(page_text.text, 1,
          case when sum(length) over (order by position) <= cast(${parameter('all')} as bigint)
            then length else cast(${parameter('beginning')} as integer) end) as text
        from json_array_elements(cast(${parameter('wanted')} as json))
          with ordinality as wanted (page, position)
        join page_text on page_text."documentId" = wanted.page ->> 'id'
          and page_text.source = wanted.page ->> 'source'`.compile(db),
  }),
);

/** The values of several documents, in the same order. */
interface Columns {
  ids: readonly string[];
  recencies: readonly number[];
  words: readonly string[];
}

const upserted = prepared<Columns, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into document_text ("documentId", recency, words)
      select id, recency, array_to_tsvector(string_to_array(words, ' '))
      from unnest(cast(${parameter('ids')} as text[]), cast(${parameter('recencies')} as bigint[]),
        cast(${parameter('words')} as text[])) as divided (id, recency, words)
      on conflict ("documentId") do update
      set recency = excluded.recency, words = excluded.words`.compile(db),
}));

const currentRecencies = prepared<{ ids: readonly string[] }, { id: string; recency: number }>(
  (db, parameter) => ({
    compile: () =>
      sql<{ id: string; recency: number }>`select "documentId" as id, recency from document_text
        where "documentId" = any (cast(${parameter('ids')} as text[]))`.compile(db),
  }),
);

const takenRecencies = prepared<{ recencies: readonly number[] }, { recency: number }>(
  (db, parameter) => ({
    compile: () =>
      sql<{ recency: number }>`select recency from document_text
      where recency = any (cast(${parameter('recencies')} as bigint[]))`.compile(db),
  }),
);

/** Returns a free recency for each document; its current one if the document has not changed. */
async function assignRecencies(db: Writer, documents: readonly DocumentWords[]): Promise<number[]> {
  const recencies = new Map<string, number>();
  const firstOf = ({ updatedAt }: DocumentWords) => updatedAt * RECENCIES_PER_MS;
  const rows = await currentRecencies(db, { ids: documents.map(({ id }) => id) });
  const current = new Map(rows.map(({ id, recency }) => [id, recency]));
  for (const document of documents) {
    const recency = current.get(document.id) ?? -1;
    const first = firstOf(document);
    if (recency >= first && recency < first + RECENCIES_PER_MS) recencies.set(document.id, recency);
  }
  // Search a wider range each time, because an import may have taken most values.
  for (let spread = RECENCIES_PER_MS; recencies.size < documents.length; spread *= 2) {
    const candidates = documents
      .filter(({ id }) => !recencies.has(id))
      .map((document) => ({ id: document.id, recency: firstOf(document) + randomInt(spread) }));
    const found = await takenRecencies(db, { recencies: candidates.map(({ recency }) => recency) });
    const taken = new Set([...recencies.values(), ...found.map(({ recency }) => recency)]);
    for (const { id, recency } of candidates) {
      if (!taken.has(recency)) recencies.set(id, recency);
      taken.add(recency);
    }
  }
  return documents.map(({ id }) => recencies.get(id) as number);
}

// The index returns all matches, unordered, which is slow for a frequent word. So this first
// compares the latest documents, as long as matches are dense enough, and then falls back to the
// index. Comparing costs more the rarer the matches are; the index costs less. `apart` is the
// distance at which both cost the same (decision 005). `recency + 0` keeps the planner from walking
// the whole table by its index on recency.
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
      sql<{ id: string }>`select "documentId" as id from document_text
        where recency = any (array(select recency from (${recencies}) as worded))`.compile(db),
  };
});
