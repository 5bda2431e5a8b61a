import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What a sealed secret is for. Each purpose has a key of its own. */
export type SealedPurpose =
  | 'mailed invitation'
  | 'secret link'
  | 'invitation link'
  | 'sign-up link'
  | 'one-time codes';

/** The columns that hold sealed secrets for as long as their rows live. */
const KEPT = [
  { table: 'document_link', column: 'sealed_secret', purpose: 'secret link' },
  { table: 'invitation', column: 'sealed_token', purpose: 'invitation link' },
  { table: 'sign_up_invitation', column: 'sealed_token', purpose: 'sign-up link' },
  { table: 'code_generator', column: 'sealed_secret', purpose: 'one-time codes' },
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
    for (const { id, sealed } of await listSealed(db, table, column)) {
      const again = reseal(sealed, purpose);
      if (again === undefined) continue;
      await db
        .updateTable(table as 'document_link')
        .set({ [column]: again })
        .where('id', '=', id)
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
    .select(['id', `${column as 'sealed_secret'} as sealed`])
    .where(column as 'sealed_secret', 'is not', null)
    .execute();
  return rows as { id: string; sealed: string }[];
}
