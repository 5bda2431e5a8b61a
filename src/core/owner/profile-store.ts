import type { PictureType } from '../../base/schema/profile.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The public profile of a user or organization. */
export interface ProfileRow {
  id: string;
  namespace: string;
  type: 'user' | 'organization';
  /** An organization's name, or what a user chose; `null` for a user who chose none. */
  displayName: string | null;
  summary: string | null;
  /** `null` without an uploaded picture. */
  pictureHash: string | null;
  createdAt: string;
}

const profile = prepared<{ namespace: string }, ProfileRow>((db, parameter) =>
  db
    .selectFrom('owner')
    .leftJoin('account', 'account.id', 'owner.id')
    .leftJoin('organization', 'organization.id', 'owner.id')
    .leftJoin('profile', 'profile.owner_id', 'owner.id')
    .where('owner.namespace', '=', parameter('namespace'))
    .where('account.disabled_at', 'is', null)
    .select((builder) => [
      'owner.id',
      'owner.namespace',
      'owner.type',
      builder.fn
        .coalesce('organization.name', 'profile.display_name')
        .$castTo<string | null>()
        .as('displayName'),
      'profile.summary',
      'profile.picture_hash as pictureHash',
      builder.fn
        .coalesce('account.created_at', 'organization.created_at')
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
export interface PictureState {
  type: PictureType | null;
  hash: string | null;
}

const pictureState = prepared<{ namespace: string }, PictureState>((db, parameter) =>
  db
    .selectFrom('owner')
    .leftJoin('account', 'account.id', 'owner.id')
    .leftJoin('profile', 'profile.owner_id', 'owner.id')
    .where('owner.namespace', '=', parameter('namespace'))
    .where('account.disabled_at', 'is', null)
    .select(['profile.picture_type as type', 'profile.picture_hash as hash']),
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
    .innerJoin('owner', 'owner.id', 'profile.owner_id')
    .where('owner.namespace', '=', namespace)
    .where('profile.picture_hash', '=', hash)
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
    .innerJoin('profile', 'profile.owner_id', 'owner.id')
    .where('owner.type', '=', 'user')
    .where('owner.namespace', 'in', usernames)
    .where('profile.display_name', 'is not', null)
    .select(['owner.namespace as username', 'profile.display_name as displayName'])
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
    ...(displayName !== undefined && { display_name: displayName }),
    ...(summary !== undefined && { summary }),
  };
  if (Object.keys(texts).length === 0) return;
  await db
    .insertInto('profile')
    .values({ owner_id: ownerId, ...texts })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(texts))
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
    picture_type: picture?.type ?? null,
    picture_hash: picture?.hash ?? null,
    picture_bytes: picture?.bytes.length ?? 0,
  };
  await db
    .insertInto('profile')
    .values({ owner_id: ownerId, ...columns })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(columns))
    .execute();
}
