import type { Reader, Writer } from '../storage/sql/sql.ts';
import type { InstanceFact } from '../storage/sql/tables/instance.ts';

/** Returns what is known of the instance; `undefined` if nothing is. */
export async function findInstanceFact(
  db: Reader,
  name: InstanceFact,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('instance_state')
    .where('name', '=', name)
    .select('value')
    .executeTakeFirst();
  return row?.value;
}

export async function setInstanceFact(
  db: Writer,
  name: InstanceFact,
  value: string,
): Promise<void> {
  await db
    .insertInto('instance_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
