import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** An identity that the provider is to be asked about. */
export interface DueIdentity {
  id: string;
  accountId: string;
  username: string;
  issuer: string;
  subject: string;
  sealedTokens: string;
  checkedAt: string;
}

/**
 * Lists identities that were last checked before a time, and whose accounts have been used since: in
 * the web app, with a token or by an app.
 */
export async function listDue(db: Reader, before: string, limit: number): Promise<DueIdentity[]> {
  const rows = await db
    .selectFrom('upstream_identity as identity')
    .innerJoin('account', 'account.id', 'identity.accountId')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('identity.sealedTokens', 'is not', null)
    .where('identity.checkedAt', '<=', before)
    .where('account.disabledAt', 'is', null)
    .where('account.refusedAt', 'is', null)
    .where(({ or, exists, selectFrom }) =>
      or(
        (['session', 'access_token', 'oauth_grant'] as const).map((table) =>
          exists(
            selectFrom(table)
              .select(`${table}.id`)
              .whereRef(`${table}.accountId`, '=', 'account.id')
              .whereRef(`${table}.lastUsedAt`, '>', 'identity.checkedAt'),
          ),
        ),
      ),
    )
    .select(['identity.id', 'identity.accountId', 'owner.namespace as username'])
    .select(['identity.issuer', 'identity.subject', 'identity.sealedTokens', 'identity.checkedAt'])
    .orderBy('identity.checkedAt')
    .limit(limit)
    .execute();
  return rows as DueIdentity[];
}

/** Notes that the provider is asked; `false` if another process does it. */
export async function claimCheck(
  db: Writer,
  { id, checkedAt }: DueIdentity,
  now: string,
): Promise<boolean> {
  const claimed = await db
    .updateTable('upstream_identity')
    .set({ checkedAt: now })
    .where('id', '=', id)
    .where('checkedAt', '=', checkedAt)
    .returning('id')
    .execute();
  return claimed.length === 1;
}
