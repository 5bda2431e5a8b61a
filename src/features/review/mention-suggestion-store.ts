import type { Reader } from '../../storage/sql/sql.ts';

/** Greater than every character of a namespace. */
const AFTER_EVERY_CHARACTER = '~';

/** How many of a document's last revisions are looked at for agents. */
const LAST_REVISIONS = 200;

/** Whose people to list, and for whom. */
interface PeopleSearch {
  documentId: string;
  ownerId: string;
  /** Left out, like disabled accounts. */
  actorId: string;
  /** The roles of the organization's members who count. */
  roles: readonly ('admin' | 'member')[];
}

/** Selects a document's people: the owner, collaborators, and members with one of the roles. */
function selectPeople(db: Reader, { documentId, ownerId, actorId, roles }: PeopleSearch) {
  return db
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
    .where('owner.id', '<>', actorId)
    .where('account.disabled_at', 'is', null);
}

/** Lists the usernames with a prefix of a document's people, in order. */
export async function listPeopleOf(
  db: Reader,
  { prefix, limit, ...people }: PeopleSearch & { prefix: string; limit: number },
): Promise<string[]> {
  const rows = await selectPeople(db, people)
    .where('owner.namespace', '>=', prefix)
    .where('owner.namespace', '<', prefix + AFTER_EVERY_CHARACTER)
    .select('owner.namespace as username')
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
  return rows.map(({ username }) => username);
}

/** Lists the agents of a document's people that wrote it lately, by name. */
export async function listAgentsOf(
  db: Reader,
  people: PeopleSearch,
): Promise<{ username: string; agent: string }[]> {
  const latest = db
    .selectFrom('revision')
    .where('document_id', '=', people.documentId)
    .orderBy('version', 'desc')
    .limit(LAST_REVISIONS)
    .select(['account_id', 'via', 'via_name']);
  const rows = await selectPeople(db, people)
    .innerJoin(latest.as('latest'), 'latest.account_id', 'person.id')
    .where('latest.via', '<>', 'web')
    .where('latest.via_name', 'is not', null)
    .select(['owner.namespace as username', 'latest.via_name as agent'])
    .distinct()
    .orderBy('latest.via_name')
    .execute();
  return rows.map(({ username, agent }) => ({ username, agent: agent as string }));
}
