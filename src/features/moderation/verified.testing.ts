import type { Service } from '../../../test/harness.ts';

/** Makes the address of an account verified, so that it gets mail. */
export async function verifyAddress(service: Service, username: string): Promise<void> {
  const { sql, now } = service.app.context;
  await sql.transaction(async (tx) => {
    await tx
      .updateTable('account')
      .set({ emailVerifiedAt: now() })
      .where('id', 'in', (db) =>
        db.selectFrom('owner').where('namespace', '=', username).select('id'),
      )
      .execute();
  });
}
