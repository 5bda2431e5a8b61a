import type { ExpressionBuilder } from 'kysely';
import type { Page } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { emailKey } from '../../base/text/email-address.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';

/**
 * An account, as a directory sees it. One that is disabled and that no directory calls anything isn’t
 * there for it: it may have been deleted (RFC 7644, section 3.6).
 */
export type DirectoryRow = RowOf<typeof people>;

function people(db: Reader) {
  return db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .select(['account.id', 'owner.namespace as username', 'account.email', 'account.disabledAt'])
    .where((is) => is.or([is('disabledAt', 'is', null), is('scimUserName', 'is not', null)]))
    .select(['account.createdAt', 'account.scimUserName', 'account.externalId']);
}

/** What a directory can look for. */
export interface Wanted {
  field: 'id' | 'userName' | 'externalId' | 'email';
  value: string;
}

/**
 * Lists accounts, oldest first.
 *
 * @param wanted all that have it; an account that no directory has created is called as its address,
 *   unless another one is called so
 */
export async function listPeopleFor(
  db: Reader,
  wanted: Wanted | undefined,
  { offset, size }: { offset: number; size: number },
): Promise<Page<DirectoryRow>> {
  // PostgreSQL refuses to look for it.
  if (wanted && !isStorableText(wanted.value)) return { items: [], total: 0 };
  const chosen = wanted ? people(db).where(isWanted(wanted)) : people(db);
  const rows = await chosen.orderBy('account.id').offset(offset).limit(size).execute();
  const { total } = await chosen
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows, total: Number(total) };
}

function isWanted({ field, value }: Wanted) {
  const key = emailKey(value);
  return (is: ExpressionBuilder<Tables, 'account'>) => {
    if (field === 'email') return is('account.emailKey', '=', key);
    if (field !== 'userName') return is(`account.${field}`, '=', value);
    const unnamed = is('account.scimUserName', 'is', null);
    const isCalled = is('account.scimUserName', '=', key);
    const called = is.selectFrom('account as other').where('other.scimUserName', '=', key);
    const nobodyIs = is.not(is.exists(called.select('other.id')));
    return is.or([isCalled, is.and([unnamed, is('account.emailKey', '=', key), nobodyIs])]);
  };
}

/** Finds the account with an address that isn’t there for a directory. */
export function findGone(db: Reader, email: string) {
  return db
    .selectFrom('account')
    .where('emailKey', '=', emailKey(email))
    .where('disabledAt', 'is not', null)
    .where('scimUserName', 'is', null)
    .select(['id', 'emailVerifiedAt'])
    .executeTakeFirst();
}

/** Stores what a directory calls an account. */
export async function updateDirectoryNames(
  db: Writer,
  id: string,
  names: { scimUserName: string | null; externalId?: string | null },
): Promise<void> {
  await db.updateTable('account').set(names).where('id', '=', id).execute();
}
