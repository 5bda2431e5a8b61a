import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { prepared } from './prepared.ts';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL do differently, by what it is for. Nothing else asks which is which. */
export interface Capabilities {
  /** The type of text that is compared byte by byte, so that ids and times sort as they should. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
  /** Ends the definition of a table whose rows are small, and are to be kept with its key. */
  keptWithKey: RawBuilder<unknown>;
  /**
   * Whether transactions run beside one another, so that one that reads in order to write has to
   * lock. Where not, each has the whole database for itself.
   */
  concurrentTransactions: boolean;
  /** Makes other processes that migrate wait until the transaction ends. */
  lockMigrations(db: Kysely<Tables>): Promise<void>;
  /**
   * Whether an id is among those of a subquery that refers to the tables before it, so that the ids
   * are looked up one by one.
   */
  isAmong(id: RawBuilder<string>, subquery: RawBuilder<unknown>): RawBuilder<boolean>;
  /** Makes the index over the words of `document_text`, which lasts as long as its rows do. */
  createWordIndex(db: Kysely<unknown>): Promise<void>;
  /** Puts documents' words in place of those they had. */
  indexWords(db: Kysely<Tables>, documents: readonly DocumentWords[]): Promise<void>;
  /**
   * The `recency` of documents with such words, the greatest first.
   *
   * @param query as {@link writeWordQuery} gives it
   */
  matchingWords(query: RawBuilder<string>, limit: RawBuilder<number>): RawBuilder<unknown>;
  /** A query for words as this database wants it. */
  writeWordQuery(query: WordQuery): string;
  /**
   * The indexed words that begin so, where a query that names them takes less than one for the
   * beginning; `undefined` where it takes more, or where they are too many.
   */
  listBeginningWith(db: Kysely<Tables>, beginning: string): Promise<string[] | undefined>;
  /**
   * How many documents of one millisecond can have a `recency` of it. The fewer, the closer numbers are
   * to one another, and the less an index takes that is made of their differences.
   */
  placesPerMs: number;
}

/** What is to be indexed of a document. */
export interface DocumentWords {
  id: string;
  /** Nobody else's. */
  recency: number;
  /** Separated by spaces. */
  words: string;
}

/** Words of letters and digits; where a word is a prefix, whatever begins with it. */
export type WordQuery =
  | { word: string; prefix?: boolean }
  | { all: readonly WordQuery[] }
  | { any: readonly WordQuery[] };

/** "Brfs" in ASCII: tells this lock from other programs' in the same database. */
const MIGRATION_LOCK = 0x42726673;

const insertedPlace = prepared<DocumentWords, unknown>((db, parameter) =>
  db
    .insertInto('document_text')
    .values({ document_id: parameter('id'), recency: parameter('recency') }),
);

/** More than are ever written in a millisecond for long: where all are taken, the order suffers. */
const SQLITE_PLACES_PER_MS = 16;

/**
 * Rows of SQLite's index are numbered from here backwards, so that the latest documents come first: it goes
 * through its numbers far faster than back. It stands for a time in 2109.
 */
export const LAST_RECENCY = 2 ** 42 * SQLITE_PLACES_PER_MS;

const insertedWords = prepared<DocumentWords, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into document_words (rowid, words)
      values (${sql.lit(LAST_RECENCY)} - ${parameter('recency')}, ${parameter('words')})`.compile(
      db,
    ),
}));

/** The lengths of beginnings that SQLite has an index for, in letters, a term's first included. */
const INDEXED_BEGINNINGS = [3, 4, 5];

/** More words that begin alike are not named. */
const MOST_NAMED = 32;

/** In the order of UTF-8, which is the index's, before and after all that words are made of. */
const FIRST_CHARACTER = '\u{1}';
const LAST_CHARACTER = '\u{10ffff}';

// It has a row for each document that has the word, and comes to the first without reading the others.
const wordFrom = prepared<{ from: string; end: string }, { term: string }>((db, parameter) => ({
  compile: () =>
    sql<{ term: string }>`select term from document_words_term
      where term >= ${parameter('from')} and term < ${parameter('end')} limit 1`.compile(db),
}));

const SQLITE: Capabilities = {
  text: sql`text`,
  bytes: sql`blob`,
  // Each write has one page less to bring to the disk.
  keptWithKey: sql`without rowid`,
  concurrentTransactions: false,
  // A writing transaction has the whole database for itself.
  async lockMigrations() {},
  isAmong: (id, subquery) => sql`${id} in (${subquery})`,
  // It keeps no text and no places in it, and takes apart at spaces what words are not made of.
  async createWordIndex(db) {
    await sql`create virtual table document_words using fts5 (words, content = '',
      contentless_delete = 1, detail = none, tokenize = 'ascii',
      prefix = '${sql.raw(INDEXED_BEGINNINGS.join(' '))}')`.execute(db);
    await sql`create virtual table document_words_term
      using fts5vocab (document_words, instance)`.execute(db);
    await sql`create trigger document_text_deleted after delete on document_text begin
      delete from document_words where rowid = ${sql.lit(LAST_RECENCY)} - old.recency; end`.execute(
      db,
    );
  },
  // It collects words in memory, and writes them out when it is told to delete, or of a row that
  // comes before the last one: one document at a time that takes twice as long.
  async indexWords(db, documents) {
    const ids = documents.map(({ id }) => id);
    await db.deleteFrom('document_text').where('document_id', 'in', ids).execute();
    for (const document of documents.toSorted((a, b) => b.recency - a.recency)) {
      await insertedPlace(db, document);
      await insertedWords(db, document);
    }
  },
  matchingWords: (query, limit) => sql`
    select ${sql.lit(LAST_RECENCY)} - rowid as recency from document_words
    where document_words match ${query} order by rowid limit ${limit}`,
  writeWordQuery: (query) =>
    writeWords(query, { quote: '"', prefix: '*', and: ' AND ', or: ' OR ' }),
  // For a beginning that it has no index for it collects all documents with any word that begins so,
  // however few are wanted. Those with words that are named are read from the latest on.
  async listBeginningWith(db, beginning) {
    if (INDEXED_BEGINNINGS.includes([...beginning].length)) return undefined;
    const found: string[] = [];
    const end = beginning + LAST_CHARACTER;
    for (let from = beginning; ; ) {
      const [next] = await wordFrom(db, { from, end });
      if (!next) return found;
      if (found.length === MOST_NAMED) return undefined;
      found.push(next.term);
      from = next.term + FIRST_CHARACTER;
    }
  },
  placesPerMs: SQLITE_PLACES_PER_MS,
};

/** How many documents a search on PostgreSQL compares before it asks whether to go on. */
const BATCH = 128;

/** As measured: as long as to compare a document takes the index for so much of all of their rows. */
const BYTES_FOR_ONE = 64;

const upsertedWords = prepared<DocumentWords, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into document_text (document_id, recency, words)
      values (${parameter('id')}, ${parameter('recency')},
        array_to_tsvector(string_to_array(${parameter('words')}, ' ')))
      on conflict (document_id) do update
      set recency = excluded.recency, words = excluded.words`.compile(db),
}));

const POSTGRES: Capabilities = {
  text: sql`text collate "C"`,
  bytes: sql`bytea`,
  keptWithKey: sql``,
  concurrentTransactions: true,
  async lockMigrations(db) {
    // Ends with the transaction, so it works through a pooler that shares sessions, too.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  },
  isAmong: (id, subquery) => sql`${id} = any (array(${subquery}))`,
  async createWordIndex(db) {
    await sql`alter table document_text add column words tsvector not null default ''`.execute(db);
    await sql`create index document_text_by_words on document_text using gin (words)`.execute(db);
  },
  async indexWords(db, documents) {
    for (const document of documents) await upsertedWords(db, document);
  },
  // The index gives all matches, in no order, however few are wanted: too many of a frequent word. So
  // the latest documents are compared first, as long as matches are close enough to one another; where
  // they are not, the index is asked. To compare takes the longer the farther apart they are, the index
  // the shorter, and where both take as long is what `apart` says (decision 012). What the index gives
  // is not sorted by the column itself, which would be a way to compare all documents there are.
  matchingWords(query, limit) {
    const matches = sql`words @@ cast(${query} as tsquery)`;
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
    return sql`
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
  },
  writeWordQuery: (query) => writeWords(query, { quote: "'", prefix: ':*', and: ' & ', or: ' | ' }),
  listBeginningWith: async () => undefined,
  // Two that look for a free place at the same time hardly ever find the same one.
  placesPerMs: 4_096,
};

/** Words hold nothing that would have to be escaped. */
function writeWords(
  query: WordQuery,
  syntax: Record<'quote' | 'prefix' | 'and' | 'or', string>,
): string {
  if ('word' in query) {
    return syntax.quote + query.word + syntax.quote + (query.prefix ? syntax.prefix : '');
  }
  const [parts, operator] = 'all' in query ? [query.all, syntax.and] : [query.any, syntax.or];
  return `(${parts.map((part) => writeWords(part, syntax)).join(operator)})`;
}

/** What the database behind a handle can do. */
export function capabilitiesOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Capabilities {
  return db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE;
}
