import { hash } from 'node:crypto';
import type { Actor, Context } from '../context.ts';
import { FieldError, nothingAtAddress } from '../errors.ts';
import { sniffType } from '../file/content-type.ts';
import { withoutMetadata } from '../file/image-metadata.ts';
import type { Writer } from '../storage/sql/sql.ts';
import { parseNamespace } from './namespace.ts';
import { changeOwned } from './owner-service.ts';
import { drawPicture } from './picture.ts';
import {
  PICTURE_LIMIT_BYTES,
  PICTURE_TYPES,
  type PictureType,
  PROFILE_LIMITS,
  parseProfileText,
} from './profile.ts';
import {
  findPicture,
  findPictureState,
  findProfile,
  listDisplayNames,
  upsertPicture,
  upsertProfile,
} from './profile-store.ts';

/** An owner's public profile, as its form sends it. */
export interface ProfileInput {
  /** Ignored for an organization, which has a name of its own. */
  displayName: string;
  summary: string;
  /** A new picture; `remove` deletes the old one, `undefined` leaves it. */
  picture?: Buffer | 'remove' | undefined;
}

/** Returns the actor's profile. @throws NOT_FOUND if the account is gone */
export async function getOwnProfile(context: Context, actor: Actor) {
  return describeProfile(context, actor.username);
}

/** Returns an owner's profile, for its form. @throws NOT_FOUND */
export async function describeProfile(context: Context, namespace: string) {
  const [profile, picture] = await Promise.all([
    findProfile(context.sql.read, namespace),
    findPictureState(context.sql.read, namespace),
  ]);
  if (!profile) throw nothingAtAddress();
  const { displayName, summary } = profile;
  return { displayName: displayName ?? '', summary: summary ?? '', hasPicture: !!picture?.hash };
}

/** Changes the actor's profile. @throws errors of {@link parseProfile} */
export async function saveOwnProfile(
  context: Context,
  actor: Actor,
  input: ProfileInput,
): Promise<void> {
  const parsed = await parseProfile(input);
  await changeOwned(context, actor.username, (tx) => writeProfile(tx, actor.id, parsed));
}

type ParsedProfile = Awaited<ReturnType<typeof parseProfile>>;

/**
 * Checks a profile.
 *
 * @throws BAD_REQUEST naming `displayName` or `summary`; UNPROCESSABLE or PAYLOAD_TOO_LARGE naming
 *   `picture`
 */
export async function parseProfile({ displayName, summary, picture }: ProfileInput) {
  return {
    displayName: requireText('displayName', displayName),
    summary: requireText('summary', summary),
    picture: Buffer.isBuffer(picture) ? await requirePicture(picture) : picture,
  };
}

export async function writeProfile(
  tx: Writer,
  ownerId: string,
  { displayName, summary, picture }: ParsedProfile,
): Promise<void> {
  await upsertProfile(tx, ownerId, { displayName, summary });
  if (picture === undefined) return;
  await upsertPicture(tx, ownerId, picture === 'remove' ? null : picture);
}

function requireText(field: keyof typeof PROFILE_LIMITS, given: string): string | null {
  const parsed = parseProfileText(given, PROFILE_LIMITS[field]);
  if ('problem' in parsed) throw new FieldError('BAD_REQUEST', field, `${parsed.problem}.`);
  return parsed.text;
}

/** The bytes decide a picture's type. */
async function requirePicture(given: Buffer) {
  if (given.length > PICTURE_LIMIT_BYTES) {
    const limit = `${PICTURE_LIMIT_BYTES / 1024} KB`;
    throw new FieldError('PAYLOAD_TOO_LARGE', 'picture', `must be at most ${limit}.`);
  }
  const type = await sniffType(given);
  if (!isPictureType(type)) {
    throw new FieldError('UNPROCESSABLE', 'picture', 'must be a PNG, JPEG or WebP image.');
  }
  let bytes: Buffer;
  try {
    bytes = withoutMetadata(type, given);
  } catch {
    throw new FieldError('UNPROCESSABLE', 'picture', 'is damaged.');
  }
  return { type, bytes, hash: hash('sha256', bytes) };
}

function isPictureType(type: string): type is PictureType {
  return (PICTURE_TYPES as readonly string[]).includes(type);
}

/** A picture to send: the uploaded one, or one drawn from the namespace. */
export interface ShownPicture {
  type: PictureType | 'image/svg+xml';
  /** A tag that changes with the picture. */
  tag: string;
  load(): Promise<Uint8Array | string>;
}

/** Returns a user's or an organization's picture, for anyone. @throws NOT_FOUND */
export async function readPicture(context: Context, owner: string): Promise<ShownPicture> {
  const { read } = context.sql;
  const namespace = parseNamespace(owner);
  const state = namespace && (await findPictureState(read, namespace));
  if (!state) throw nothingAtAddress();
  const { type, hash: tag } = state;
  const drawn = async () => drawPicture(namespace);
  if (type === null || tag === null) {
    return { type: 'image/svg+xml', tag: hash('sha256', await drawn()), load: drawn };
  }
  return {
    type,
    tag,
    async load() {
      const bytes = await findPicture(read, namespace, tag);
      // Replaced in this moment.
      if (!bytes) throw nothingAtAddress();
      return bytes;
    },
  };
}

/** Returns the display names of users by username; one without a name has no entry. */
export async function displayNamesOf(
  context: Context,
  usernames: Iterable<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const known = [...new Set(usernames)].filter((username) => username !== null);
  if (known.length === 0) return new Map();
  const rows = await listDisplayNames(context.sql.read, known);
  return new Map(rows.map(({ username, displayName }) => [username, displayName]));
}
