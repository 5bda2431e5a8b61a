import { hash } from 'node:crypto';
import {
  type Compilable,
  type CompiledQuery,
  ControlledTransaction,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Tables } from './tables.ts';

type Parameter<P> = <Name extends keyof P & string>(name: Name) => RawBuilder<P[Name]>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Build<P, Row> = (db: Kysely<Tables>, parameter: Parameter<P>) => Compilable<Row>;

type Query<P, Row> = (db: Kysely<Tables>, parameters: P) => Promise<readonly Row[]>;

/** The names of all texts that are prepared, for databases where a statement has one. */
const names = new Map<string, string>();

/** The name to keep a prepared query's statement under; `undefined` for any other text. */
export function statementName(text: string): string | undefined {
  return names.get(text);
}

/** An adapter that runs prepared queries itself: Kysely's way to a connection takes far longer. */
export interface DirectAdapter {
  /**
   * Whether a handle is one connection, so that what is executed belongs to the transaction that is
   * under way. Where not, transactions go Kysely's way.
   */
  readonly isOneConnection: boolean;
  /** Runs a query. @returns the rows */
  execute(text: string, parameters: readonly unknown[]): MaybePromise<readonly unknown[]>;
  /** Runs a query that takes the database little time, so others can wait for it on one connection. */
  lookUp(text: string, parameters: readonly unknown[]): MaybePromise<readonly unknown[]>;
}

type MaybePromise<T> = T | Promise<T>;

function isDirect(adapter: object): adapter is DirectAdapter {
  return 'execute' in adapter;
}

/**
 * Makes a query that is built and compiled at its first use and only executed after that: building
 * one costs more than the database takes to answer it.
 *
 * @param build the query, with `parameter('name')` where a value comes in at execution
 * @returns a function that runs the query on a reader or a transaction and gives the rows
 */
export function prepared<P extends object, Row>(build: Build<P, Row>): Query<P, Row> {
  return preparedTo(build, (adapter, text, values) => adapter.execute(text, values));
}

/**
 * Makes a prepared query that finds a few rows by a key. On PostgreSQL several of these share a
 * connection, so none may take long.
 */
export function lookup<P extends object, Row>(build: Build<P, Row>): Query<P, Row> {
  return preparedTo(build, (adapter, text, values) => adapter.lookUp(text, values));
}

function preparedTo<P extends object, Row>(
  build: Build<P, Row>,
  runDirectly: (
    adapter: DirectAdapter,
    text: string,
    values: unknown[],
  ) => MaybePromise<readonly unknown[]>,
): Query<P, Row> {
  // One compilation per kind of database; a process, and a test run, may have more than one.
  const compiledFor = new Map<unknown, CompiledQuery<Row>>();
  return async (db, parameters) => {
    const { adapter } = db.getExecutor();
    let compiled = compiledFor.get(adapter.constructor);
    if (!compiled) {
      compiled = build(db, (name) => sql`${new Placeholder(name)}`).compile();
      compiledFor.set(adapter.constructor, compiled);
      names.set(compiled.sql, hash('sha256', compiled.sql).slice(0, 32));
    }
    const values = compiled.parameters.map((value) =>
      value instanceof Placeholder ? parameters[value.name as keyof P] : value,
    );
    if (isDirect(adapter) && (adapter.isOneConnection || !db.isTransaction)) {
      requireOpen(db);
      return runDirectly(adapter, compiled.sql, values) as MaybePromise<readonly Row[]>;
    }
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: values });
    return rows;
  };
}

/** Queries that go through Kysely are checked there. */
function requireOpen(db: Kysely<Tables>): void {
  if (db instanceof ControlledTransaction && (db.isCommitted || db.isRolledBack)) {
    throw new Error('A query was asked in a transaction that has ended.');
  }
}
