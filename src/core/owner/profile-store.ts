import type { PictureType } from '../../base/schema/profile.ts';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The public profile of a user or organization. */
export type ProfileRow = RowOf<typeof profile>;

const profile = prepared((db, parameter: Parameter<{ namespace: string }>) =>
  db
    .selectFrom('owner')
    .leftJoin('account', 'account.id', 'owner.id')
    .leftJoin('organization', 'organization.id', 'owner.id')
    .leftJoin('profile', 'profile.ownerId', 'owner.id')
    .where('owner.namespace', '=', parameter('namespace'))
    .where('account.disabledAt', 'is', null)
    .select((builder) => [
      'owner.id',
      'owner.namespace',
      'owner.type',
      builder.fn
        .coalesce('organization.name', 'profile.displayName')
        .$castTo<string | null>()
        // An organization's name, or what a user chose; `null` for a user who chose none.
        .as('displayName'),
      'profile.summary',
      'profile.pictureHash',
      builder.fn
        .coalesce('account.createdAt', 'organization.createdAt')
        .$castTo<string>()
        .as('createdAt'),
    ]),
);

/** Finds the owner of this namespace (normalised), unless the account is disabled. */
export async function findProfile(db: Reader, namespace: string): Promise<ProfileRow | undefined> {
  const [row] = await profile(db, { namespace });
  return row;
}

/** An owner's uploaded picture. Both are `null` if there is none. */
export type PictureState = RowOf<typeof pictureState>;

const pictureState = prepared((db, parameter: Parameter<{ namespace: string }>) =>
  db
    .selectFrom('owner')
    .leftJoin('account', 'account.id', 'owner.id')
    .leftJoin('profile', 'profile.ownerId', 'owner.id')
    .where('owner.namespace', '=', parameter('namespace'))
    .where('account.disabledAt', 'is', null)
    .select(['profile.pictureType as type', 'profile.pictureHash as hash']),
);

/**
 * Finds the type and hash of an owner's picture.
 *
 * @returns `undefined` if there is no such owner, or the account is disabled
 */
export async function findPictureState(
  db: Reader,
  namespace: string,
): Promise<PictureState | undefined> {
  const [row] = await pictureState(db, { namespace });
  return row;
}

export async function findPicture(
  db: Reader,
  namespace: string,
  hash: string,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('profile')
    .innerJoin('owner', 'owner.id', 'profile.ownerId')
    .where('owner.namespace', '=', namespace)
    .where('profile.pictureHash', '=', hash)
    .select('profile.picture')
    .executeTakeFirst();
  return row?.picture ?? undefined;
}

/** Lists the display names of these users; one without a name has no entry. */
export async function listDisplayNames(
  db: Reader,
  usernames: readonly string[],
): Promise<{ username: string; displayName: string }[]> {
  const rows = await db
    .selectFrom('owner')
    .innerJoin('profile', 'profile.ownerId', 'owner.id')
    .where('owner.type', '=', 'user')
    .where('owner.namespace', 'in', usernames)
    .where('profile.displayName', 'is not', null)
    .select(['owner.namespace as username', 'profile.displayName'])
    .execute();
  return rows.map(({ username, displayName }) => ({ username, displayName: displayName ?? '' }));
}

/** Changes the texts of an owner's profile that are given. */
export async function upsertProfile(
  db: Writer,
  ownerId: string,
  { displayName, summary }: { displayName?: string | null; summary?: string | null },
): Promise<void> {
  const texts = {
    ...(displayName !== undefined && { displayName }),
    ...(summary !== undefined && { summary }),
  };
  if (Object.keys(texts).length === 0) return;
  await db
    .insertInto('profile')
    .values({ ownerId, ...texts })
    .onConflict((conflict) => conflict.column('ownerId').doUpdateSet(texts))
    .execute();
}

/** Stores an owner's picture, or removes it. */
export async function upsertPicture(
  db: Writer,
  ownerId: string,
  picture: { type: PictureType; hash: string; bytes: Uint8Array } | null,
): Promise<void> {
  const columns = {
    picture: picture?.bytes ?? null,
    pictureType: picture?.type ?? null,
    pictureHash: picture?.hash ?? null,
    pictureBytes: picture?.bytes.length ?? 0,
  };
  await db
    .insertInto('profile')
    .values({ ownerId, ...columns })
    .onConflict((conflict) => conflict.column('ownerId').doUpdateSet(columns))
    .execute();
}
