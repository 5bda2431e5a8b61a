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
