import { hash } from 'node:crypto';
import {
  CastNode,
  type Compilable,
  type CompiledQuery,
  ControlledTransaction,
  DataTypeNode,
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  type KyselyPlugin,
  LimitNode,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type RawBuilder,
  sql,
  ValueListNode,
  ValueNode,
} from 'kysely';
import { hiddenFrom, hidingBy } from './narrowed.ts';
import type { Row } from './rows.ts';
import type { Tables } from './tables.ts';

/** Stands for the value of a parameter of a prepared query. */
export type Parameter<P> = <Name extends keyof P & string>(name: Name) => RawBuilder<P[Name]>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Build<P, Row> = (db: Kysely<Tables>, parameter: Parameter<P>) => Compilable<Row>;

type Query<P, Row> = (db: Kysely<Tables>, parameters: P) => Promise<readonly Row[]>;

/** Statement names by SQL text. */
const names = new Map<string, string>();

/** Returns the statement name of a prepared query; `undefined` for any other SQL. */
export function statementName(text: string): string | undefined {
  return names.get(text);
}

/**
 * Keeps SQLite from compiling a statement again at each call, which it does if a parameter's value
 * may decide how to find the rows. So constants are part of the text, because a partial index may
 * need them; and a limit is an expression, whose value it doesn't look at.
 */
const COMPILED_ONCE: KyselyPlugin = {
  transformQuery: ({ node }) => new CompiledOnce().transformNode(node),
  transformResult: async ({ result }) => result,
};

class CompiledOnce extends OperationNodeTransformer {
  protected override transformLimit(node: LimitNode): LimitNode {
    const { limit } = super.transformLimit(node);
    return LimitNode.create(CastNode.create(limit, DataTypeNode.create('integer')));
  }

  protected override transformValue(node: ValueNode): ValueNode {
    return isConstant(node.value) ? ValueNode.createImmediate(node.value) : node;
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode) {
    const list = ValueListNode.create(
      node.values.map((value) => this.transformValue(ValueNode.create(value))),
    );
    // The visitor compiles each node by its own kind.
    return list as unknown as PrimitiveValueListNode;
  }
}

function isConstant(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** How each prepared query is built. */
const builds: Build<never, unknown>[] = [];

/** Returns the text of every query that was prepared so far, for a test that looks at all of them. */
export function preparedTexts(db: Kysely<Tables>): string[] {
  return builds.map((build) => compile(build, db).sql);
}

/** The parameters of what a handle hides. No query has parameters of these names. */
const HIDDEN = {
  accountId: 'hidden account',
  ownerIds: 'hidden owners',
  owners: 'reached owners',
  documents: 'reached documents',
} as const;

/** Compiles a query, with parameters for what the handle hides if it hides something. */
function compile<P, Row>(build: Build<P, Row>, db: Kysely<Tables>): CompiledQuery<Row> {
  const parameter = (name: string) => sql<never>`${new Placeholder(name)}`;
  let reader = db.withPlugin(COMPILED_ONCE);
  const hidden = hiddenFrom(db);
  if (hidden) {
    const of = { accountId: parameter(HIDDEN.accountId), ownerIds: parameter(HIDDEN.ownerIds) };
    const reach = hidden.reach && {
      owners: parameter(HIDDEN.owners),
      documents: parameter(HIDDEN.documents),
    };
    reader = db
      .withoutPlugins()
      .withPlugin(COMPILED_ONCE)
      .withPlugin(hidingBy(db, of, reach));
  }
  return build(reader, parameter).compile();
}

/** Returns the values for what a handle hides. */
function hiddenValues(db: Kysely<Tables>): Record<string, string> {
  const hidden = hiddenFrom(db);
  if (!hidden) return {};
  const { accountId, ownerIds, reach } = hidden;
  return {
    [HIDDEN.accountId]: accountId,
    [HIDDEN.ownerIds]: JSON.stringify(ownerIds),
    ...(reach && {
      [HIDDEN.owners]: JSON.stringify(reach.owners),
      [HIDDEN.documents]: JSON.stringify(reach.documents),
    }),
  };
}

/**
 * An adapter that runs prepared queries itself, which is far faster than through Kysely's driver.
 */
export interface DirectAdapter {
  /**
   * Whether a handle is one connection, so its queries belong to the current transaction. If not,
   * transactions run through Kysely.
   */
  readonly isOneConnection: boolean;
  /** Runs a query. @returns the rows */
  execute(text: string, parameters: readonly unknown[]): MaybePromise<readonly unknown[]>;
  /** Runs a fast query, which may share a connection with others. */
  lookUp(text: string, parameters: readonly unknown[]): MaybePromise<readonly unknown[]>;
}

type MaybePromise<T> = T | Promise<T>;

function isDirect(adapter: object): adapter is DirectAdapter {
  return 'execute' in adapter;
}

/**
 * Prepares a query: builds and compiles it on first use, because that costs more than running it.
 *
 * @param build the query, with `parameter('name')` for each value
 * @returns a function that runs the query on a reader or transaction and returns the rows
 */
export function prepared<P extends object, Row>(build: Build<P, Row>): Query<P, Row> {
  return preparedTo(build, (adapter, text, values) => adapter.execute(text, values));
}

/**
 * Prepares a query that finds a few rows by a key. On PostgreSQL several share a connection, so
 * each must be fast.
 */
export function lookup<P extends object, Row>(build: Build<P, Row>): Query<P, Row> {
  return preparedTo(build, (adapter, text, values) => adapter.lookUp(text, values));
}

/**
 * Prepares the insertion of rows of a table. The properties of the first one are the columns, so all
 * must have the same.
 */
export function preparedInsert<Table extends keyof Tables, Inserted extends Partial<Row<Table>>>(
  table: Table,
  complete: (insertion: InsertQueryBuilder<Tables, Table, InsertResult>) => Compilable<unknown> = (
    insertion,
  ) => insertion,
): Query<Inserted, unknown> {
  let query: Query<Inserted, unknown> | undefined;
  return (db, row) => {
    query ??= prepared<Inserted, unknown>((on, parameter) => {
      const columns = Object.keys(row) as (keyof Inserted & string)[];
      const values = Object.fromEntries(columns.map((column) => [column, parameter(column)]));
      return complete(on.insertInto(table).values(values as never));
    });
    return query(db, row);
  };
}

function preparedTo<P extends object, Row>(
  build: Build<P, Row>,
  runDirectly: (
    adapter: DirectAdapter,
    text: string,
    values: unknown[],
  ) => MaybePromise<readonly unknown[]>,
): Query<P, Row> {
  // One per kind of database: a process can use both.
  builds.push(build);
  const whole = new Map<unknown, CompiledQuery<Row>>();
  const hiding = new Map<unknown, CompiledQuery<Row>>();
  const reaching = new Map<unknown, CompiledQuery<Row>>();
  return async (db, parameters) => {
    const { adapter, plugins } = db.getExecutor();
    const isPart = plugins.length > 0;
    const compiledFor = !isPart ? whole : hiddenFrom(db)?.reach ? reaching : hiding;
    let compiled = compiledFor.get(adapter.constructor);
    if (!compiled) {
      compiled = compile(build, db);
      compiledFor.set(adapter.constructor, compiled);
      names.set(compiled.sql, hash('sha256', compiled.sql).slice(0, 32));
    }
    const given = isPart ? { ...parameters, ...hiddenValues(db) } : parameters;
    const values = compiled.parameters.map((value) =>
      value instanceof Placeholder ? given[value.name as keyof P] : value,
    );
    if (isDirect(adapter) && (adapter.isOneConnection || !db.isTransaction)) {
      requireOpen(db);
      return runDirectly(adapter, compiled.sql, values) as MaybePromise<readonly Row[]>;
    }
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: values });
    return rows;
  };
}

/** @throws Error if the transaction has ended, as Kysely does for its own queries */
function requireOpen(db: Kysely<Tables>): void {
  if (db instanceof ControlledTransaction && (db.isCommitted || db.isRolledBack)) {
    throw new Error('A query was sent in a transaction that has ended.');
  }
}
