import { randomInt } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BackEndUnavailable, DiskFull } from '../../base/errors.ts';
import { TERMS_VERSION } from '../../base/search/search-terms.ts';
import { isDamage } from '../disk-failure.ts';
import { numberIn, openSqliteFile } from '../sql/sqlite-file.ts';
import {
  type DocumentWords,
  type ReadLimits,
  type WantedText,
  type WordQuery,
  writeWords,
} from './word-index.ts';

/** The version of the tables below and of what is in them. A file of another format is rebuilt. */
const FORMAT = 1 + TERMS_VERSION;

/** A file's id is its format times this, plus a random number. */
const FILES_OF_A_FORMAT = 2 ** 24;

/**
 * Documents are numbered backwards from here, a time in 2109, so the latest come first. The index
 * reads much faster forwards than backwards.
 */
const LAST_MS = 2 ** 42;

/**
 * How many numbers each millisecond has. If all are taken, the order is inexact. Fewer numbers make
 * the index smaller, because it stores their differences.
 */
const NUMBERS_PER_MS = 16;

/** How many numbers of a range are tried before a wider range, which makes the order less exact. */
const TRIES_PER_RANGE = 8;

/** The prefix lengths, in letters, that have an index. */
const INDEXED_PREFIXES = [3, 4, 5];

/** A prefix that more words than this begin with is not expanded. */
const MAX_EXPANDED = 32;

/** Sort before and after all characters of words, in UTF-8 order like the index. */
const FIRST_CHARACTER = '\u{1}';
const LAST_CHARACTER = '\u{10ffff}';

// The index itself stores neither texts nor positions in them. Its tokenizer splits at spaces.
const TABLES = `
  create table page_text ("documentId" text primary key, source text not null,
    length integer not null, text text not null);
  create table place (number integer primary key, "documentId" text not null unique);
  create virtual table word using fts5 (words, content = '', contentless_delete = 1, detail = none,
    tokenize = 'ascii', prefix = '${INDEXED_PREFIXES.join(' ')}');
  create virtual table occurrence using fts5vocab (word, instance);`;

/** The search index of the embedded database: a file that one thread at a time writes. */
export class SqliteWordFile {
  readonly #path: string;
  readonly #inode: number;
  readonly #file: number;
  readonly #database: DatabaseSync;
  /** Because the disk was full. */
  readonly #isReadOnly: boolean = false;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * @param file the id that {@link createWordFile} returned
   * @throws BackEndUnavailable if the file is missing or has another id or format
   */
  constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
    try {
      this.#database = openSqliteFile(path, { mustExist: true });
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
      this.#database = openSqliteFile(path, { readOnly: true, noRoom: true });
      this.#isReadOnly = true;
    }
    this.#inode = statSync(path).ino;
    if (formatOf(file) === FORMAT && numberIn(this.#database, 'user_version') === file) return;
    this.#database.close();
    throw new BackEndUnavailable('it belongs to another database');
  }

  /** Tells whether this open file is still the one at `path` with that id, and open for writing. */
  isCurrent(path: string, file: number): boolean {
    if (this.#isReadOnly) return false;
    const found = statSync(path, { throwIfNoEntry: false });
    return path === this.#path && file === this.#file && found?.ino === this.#inode;
  }

  /** @see WordIndex.change */
  change(documents: readonly DocumentWords[], forgotten: readonly string[]): void {
    this.#inTransaction(() => {
      for (const id of forgotten) this.#forget(id);
      // Delete first, then insert in order. The index buffers words in memory and flushes them on a
      // delete or an out-of-order insert, so one document at a time takes twice as long.
      const had = documents.map(({ id }) => this.#forget(id));
      const numbered = documents.map((document, index) => ({
        number: this.#place(document, had[index]),
        words: document.words,
      }));
      for (const { number, words } of numbered.sort((a, b) => a.number - b.number)) {
        this.#ask('insert into word (rowid, words) values (?, ?)', number, words);
      }
      for (const { id, pageText } of documents) {
        if (!pageText) continue;
        const { source, text } = pageText;
        this.#ask(
          'insert into page_text ("documentId", source, length, text) values (?, ?, ?, ?)',
          id,
          source,
          text.length,
          text,
        );
      }
    });
  }

  /** @see WordIndex.find */
  find(query: WordQuery, limit: number): string[] {
    const words = writeWords(this.#withPrefixesExpanded(query), {
      quote: '"',
      prefix: '*',
      and: ' AND ',
      or: ' OR ',
      andNot: ' NOT ',
    });
    return this.#ask(
      `select "documentId" as id from word join place on number = word.rowid
       where word match ? order by word.rowid limit cast(? as integer)`,
      words,
      limit,
    ).map(({ id }) => id as string);
  }

  /** @see WordIndex.pageTexts */
  pageTexts(wanted: readonly WantedText[], limits: ReadLimits): Map<string, string> {
    const found = this.#ask(
      `select page_text."documentId" as id, substr(page_text.text, 1,
         case when sum(length) over (order by wanted.key) <= ? then length else ? end) as text
       from json_each(?) as wanted
       join page_text on page_text."documentId" = wanted.value ->> 'id'
         and page_text.source = wanted.value ->> 'source'`,
      limits.all,
      limits.beginning,
      JSON.stringify(wanted),
    );
    return new Map(found.map(({ id, text }) => [id as string, text as string]));
  }

  /** @see WordIndex.clear */
  clear(): void {
    this.#inTransaction(() => {
      this.#ask('delete from place');
      this.#ask('delete from page_text');
      this.#ask(`insert into word (word) values ('delete-all')`);
    });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Removes a document. @returns its number, if it had one */
  #forget(id: string): number | undefined {
    const [had] = this.#ask('delete from place where "documentId" = ? returning number', id);
    if (!had) return undefined;
    this.#ask('delete from word where rowid = ?', had.number as number);
    this.#ask('delete from page_text where "documentId" = ?', id);
    return had.number as number;
  }

  /** Assigns a number by the time of the last change; the previous one if that has not changed. */
  #place({ id, updatedAt }: DocumentWords, had = Number.NaN): number {
    const first = (LAST_MS - updatedAt) * NUMBERS_PER_MS;
    const isOfThen = had >= first && had < first + NUMBERS_PER_MS;
    if (isOfThen && this.#take(had, id)) return had;
    // The range widens, because an import may have taken most numbers.
    for (let tries = 0; ; tries += 1) {
      const numbers = NUMBERS_PER_MS * 2 ** Math.floor(tries / TRIES_PER_RANGE);
      const number = first + randomInt(numbers);
      if (this.#take(number, id)) return number;
    }
  }

  /** Assigns a number to a document if it is free. @returns whether it was */
  #take(number: number, id: string): boolean {
    const text =
      'insert or ignore into place (number, "documentId") values (?, ?) returning number';
    return this.#ask(text, number, id).length > 0;
  }

  /**
   * Replaces prefixes by the words that begin with them. For a prefix without an index, SQLite
   * collects all matching documents, however few are needed. Whole words are read from the latest
   * document on.
   */
  #withPrefixesExpanded(query: WordQuery): WordQuery {
    const expand = (parts: readonly WordQuery[]) =>
      parts.map((part) => this.#withPrefixesExpanded(part));
    if ('any' in query) return { any: expand(query.any) };
    if ('all' in query) return { ...query, all: expand(query.all) };
    if (!('prefix' in query && query.prefix)) return query;
    const words = this.#wordsWithPrefix(query.word);
    if (!words) return query;
    // If no word begins with it, search for the prefix itself, which finds nothing.
    return words.length > 0 ? { any: words.map((word) => ({ word })) } : { word: query.word };
  }

  /**
   * Returns the words with this prefix; `undefined` if there are too many or the prefix has an
   * index.
   */
  #wordsWithPrefix(prefix: string): string[] | undefined {
    if (INDEXED_PREFIXES.includes([...prefix].length)) return undefined;
    const found: string[] = [];
    const end = prefix + LAST_CHARACTER;
    for (let from = prefix; ; ) {
      // `occurrence` has a row per word and document. With `limit 1`, only the first is read.
      const [next] = this.#ask(
        'select term from occurrence where term >= ? and term < ? limit 1',
        from,
        end,
      );
      if (!next) return found;
      if (found.length === MAX_EXPANDED) return undefined;
      found.push(next.term as string);
      from = next.term + FIRST_CHARACTER;
    }
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('begin immediate');
    try {
      work();
      this.#database.exec('commit');
    } catch (error) {
      // A failed disk has already rolled it back.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  // Not `run()`, whose result can exceed JavaScript's integers because of the index's internal
  // rows.
  #ask(text: string, ...parameters: (string | number)[]) {
    return this.#prepare(text).all(...parameters);
  }

  #prepare(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

export function wordFilePath(dataDir: string): string {
  return join(dataDir, 'search.db');
}

/** Removes the search index, which must not be open. The next start rebuilds it. */
export function removeWordFile(dataDir: string): void {
  const path = wordFilePath(dataDir);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/** Creates an empty index. @returns its id, for {@link isWordFile} */
export function createWordFile(path: string): number {
  const database = openSqliteFile(path);
  try {
    const file = FORMAT * FILES_OF_A_FORMAT + randomInt(FILES_OF_A_FORMAT);
    database.exec(`begin immediate; ${TABLES} pragma user_version = ${file}; commit`);
    return file;
  } finally {
    database.close();
  }
}

/** Tells whether the file exists, has the current format and this id. */
export function isWordFile(path: string, file: number): boolean {
  if (!existsSync(path) || formatOf(file) !== FORMAT) return false;
  let database: DatabaseSync | undefined;
  try {
    database = openSqliteFile(path, { readOnly: true });
    return numberIn(database, 'user_version') === file;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  } finally {
    database?.close();
  }
}

function formatOf(file: number): number {
  return Math.floor(file / FILES_OF_A_FORMAT);
}
