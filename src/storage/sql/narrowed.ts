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

/** Whose standing with which owners isn't there for a reader. */
export interface Hidden {
  accountId: string;
  /** Ids of organizations. */
  ownerIds: readonly string[];
}

const ownerOfDocument = sql`(select owner_id from stored_document where id = document_id)`;

/** Where accounts stand in a relation to an owner, with the columns that say whose and to whom. */
const RELATIONS = new Map(
  Object.entries({
    membership: { account: sql`account_id`, owner: sql`organization_id` },
    stored_membership: { account: sql`account_id`, owner: sql`organization_id` },
    collaborator: { account: sql`account_id`, owner: ownerOfDocument },
    invitation: {
      account: sql`coalesce(recipient_id, '')`,
      owner: sql`coalesce(organization_id, ${ownerOfDocument})`,
    },
  }),
);

/**
 * Returns a database in which an account is neither a member of some owners, nor collaborates with
 * them, nor is invited by them. Every query reads `membership`, `stored_membership`, `collaborator` and
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

/** Returns a plugin that hides rows of an account and owners whose ids stand in parameters. */
export function hidingBy(
  db: Kysely<Tables>,
  { accountId, ownerIds }: { accountId: RawBuilder<string>; ownerIds: RawBuilder<string> },
): KyselyPlugin {
  const { idsIn } = capabilitiesOf(db);
  return hide(accountId, idsIn(ownerIds));
}

/** Hides rows in queries that aren't prepared. `prepared.ts` looks for it, and replaces it. */
class Hiding implements KyselyPlugin {
  readonly hidden: Hidden;
  readonly transformQuery: KyselyPlugin['transformQuery'];
  readonly transformResult: KyselyPlugin['transformResult'];

  constructor(hidden: Hidden) {
    const ids = sql.join(hidden.ownerIds.map((id) => sql`${id}`));
    const plugin = hide(sql`${hidden.accountId}`, ids);
    this.hidden = hidden;
    this.transformQuery = plugin.transformQuery;
    this.transformResult = plugin.transformResult;
  }
}

function hide(accountId: RawBuilder<unknown>, ownerIds: RawBuilder<unknown>): KyselyPlugin {
  return {
    transformQuery: ({ node }) => new WithoutHidden(accountId, ownerIds).transformNode(node),
    transformResult: async ({ result }) => result,
  };
}

/** Replaces tables that queries read from with the rows that aren't hidden. */
class WithoutHidden extends OperationNodeTransformer {
  private readonly accountId: RawBuilder<unknown>;
  private readonly ownerIds: RawBuilder<unknown>;

  constructor(accountId: RawBuilder<unknown>, ownerIds: RawBuilder<unknown>) {
    super();
    this.accountId = accountId;
    this.ownerIds = ownerIds;
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
    const relation = RELATIONS.get(table.table.identifier.name);
    if (!relation) return undefined;
    const rows = sql`(select * from ${sql.table(table.table.identifier.name)}
      where ${relation.account} <> ${this.accountId} or ${relation.owner} not in (${this.ownerIds}))`;
    return rows.toOperationNode();
  }
}

function nameOf(table: TableNode): IdentifierNode {
  return IdentifierNode.create(table.table.identifier.name);
}
