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
            .where('documentId', '=', documentId)
            .select('accountId as id'),
        );
      if (roles.length === 0) return invited;
      return invited.union(
        cte
          .selectFrom('membership')
          .where('organizationId', '=', ownerId)
          .where('role', 'in', roles)
          .select('accountId as id'),
      );
    })
    .selectFrom('person')
    .innerJoin('owner', 'owner.id', 'person.id')
    .innerJoin('account', 'account.id', 'owner.id')
    .where('owner.id', '<>', actorId)
    .where('account.disabledAt', 'is', null);
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
    .where('documentId', '=', people.documentId)
    .orderBy('version', 'desc')
    .limit(LAST_REVISIONS)
    .select(['accountId', 'via', 'viaName']);
  const rows = await selectPeople(db, people)
    .innerJoin(latest.as('latest'), 'latest.accountId', 'person.id')
    .where('latest.via', '<>', 'web')
    .where('latest.viaName', 'is not', null)
    .select(['owner.namespace as username', 'latest.viaName as agent'])
    .distinct()
    .orderBy('latest.viaName')
    .execute();
  return rows.map(({ username, agent }) => ({ username, agent: agent as string }));
}
