import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { prepared } from './prepared.ts';
import type { Tables } from './tables.ts';

/** What SQLite and PostgreSQL do differently, by what it is for. Nothing else asks which is which. */
export interface Capabilities {
  /** The type of text that is compared byte by byte, so that ids and times sort as they should. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
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

const insertedWords = prepared<DocumentWords, unknown>((db, parameter) => ({
  compile: () =>
    sql`insert into document_words (rowid, words)
      values (${parameter('recency')}, ${parameter('words')})`.compile(db),
}));

const SQLITE: Capabilities = {
  text: sql`text`,
  bytes: sql`blob`,
  concurrentTransactions: false,
  // A writing transaction has the whole database for itself.
  async lockMigrations() {},
  isAmong: (id, subquery) => sql`${id} in (${subquery})`,
  // It keeps no text and no places in it, and takes apart at spaces what words are not made of. For
  // beginnings of three to five letters, a term's first among them, it has an index: of others it
  // collects all documents with any word that begins so, however few are wanted.
  async createWordIndex(db) {
    await sql`create virtual table document_words using fts5 (words, content = '',
      contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '3 4 5')`.execute(db);
    await sql`create trigger document_text_deleted after delete on document_text begin
      delete from document_words where rowid = old.recency; end`.execute(db);
  },
  // It collects words in memory, and writes them out when it is told to delete, or of a row that
  // comes before the last one: one document at a time that takes twice as long.
  async indexWords(db, documents) {
    const ids = documents.map(({ id }) => id);
    await db.deleteFrom('document_text').where('document_id', 'in', ids).execute();
    for (const document of documents.toSorted((a, b) => a.recency - b.recency)) {
      await insertedPlace(db, document);
      await insertedWords(db, document);
    }
  },
  matchingWords: (query, limit) => sql`select rowid as recency from document_words
    where document_words match ${query} order by rowid desc limit ${limit}`,
  writeWordQuery: (query) =>
    writeWords(query, { quote: '"', prefix: '*', and: ' AND ', or: ' OR ' }),
};

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
  concurrentTransactions: true,
  async lockMigrations(db) {
    // Ends with the transaction, so it works through a pooler that shares sessions, too.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
  },
  isAmong: (id, subquery) => sql`${id} = any (array(${subquery}))`,
  async createWordIndex(db) {
    await sql`alter table document_text add column words tsvector not null default ''`.execute(db);
    // Apart from their rows, which a search for a frequent word reads all.
    await sql`alter table document_text set (toast_tuple_target = 128)`.execute(db);
    await sql`create index document_text_by_words on document_text using gin (words)`.execute(db);
  },
  async indexWords(db, documents) {
    for (const document of documents) await upsertedWords(db, document);
  },
  // Not the column itself: walking along its index would read every document's words to find a few.
  matchingWords: (query, limit) => sql`select recency from document_text
    where words @@ cast(${query} as tsquery) order by recency + 0 desc limit ${limit}`,
  writeWordQuery: (query) => writeWords(query, { quote: "'", prefix: ':*', and: ' & ', or: ' | ' }),
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
