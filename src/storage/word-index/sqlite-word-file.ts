import { randomInt } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BackEndUnavailable } from '../../errors.ts';
import { numberIn, openSqliteFile } from '../sql/sqlite-file.ts';
import { type DocumentWords, type WordQuery, writeWords } from './word-index.ts';

/** Of the tables below: a file of another format is made again. */
const FORMAT = 1;

/** Above the format, a number says which file it is. */
const FILES_OF_A_FORMAT = 2 ** 24;

/**
 * Documents are numbered backwards from here, a time in 2109, so that the latest come first: the index
 * goes through its numbers far faster than back.
 */
const LAST_MS = 2 ** 42;

/**
 * How many documents of one millisecond have numbers of it: more than are ever written in one for long.
 * Where all are taken, the order suffers. The fewer, the closer numbers are to one another, and the less
 * the index takes, which is made of their differences.
 */
const NUMBERS_PER_MS = 16;

/** The lengths of beginnings that there is an index for, in letters, a term's first included. */
const INDEXED_BEGINNINGS = [3, 4, 5];

/** More words that begin alike are not named. */
const MOST_NAMED = 32;

/**
 * What SQLite says of a file that is damaged, and of one that is something else (SQLite documentation, "Result
 * and Error Codes": CORRUPT, NOTADB). Extended codes have the primary one in their lowest byte.
 */
const DAMAGE = [11, 26];
const PRIMARY_CODE = 0xff;

/** In the order of UTF-8, which is the index's, before and after all that words are made of. */
const FIRST_CHARACTER = '\u{1}';
const LAST_CHARACTER = '\u{10ffff}';

// The index keeps no text and no places in it, and takes apart at spaces what words are not made of.
const TABLES = `
  create table place (number integer primary key, document_id text not null unique);
  create virtual table word using fts5 (words, content = '', contentless_delete = 1, detail = none,
    tokenize = 'ascii', prefix = '${INDEXED_BEGINNINGS.join(' ')}');
  create virtual table occurrence using fts5vocab (word, instance);`;

/** The index for searches beside the embedded database: a file that one thread writes at a time. */
export class SqliteWordFile {
  readonly #path: string;
  readonly #inode: number;
  readonly #file: number;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * @param file which one {@link makeWordFile} has made there
   * @throws BackEndUnavailable when it is another, or none is there
   */
  constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
    this.#database = openSqliteFile(path, { isThere: true });
    this.#inode = statSync(path).ino;
    if (formatOf(file) === FORMAT && numberIn(this.#database, 'user_version') === file) return;
    this.#database.close();
    throw new BackEndUnavailable('it is of another database');
  }

  /** Whether this is what is there by now, where the other would be put. */
  is(path: string, file: number): boolean {
    const found = statSync(path, { throwIfNoEntry: false });
    return path === this.#path && file === this.#file && found?.ino === this.#inode;
  }

  /** @see WordIndex.change */
  change(documents: readonly DocumentWords[], forgotten: readonly string[]): void {
    this.#inTransaction(() => {
      for (const id of forgotten) this.#forget(id);
      // It collects words in memory, and writes them out when it is told to forget some, or of a document
      // that comes before the last one: one at a time that takes twice as long.
      const had = documents.map(({ id }) => this.#forget(id));
      const numbered = documents.map((document, index) => ({
        number: this.#place(document, had[index]),
        words: document.words,
      }));
      for (const { number, words } of numbered.sort((a, b) => a.number - b.number)) {
        this.#ask('insert into word (rowid, words) values (?, ?)', number, words);
      }
    });
  }

  /** @see WordIndex.find */
  find(query: WordQuery, limit: number): string[] {
    const words = writeWords(this.#withWordsNamed(query), {
      ...{ quote: '"', prefix: '*', and: ' AND ', or: ' OR ' },
    });
    return this.#ask(
      `select document_id as id from word join place on number = word.rowid
       where word match ? order by word.rowid limit ?`,
      words,
      limit,
    ).map(({ id }) => id as string);
  }

  /** @see WordIndex.clear */
  clear(): void {
    this.#inTransaction(() => {
      this.#ask('delete from place');
      this.#ask(`insert into word (word) values ('delete-all')`);
    });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** @returns the number that the document had */
  #forget(id: string): number | undefined {
    const [had] = this.#ask('delete from place where document_id = ? returning number', id);
    if (!had) return undefined;
    this.#ask('delete from word where rowid = ?', had.number as number);
    return had.number as number;
  }

  /** Gives a document a number by when it changed: the one it had, where that is the same. */
  #place({ id, updatedAt }: DocumentWords, had = Number.NaN): number {
    const first = (LAST_MS - updatedAt) * NUMBERS_PER_MS;
    const isOfThen = had >= first && had < first + NUMBERS_PER_MS;
    if (isOfThen && this.#take(had, id)) return had;
    // The more are taken, as after an import, the farther it looks.
    for (let numbers = NUMBERS_PER_MS; ; numbers *= 2) {
      const number = first + randomInt(numbers);
      if (this.#take(number, id)) return number;
    }
  }

  /** @returns whether nobody had the number */
  #take(number: number, id: string): boolean {
    const text = 'insert or ignore into place (number, document_id) values (?, ?) returning number';
    return this.#ask(text, number, id).length > 0;
  }

  /**
   * The same query, with the words themselves in place of their beginnings. For a beginning that it has no
   * index for it collects all documents with any word that begins so, however few are wanted. Those with
   * words that are named are read from the latest on.
   */
  #withWordsNamed(query: WordQuery): WordQuery {
    if ('all' in query) return { all: query.all.map((part) => this.#withWordsNamed(part)) };
    if (!('prefix' in query && query.prefix)) return query;
    const words = this.#wordsBeginningWith(query.word);
    if (!words) return query;
    // Where no word begins so, the beginning is no word either: nothing has it.
    return words.length > 0 ? { any: words.map((word) => ({ word })) } : { word: query.word };
  }

  /** The words that begin so; `undefined` where they are too many, or the beginnings have an index. */
  #wordsBeginningWith(beginning: string): string[] | undefined {
    if (INDEXED_BEGINNINGS.includes([...beginning].length)) return undefined;
    const found: string[] = [];
    const end = beginning + LAST_CHARACTER;
    for (let from = beginning; ; ) {
      // It has a row for each document that has the word, and comes to the first without reading the others.
      const [next] = this.#ask(
        'select term from occurrence where term >= ? and term < ? limit 1',
        from,
        end,
      );
      if (!next) return found;
      if (found.length === MOST_NAMED) return undefined;
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
      // Where the disk fails it is undone already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  // Not by `run()`: of what the index writes into its own tables, some has numbers beyond JavaScript's.
  #ask(text: string, ...parameters: (string | number)[]) {
    return this.#prepare(text).all(...parameters);
  }

  #prepare(text: string): StatementSync {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Where the index for searches is, below the data directory. */
export function wordFilePath(dataDir: string): string {
  return join(dataDir, 'search.db');
}

/** Removes the index for searches, which nobody may have open. The next start makes it again. */
export function removeWordFile(dataDir: string): void {
  const path = wordFilePath(dataDir);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/**
 * Makes an empty file.
 *
 * @returns which one it is: a number that {@link isWordFile} knows it by
 */
export function makeWordFile(path: string): number {
  const database = openSqliteFile(path);
  try {
    const file = FORMAT * FILES_OF_A_FORMAT + randomInt(FILES_OF_A_FORMAT);
    database.exec(`begin immediate; ${TABLES} pragma user_version = ${file}; commit`);
    return file;
  } finally {
    database.close();
  }
}

/** Whether a file of the format of today is there, and is that one. */
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

/** Whether an error says that the file is damaged. */
export function isDamage(error: unknown): boolean {
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  if (errcode !== undefined) return DAMAGE.includes(errcode & PRIMARY_CODE);
  return cause !== undefined && isDamage(cause);
}
