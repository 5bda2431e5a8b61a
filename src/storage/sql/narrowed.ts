import {
  AliasNode,
  type FromNode,
  IdentifierNode,
  type JoinNode,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type RawBuilder,
  type RawNode,
  sql,
  TableNode,
} from 'kysely';
import { capabilitiesOf } from './dialect.ts';
import type { Sql } from './sql.ts';
import type { Tables } from './tables.ts';

/** What isn't there for a reader. */
export interface Hidden {
  /** Whose standing with {@link ownerIds} isn't there. */
  accountId: string;
  /** Ids of organizations. */
  ownerIds: readonly string[];
  /** If set, all documents but these and those of these owners aren't there. */
  reach?: Reach | undefined;
}

/** What a program is limited to, by ids. */
export interface Reach {
  owners: readonly string[];
  documents: readonly string[];
}

const ownerOfDocument = sql`(select "ownerId" from stored_document where id = "documentId")`;

/** Where accounts stand in a relation to an owner, with the columns that say whose and to whom. */
const RELATIONS = new Map(
  Object.entries({
    membership: { account: sql`"accountId"`, owner: sql`"organizationId"` },
    stored_membership: { account: sql`"accountId"`, owner: sql`"organizationId"` },
    collaborator: { account: sql`"accountId"`, owner: ownerOfDocument },
    invitation: {
      account: sql`coalesce("recipientId", '')`,
      owner: sql`coalesce("organizationId", ${ownerOfDocument})`,
    },
  }),
);

type Ids = Readonly<Record<keyof Reach, RawBuilder<unknown>>>;

const reached = (document: RawBuilder<unknown>, { owners, documents }: Ids) =>
  sql`${document} in (select id from stored_document where "ownerId" in (${owners}) or id in (${documents}))`;

/** The rows that a reach leaves of tables. All others are read with their documents. */
const REACHED = new Map<string, (ids: Ids) => RawBuilder<unknown>>(
  Object.entries({
    document: ({ owners, documents }) => sql`"ownerId" in (${owners}) or id in (${documents})`,
    stored_document: ({ owners, documents }) =>
      sql`"ownerId" in (${owners}) or id in (${documents})`,
    collaborator: (ids) => reached(sql`"documentId"`, ids),
    invitation: (ids) => sql`"documentId" is null or ${reached(sql`"documentId"`, ids)}`,
    event: (ids) => reached(sql`"documentId"`, ids),
    inbox: (ids) =>
      sql`position in (select position from event where ${reached(sql`"documentId"`, ids)})`,
    document_label: (ids) => reached(sql`"documentId"`, ids),
    pinned_document: (ids) => reached(sql`"documentId"`, ids),
    file: ({ owners }) => sql`"accountId" in (${owners})`,
  } satisfies Record<string, (ids: Ids) => RawBuilder<unknown>>),
);

/**
 * Returns a database in which an account is neither a member of some owners, nor collaborates with
 * them, nor is invited by them; with a reach, one that has no other documents. Every query reads `membership`, `stored_membership`, `collaborator` and
 * `invitation` without these rows; none reads anything else otherwise, and writes write what they
 * always do. Raw SQL must name these tables with `sql.table`.
 */
export function narrowed(all: Sql, hidden: Hidden): Sql {
  const hiding = new Hiding(hidden);
  return {
    ...all,
    read: all.read.withPlugin(hiding),
    transaction: (work, options) =>
      all.transaction((writer) => work(writer.withPlugin(hiding)), options),
    snapshot: (work) => all.snapshot((reader) => work(reader.withPlugin(hiding))),
  };
}

/** Returns a handle that reads all rows, in the same transaction if there is one. */
export function widened<Handle extends Kysely<Tables>>(db: Handle): Handle {
  return db.withoutPlugins() as Handle;
}

/** Returns what a handle hides; `undefined` for one that reads all rows. */
export function hiddenFrom(db: Kysely<Tables>): Hidden | undefined {
  const plugin = db.getExecutor().plugins.find((each) => each instanceof Hiding);
  return plugin?.hidden;
}

/** Returns a plugin that hides rows as {@link Hidden} says, whose ids stand in parameters. */
export function hidingBy(
  db: Kysely<Tables>,
  of: { accountId: RawBuilder<string>; ownerIds: RawBuilder<string> },
  reach: Readonly<Record<keyof Reach, RawBuilder<string>>> | undefined,
): KyselyPlugin {
  const { idsIn } = capabilitiesOf(db);
  const ids = reach && { owners: idsIn(reach.owners), documents: idsIn(reach.documents) };
  return hide(of.accountId, idsIn(of.ownerIds), ids);
}

/** Hides rows in queries that aren't prepared. `prepared.ts` looks for it, and replaces it. */
class Hiding implements KyselyPlugin {
  readonly hidden: Hidden;
  readonly transformQuery: KyselyPlugin['transformQuery'];
  readonly transformResult: KyselyPlugin['transformResult'];

  constructor(hidden: Hidden) {
    const listed = (ids: readonly string[]) =>
      ids.length > 0 ? sql.join(ids.map((id) => sql`${id}`)) : sql`''`;
    const { accountId, ownerIds, reach } = hidden;
    const ids = reach && { owners: listed(reach.owners), documents: listed(reach.documents) };
    const plugin = hide(sql`${accountId}`, listed(ownerIds), ids);
    this.hidden = hidden;
    this.transformQuery = plugin.transformQuery;
    this.transformResult = plugin.transformResult;
  }
}

function hide(
  accountId: RawBuilder<unknown>,
  ownerIds: RawBuilder<unknown>,
  reach: Ids | undefined,
): KyselyPlugin {
  return {
    transformQuery: ({ node }) => new WithoutHidden(accountId, ownerIds, reach).transformNode(node),
    transformResult: async ({ result }) => result,
  };
}

/** Replaces tables that queries read from with the rows that aren't hidden. */
class WithoutHidden extends OperationNodeTransformer {
  private readonly accountId: RawBuilder<unknown>;
  private readonly ownerIds: RawBuilder<unknown>;
  private readonly reach: Ids | undefined;

  constructor(
    accountId: RawBuilder<unknown>,
    ownerIds: RawBuilder<unknown>,
    reach: Ids | undefined,
  ) {
    super();
    this.accountId = accountId;
    this.ownerIds = ownerIds;
    this.reach = reach;
  }

  protected override transformFrom(node: FromNode): FromNode {
    const { froms } = super.transformFrom(node);
    // What is deleted is a table.
    const isTarget = this.nodeStack.at(-2)?.kind === 'DeleteQueryNode';
    return { ...node, froms: isTarget ? froms : froms.map((from) => this.read(from)) };
  }

  protected override transformJoin(node: JoinNode): JoinNode {
    const { table, ...join } = super.transformJoin(node);
    return { ...join, table: this.read(table) };
  }

  protected override transformRaw(node: RawNode): RawNode {
    const { parameters, ...raw } = super.transformRaw(node);
    return { ...raw, parameters: parameters.map((parameter) => this.read(parameter)) };
  }

  /** @param node what stands after `from` or `join`; anything but a relation stays as it is */
  private read(node: OperationNode): OperationNode {
    if (TableNode.is(node)) {
      const rows = this.rowsOf(node);
      return rows ? AliasNode.create(rows, nameOf(node)) : node;
    }
    if (!AliasNode.is(node) || !TableNode.is(node.node)) return node;
    return { ...node, node: this.rowsOf(node.node) ?? node.node } as AliasNode;
  }

  private rowsOf(table: TableNode): OperationNode | undefined {
    const { name } = table.table.identifier;
    const relation = RELATIONS.get(name);
    const within = this.reach && REACHED.get(name)?.(this.reach);
    if (!relation && !within) return undefined;
    const conditions = [
      ...(relation
        ? [
            sql`(${relation.account} <> ${this.accountId} or ${relation.owner} not in (${this.ownerIds}))`,
          ]
        : []),
      ...(within ? [sql`(${within})`] : []),
    ];
    const rows = sql`(select * from ${sql.table(name)} where ${sql.join(conditions, sql` and `)})`;
    return rows.toOperationNode();
  }
}

function nameOf(table: TableNode): IdentifierNode {
  return IdentifierNode.create(table.table.identifier.name);
}
