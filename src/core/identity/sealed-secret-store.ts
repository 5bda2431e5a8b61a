import { inParts, tableOf } from '../../storage/sql/row-list.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What a sealed secret is for. Each purpose has a key of its own. */
export type SealedPurpose =
  | 'mailed invitation'
  | 'secret link'
  | 'invitation link'
  | 'one-time codes'
  | 'sign-up link'
  | 'provider tokens';

/** The columns that hold sealed secrets for as long as their rows live. */
const KEPT = [
  { table: 'document_link', column: 'sealedSecret', purpose: 'secret link' },
  { table: 'invitation', column: 'sealedToken', purpose: 'invitation link' },
  { table: 'code_generator', column: 'sealedSecret', purpose: 'one-time codes' },
  { table: 'sign_up_invitation', column: 'sealedToken', purpose: 'sign-up link' },
  { table: 'upstream_identity', column: 'sealedTokens', purpose: 'provider tokens' },
] as const;

/**
 * Replaces every sealed secret that is kept.
 *
 * @param reseal returns the new sealed secret, or `undefined` to leave it as it is
 */
export async function replaceSealedSecrets(
  db: Writer,
  reseal: (sealed: string, purpose: SealedPurpose) => string | undefined,
): Promise<void> {
  for (const { table, column, purpose } of KEPT) {
    const all = await listSealed(db, table, column);
    const again = all.flatMap(({ id, sealed: before }) => {
      const sealed = reseal(before, purpose);
      return sealed === undefined ? [] : { id, sealed };
    });
    for (const part of inParts(again)) {
      await db
        .updateTable(table as 'document_link')
        .from(tableOf('again', part, { id: 'text', sealed: 'text' }))
        .set(({ ref }) => ({ [column]: ref('again.sealed') }))
        .whereRef(`${table as 'document_link'}.id`, '=', 'again.id')
        .execute();
    }
  }
}

async function listSealed(
  db: Reader,
  table: string,
  column: string,
): Promise<{ id: string; sealed: string }[]> {
  const rows = await db
    .selectFrom(table as 'document_link')
    .select(['id', `${column as 'sealedSecret'} as sealed`])
    .where(column as 'sealedSecret', 'is not', null)
    .execute();
  return rows as { id: string; sealed: string }[];
}
