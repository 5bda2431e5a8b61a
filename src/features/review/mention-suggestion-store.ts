import type { Reader } from '../../storage/sql/sql.ts';

/** Greater than every character of a namespace. */
const AFTER_EVERY_CHARACTER = '~';

/**
 * Lists the usernames with a prefix of a document's people, in order: the owner, collaborators, and
 * those of the organization's members whom `roles` names. Without the actor and disabled accounts.
 */
export async function listPeopleOf(
  db: Reader,
  search: {
    documentId: string;
    ownerId: string;
    actorId: string;
    prefix: string;
    roles: readonly ('admin' | 'member')[];
    limit: number;
  },
): Promise<string[]> {
  const { documentId, ownerId, actorId, prefix, roles, limit } = search;
  const rows = await db
    .with('person', (cte) => {
      const invited = cte
        .selectFrom('owner')
        .where('id', '=', ownerId)
        .select('id')
        .union(
          cte
            .selectFrom('collaborator')
            .where('document_id', '=', documentId)
            .select('account_id as id'),
        );
      if (roles.length === 0) return invited;
      return invited.union(
        cte
          .selectFrom('membership')
          .where('organization_id', '=', ownerId)
          .where('role', 'in', roles)
          .select('account_id as id'),
      );
    })
    .selectFrom('person')
    .innerJoin('owner', 'owner.id', 'person.id')
    .innerJoin('account', 'account.id', 'owner.id')
    .where('owner.namespace', '>=', prefix)
    .where('owner.namespace', '<', prefix + AFTER_EVERY_CHARACTER)
    .where('owner.id', '<>', actorId)
    .where('account.disabled_at', 'is', null)
    .select('owner.namespace as username')
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
  return rows.map(({ username }) => username);
}

/** How many of a document's last revisions are looked at for agents. */
const LAST_REVISIONS = 200;

/** Lists the agents of others that wrote a document lately, with the users that they act for. */
export async function listAgentsOf(
  db: Reader,
  { documentId, actorId }: { documentId: string; actorId: string },
): Promise<{ username: string; agent: string }[]> {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('revision')
        .where('document_id', '=', documentId)
        .orderBy('version', 'desc')
        .limit(LAST_REVISIONS)
        .select(['account_id', 'via', 'via_name'])
        .as('latest'),
    )
    .innerJoin('owner', 'owner.id', 'latest.account_id')
    .innerJoin('account', 'account.id', 'owner.id')
    .where('latest.via', '<>', 'web')
    .where('latest.via_name', 'is not', null)
    .where('latest.account_id', '<>', actorId)
    .where('account.disabled_at', 'is', null)
    .select(['owner.namespace as username', 'latest.via_name as agent'])
    .distinct()
    .orderBy('latest.via_name')
    .execute();
  return rows.map(({ username, agent }) => ({ username, agent: agent as string }));
}
