import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** Greater than every character of a namespace. */
const AFTER_EVERY_CHARACTER = '~';

type Parameters = { actorId: string; from: string; before: string; window: number; limit: number };

const byPrefix = prepared<Parameters, { username: string }>((db, parameter) => {
  // Only these are checked for acquaintance, because any number of users can have such a name.
  const candidates = db
    .selectFrom('owner')
    .innerJoin('account', 'account.id', 'owner.id')
    .where('owner.namespace', '>=', parameter('from'))
    .where('owner.namespace', '<', parameter('before'))
    .where('owner.id', '<>', parameter('actorId'))
    .where('account.disabledAt', 'is', null)
    .select(['owner.id', 'owner.namespace'])
    .orderBy('owner.namespace')
    .limit(parameter('window'));
  return db
    .selectFrom(candidates.as('person'))
    .select('person.namespace as username')
    .orderBy(({ exists, selectFrom, case: when, or }) =>
      when()
        .when(
          or([
            exists(
              selectFrom('membership as own')
                .innerJoin('membership as theirs', 'theirs.organizationId', 'own.organizationId')
                .where('own.accountId', '=', parameter('actorId'))
                .whereRef('theirs.accountId', '=', 'person.id')
                .select('theirs.id'),
            ),
            exists(
              // Not a join, which SQLite would begin with all of the actor's documents.
              selectFrom('collaborator')
                .whereRef('collaborator.accountId', '=', 'person.id')
                .where((shared) =>
                  shared.exists(
                    shared
                      .selectFrom('document')
                      .whereRef('document.id', '=', 'collaborator.documentId')
                      .where('document.ownerId', '=', parameter('actorId'))
                      .select('document.id'),
                  ),
                )
                .select('collaborator.id'),
            ),
          ]),
        )
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy('person.namespace')
    .limit(parameter('limit'));
});

/**
 * Lists usernames with a prefix, in order. Among the first `window`, those who share an
 * organization or one of the actor's documents with the actor come first.
 *
 * @param search.prefix normalised
 */
export async function listUsernames(
  db: Reader,
  search: { prefix: string; actorId: string; window: number; limit: number },
): Promise<string[]> {
  const { prefix, ...rest } = search;
  const rows = await byPrefix(db, {
    ...rest,
    from: prefix,
    before: prefix + AFTER_EVERY_CHARACTER,
  });
  return rows.map(({ username }) => username);
}
