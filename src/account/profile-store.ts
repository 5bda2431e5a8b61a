import { prepared } from '../storage/sql/prepared.ts';
import type { Reader } from '../storage/sql/sql.ts';

/** The public profile of a user or organization. */
export interface ProfileRow {
  id: string;
  namespace: string;
  type: 'user' | 'organization';
  /** An organization's name; `null` for a user. */
  displayName: string | null;
  createdAt: string;
}

const profile = prepared<{ namespace: string }, ProfileRow>((db, parameter) =>
  db
    .selectFrom('owner')
    .leftJoin('account', 'account.id', 'owner.id')
    .leftJoin('organization', 'organization.id', 'owner.id')
    .where('owner.namespace', '=', parameter('namespace'))
    .select((builder) => [
      'owner.id',
      'owner.namespace',
      'owner.type',
      'organization.name as displayName',
      builder.fn
        .coalesce('account.created_at', 'organization.created_at')
        .$castTo<string>()
        .as('createdAt'),
    ]),
);

/** Finds the owner of this namespace (normalised). */
export async function findProfile(db: Reader, namespace: string): Promise<ProfileRow | undefined> {
  const [row] = await profile(db, { namespace });
  return row;
}
