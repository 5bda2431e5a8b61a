import type { Means } from '../account/means.ts';
import type { Actor, Context } from '../context.ts';
import { FieldError } from '../errors.ts';
import { requireOrganization } from '../organization/organization-service.ts';
import { RAW_LIMITS } from '../text/raw-length.ts';
import { decide, type Level, type OwnerType, type Visibility } from './access.ts';
import { type Seen, see } from './authorize.ts';
import type { Kind } from './kind.ts';
import { readLabelLines } from './label/label-store.ts';
import { cursorOf, parseCursor } from './library-cursor.ts';
import type { Sort } from './library-sort.ts';
import { type LibraryRow, listLibraryRows } from './library-store.ts';

/**
 * Which documents to list. `recent`: all of the others together. `own`: the actor's. `shared`:
 * those the actor collaborates on but neither owns nor created. Otherwise an organization's, for a
 * member.
 */
export type LibraryPlace = 'recent' | 'own' | 'shared' | { organization: string };

export interface LibraryItem {
  id: string;
  kind: Kind;
  name: string;
  /** A page's title or a brief's first heading, if there is one. */
  title: string | null;
  ownerNamespace: string;
  ownerType: OwnerType;
  visibility: Visibility;
  updatedAt: string;
  /** The username of the last editor; `null` if the account is gone. */
  updatedBy: string | null;
  /** The means of the last change, and the name of the token or application. */
  via: Means | null;
  viaName: string | null;
  sizeBytes: number;
  level: Level;
  /** Whether the actor has a permission of their own, which they can give up. */
  isCollaborator: boolean;
  /** Number of collaborators besides the actor. */
  collaborators: number;
  /** Its labels, sorted. */
  labels: string[];
  /** Whether it is pinned to the top of its owner's lists, and whether the actor can change that. */
  isPinned: boolean;
  canPin: boolean;
}

/** Part of a list and the cursor of the next part; `undefined` at the end. */
export interface Library {
  items: LibraryItem[];
  next: string | undefined;
}

/** The list and the part of it to return. */
interface LibraryRequest {
  place: LibraryPlace;
  kind?: Kind | undefined;
  visibility?: Visibility | undefined;
  /** Default `changed`. */
  sort?: Sort | undefined;
  /**
   * Words that owner, name and title must contain together, in any order; only the first four
   * count. Only the newest 5,000 documents of each owner, kind and visibility are searched.
   */
  filter?: string | undefined;
  /** The `next` of the previous part; absent for the first part. */
  before?: string | undefined;
  /** The most documents to return. */
  size: number;
}

/**
 * Lists documents of both kinds, or one, that the actor can read, the most recently changed or
 * created first.
 *
 * @throws BAD_REQUEST if `before` isn't a cursor; NOT_FOUND if the actor is not a member of the
 *   organization, or there is none
 */
export async function listLibrary(
  context: Context,
  actor: Actor,
  list: LibraryRequest,
): Promise<Library> {
  const { rows, next } = await readPart(context, actor, list);
  return { items: rows.map(toLibraryItem), next };
}

/** Lists the same documents with all their fields. @throws errors of {@link listLibrary} */
export async function seeLibrary(
  context: Context,
  actor: Actor,
  list: LibraryRequest,
): Promise<{ items: Seen<LibraryRow>[]; next: string | undefined }> {
  const { rows, next } = await readPart(context, actor, list);
  return { items: rows.map((row) => see(row)), next };
}

async function readPart(context: Context, actor: Actor, list: LibraryRequest) {
  const { kind, visibility, sort = 'changed', filter = '', before, size } = list;
  const after = parseCursor(before);
  if (!after)
    throw new FieldError('BAD_REQUEST', 'before', 'must be the "next" value of another response.');
  const place = await resolvePlace(context, actor, list.place);
  const where = { ...place, kind, visibility, sort, words: wordsOf(filter), actorId: actor.id };
  const found = await listLibraryRows(context.sql.read, where, after, size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  return { rows, next: last && found.length > size ? cursorOf(last) : undefined };
}

/** Returns the words of a filter, normalised like names. */
function wordsOf(filter: string): string[] {
  const text = filter.slice(0, RAW_LIMITS.name).normalize('NFC').toLowerCase();
  return text.match(/[^\s\0]+/g) ?? [];
}

async function resolvePlace(context: Context, actor: Actor, place: LibraryPlace) {
  if (typeof place === 'string') return { place };
  const { id, role } = await requireOrganization(context.sql.read, actor, place.organization);
  if (role === null) {
    throw new FieldError('NOT_FOUND', 'organization', 'you are not a member of this organization.');
  }
  return { place: 'organization', ownerId: id } as const;
}

export function toLibraryItem(row: LibraryRow): LibraryItem {
  const { id, kind, name, title, ownerNamespace, ownerType, visibility } = row;
  const { updatedAt, updatedByUsername, via, viaName, sizeBytes, collaborators } = row;
  const about = { id, kind, name, title, ownerNamespace, ownerType, visibility };
  const state = { updatedAt, updatedBy: updatedByUsername, via, viaName, sizeBytes, collaborators };
  const isCollaborator = row.permission !== null && row.ownerId !== row.actorId;
  const found = { labels: readLabelLines(row.labelLines), isPinned: row.pinnedAt !== null };
  const canPin = decide(row, 'pinToTop') === 'allow';
  return { ...about, ...state, ...found, level: see(row).level, isCollaborator, canPin };
}
