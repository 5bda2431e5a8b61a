import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FieldError, nothingAtAddress } from '../../base/errors.ts';
import {
  PICTURE_LIMIT_BYTES,
  PICTURE_TYPES,
  type PictureType,
  PROFILE_LIMITS,
  parseProfileText,
} from '../../base/schema/profile.ts';
import type { Call, Context } from '../../core/context.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import {
  findPicture,
  findPictureState,
  findProfile,
  listDisplayNames,
  upsertPicture,
  upsertProfile,
} from '../../core/owner/profile-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { sniffType } from '../files/content-type.ts';
import { withoutMetadata } from '../files/image-metadata.ts';
import { requireShowable } from '../files/image-pixels.ts';

/** Background and text colours, each pair with a contrast above 4.5:1. */
const COLOURS = [
  ['#e7eef8', '#1c4079'],
  ['#e3f1e7', '#1d5a37'],
  ['#f0e8f8', '#573285'],
  ['#fbeed6', '#6e4605'],
  ['#f9e4e1', '#8a2822'],
  ['#dff1f3', '#165661'],
  ['#f8e4ef', '#7a2556'],
  ['#ecebdd', '#4c4a1c'],
] as const;

/**
 * Draws the picture of an owner who has uploaded none: initials on a colour, both derived from the
 * namespace.
 *
 * @param namespace normalised, so ASCII letters, digits and hyphens
 */
function drawPicture(namespace: string): string {
  const [first = '', second] = namespace.split('-');
  const initials = second ? `${first[0]}${second[0]}` : first.slice(0, 2);
  const [digit = '0'] = hash('sha256', namespace);
  const [background, ink] = COLOURS[Number.parseInt(digit, 16) % COLOURS.length] ?? COLOURS[0];
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">' +
    `<rect width="96" height="96" fill="${background}"/>` +
    `<text x="48" y="49" fill="${ink}" font-family="system-ui, sans-serif" font-size="38" ` +
    'font-weight="600" text-anchor="middle" dominant-baseline="central">' +
    `${initials.toUpperCase()}</text></svg>`
  );
}

/** A change of an owner's public profile. Omitted fields stay as they are. */
export interface ProfileChange {
  /** Empty for none. An organization has a name of its own instead. */
  displayName?: string | undefined;
  /** Empty for none. */
  summary?: string | undefined;
  /** A new picture; `remove` deletes the old one. */
  picture?: Buffer | 'remove' | undefined;
}

/** Returns the actor's profile. @throws NOT_FOUND if the account is gone */
export async function getOwnProfile(call: Call) {
  return describeProfile(call, call.actor.username);
}

/** Returns an owner's profile, for its form. @throws NOT_FOUND */
export async function describeProfile(context: Context, namespace: string) {
  const profile = await findProfile(context.sql.read, namespace);
  if (!profile) throw nothingAtAddress();
  const { displayName, summary, pictureHash } = profile;
  return {
    displayName: displayName ?? '',
    summary: summary ?? '',
    hasPicture: pictureHash !== null,
  };
}

/** Changes the actor's profile. @throws errors of {@link parseProfile} */
export async function saveOwnProfile(call: Call, change: ProfileChange): Promise<void> {
  const parsed = await parseProfile(change);
  await changeOwned(call, call.actor.username, (tx) => writeProfile(tx, call.actor.id, parsed));
}

type ParsedProfile = Awaited<ReturnType<typeof parseProfile>>;

/**
 * Checks a profile.
 *
 * @throws BAD_REQUEST naming `displayName` or `summary`; UNPROCESSABLE or PAYLOAD_TOO_LARGE naming
 *   `picture`
 */
export async function parseProfile({ displayName, summary, picture }: ProfileChange) {
  return {
    ...(displayName !== undefined && { displayName: requireText('displayName', displayName) }),
    ...(summary !== undefined && { summary: requireText('summary', summary) }),
    picture: Buffer.isBuffer(picture) ? await requirePicture(picture) : picture,
  };
}

export async function writeProfile(
  tx: Writer,
  ownerId: string,
  { picture, ...texts }: ParsedProfile,
): Promise<void> {
  await upsertProfile(tx, ownerId, texts);
  if (picture === undefined) return;
  await upsertPicture(tx, ownerId, picture === 'remove' ? null : picture);
}

function requireText(field: keyof typeof PROFILE_LIMITS, given: string): string | null {
  const parsed = parseProfileText(given, PROFILE_LIMITS[field]);
  if ('problem' in parsed) throw new FieldError('BAD_REQUEST', field, `${parsed.problem}.`);
  return parsed.text;
}

/** Checks a picture, whose bytes decide its type, and removes its metadata. */
async function requirePicture(given: Buffer) {
  if (given.length > PICTURE_LIMIT_BYTES) throw pictureTooLarge();
  const type = await sniffType(given);
  if (!isPictureType(type)) {
    throw new FieldError('UNPROCESSABLE', 'picture', 'must be a PNG, JPEG or WebP image.');
  }
  let isSized = false;
  const cleaned = withoutMetadata(type, Readable.from([given]), (width, height) => {
    isSized ||= width * height > 0;
    requireShowable('picture', width, height);
  });
  const bytes = await buffer(cleaned);
  if (!isSized) {
    throw new FieldError('UNPROCESSABLE', 'picture', 'this image is damaged. Choose another.');
  }
  return { type, bytes, hash: hash('sha256', bytes) };
}

export function pictureTooLarge(): FieldError {
  const limit = `${PICTURE_LIMIT_BYTES / 1024} KB`;
  return new FieldError('PAYLOAD_TOO_LARGE', 'picture', `must be at most ${limit}.`);
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
      // The picture was just replaced.
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
