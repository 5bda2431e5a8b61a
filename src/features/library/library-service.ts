import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { readLabelLines } from '../../base/schema/label.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { RAW_LIMITS } from '../../base/text/raw-length.ts';
import type { Actor, Call } from '../../core/context.ts';
import { decide, type Level } from '../../core/document/access-rules.ts';
import { see } from '../../core/document/authorize.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { accessOf, type DocumentAccess } from '../../core/document/shown-link-service.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { requireOrganization } from '../../core/owner/organization-service.ts';
import { takeable } from '../../core/owner/policy-service.ts';
import { findProfile } from '../../core/owner/profile-store.ts';
import { requireLabelKey } from '../labels/label-service.ts';
import { listPinnedRows } from '../pins/pin-store.ts';
import { isListed } from './library-filter.ts';
import { type Position, positionOf, type Sort } from './library-sort.ts';
import { listLibraryRows } from './library-store.ts';

/** Sorts after every time and every id. */
const LAST = '~';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** In characters: more than the longest title or name needs, together with an id. */
const MAX_CURSOR = 2_000;

/** Where each list starts, and whether a text can be a key of it. */
const KEYS: Record<Sort, { start: Position; isKey: (key: string) => boolean }> = {
  changed: { start: { key: LAST, id: LAST }, isKey: (key) => TIME.test(key) },
  created: { start: { key: LAST, id: LAST }, isKey: (key) => TIME.test(key) },
  title: { start: { key: '', id: '' }, isKey: (key) => !key.includes('\0') },
};

/** Writes a position in a list as an opaque text. */
function cursorOf({ key, id }: Position): string {
  return Buffer.from(`${key} ${id}`).toString('base64url');
}

/** Parses a cursor; the start if there is none; `undefined` for any other text. */
function parseCursor(cursor: string | undefined, sort: Sort): Position | undefined {
  const { start, isKey } = KEYS[sort];
  if (cursor === undefined) return start;
  if (cursor.length > MAX_CURSOR) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const end = text.lastIndexOf(' ');
  const [key, id] = [text.slice(0, end), text.slice(end + 1)];
  const isOurs = end >= 0 && isKey(key) && normaliseId(id) === id && id !== '';
  return isOurs ? { key, id } : undefined;
}

/**
 * Which documents to list. `recent`: those of all other places together. `own`: the actor's.
 * `shared`: those the actor collaborates on but neither owns nor created. Otherwise an
 * organization's, for a member.
 */
export type LibraryPlace = 'recent' | 'own' | 'shared' | { organization: string };

export interface LibraryItem
  extends Pick<LibraryRow, 'id' | 'kind' | 'name' | 'title' | 'ownerNamespace' | 'ownerType'>,
    Pick<LibraryRow, 'visibility' | 'updatedAt' | 'via' | 'viaName' | 'sizeBytes'> {
  access: DocumentAccess;
  /** The username of the last editor; `null` if the account is gone. */
  updatedBy: string | null;
  level: Level;
  /** Whether the actor has a permission of their own, which they can give up. */
  isCollaborator: boolean;
  /** Whether the actor can give it to another owner, and move it to the trash. */
  canMove: boolean;
  canDelete: boolean;
  /** Number of collaborators besides the actor. */
  collaborators: number;
  /** Its labels, sorted. */
  labels: string[];
  /**
   * Whether it is pinned to the top of its owner's lists, and whether the actor can change that.
   */
  isPinned: boolean;
  canPin: boolean;
}

/** Part of a list and the cursor of the next part; `undefined` at the end. */
export interface Library {
  /** Documents pinned to the top, the last pinned first. Only the first part has them. */
  pinned: LibraryItem[];
  items: LibraryItem[];
  next: string | undefined;
}

/** The list and the part of it to return. */
interface LibraryRequest {
  place: LibraryPlace;
  kind?: Kind | undefined;
  visibility?: Visibility | undefined;
  /** Only documents of this owner (a namespace), if the place has several owners. */
  owner?: string | undefined;
  /** Only documents with this label; case is ignored. */
  label?: string | undefined;
  /** Default `changed`. */
  sort?: Sort | undefined;
  /**
   * Words that owner, name and title must contain together, in any order; only the first four
   * count. Each part of the list compares only the next 5,000 documents of each owner, kind and
   * visibility.
   */
  filter?: string | undefined;
  /** The `next` of the previous part; absent for the first part. */
  before?: string | undefined;
  /** The most documents to return, besides pinned ones. */
  size: number;
  /** Whether documents pinned to the top come first, in the list of one owner. */
  pinnedFirst?: boolean;
}

/**
 * Lists documents of both kinds, or one, that the actor can read, the most recently changed or
 * created first, or by title.
 *
 * @throws BAD_REQUEST if `before` isn't a cursor of such a list or `label` can't be a label;
 *   NOT_FOUND if the actor is not a member of the organization, or there is none
 */
export async function listLibrary(call: Call, list: LibraryRequest): Promise<Library> {
  const { pinned, rows, next } = await readPart(call, list);
  const items = await toLibraryItems(call, [...pinned, ...rows]);
  return { pinned: items.slice(0, pinned.length), items: items.slice(pinned.length), next };
}

async function readPart(call: Call, list: LibraryRequest) {
  const { kind, visibility, label, sort = 'changed', filter = '', before, size } = list;
  const { read } = call.sql;
  const after = parseCursor(before, sort);
  if (!after)
    throw new FieldError('BAD_REQUEST', 'before', 'must be the "next" value of another response.');
  const labelKey = label === undefined ? undefined : requireLabelKey(label);
  const place = await resolvePlace(call, list);
  if (!place) return { pinned: [], rows: [], next: undefined };
  const where = {
    kind,
    visibility,
    label: labelKey,
    words: wordsOf(filter),
    actorId: call.actor.id,
  };
  const pinnedOf = list.pinnedFirst ? placeOwner(call.actor, place) : undefined;
  const pinned =
    pinnedOf === undefined || before !== undefined
      ? []
      : await listPinnedRows(read, { ownerId: pinnedOf, actorId: call.actor.id });
  const withoutPinned = pinnedOf !== undefined;
  const found = await listLibraryRows(
    read,
    { ...place, ...where, sort, withoutPinned },
    after,
    size + 1,
  );
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  return {
    pinned: pinned.filter((row) => see(row).level !== 'none' && isListed(row, where)),
    rows,
    next: last && found.length > size ? cursorOf(positionOf(sort, last)) : undefined,
  };
}

/** Returns the words of a filter, normalised like names. */
function wordsOf(filter: string): string[] {
  const text = filter.slice(0, RAW_LIMITS.name).normalize('NFC').toLowerCase();
  return text.match(/[^\s\0]+/g) ?? [];
}

type Place = { place: 'recent' | 'own' | 'shared' | 'organization'; ownerId?: string };

/** Converts the place to the store's form; `undefined` if there is no such owner. */
async function resolvePlace(
  { sql, actor }: Call,
  { place, owner }: LibraryRequest,
): Promise<Place | undefined> {
  if (typeof place === 'string') {
    if (owner === undefined) return { place };
    const namespace = parseNamespace(owner);
    const found = namespace && (await findProfile(sql.read, namespace));
    return found ? { place, ownerId: found.id } : undefined;
  }
  const { id, role } = await requireOrganization(sql.read, actor, place.organization);
  if (role === null) {
    throw new FieldError('NOT_FOUND', 'organization', 'you are not a member of this organization.');
  }
  return { place: 'organization', ownerId: id };
}

/** Returns the owner of a place's documents, if there is only one. */
function placeOwner(actor: Actor, { place, ownerId }: Place): string | undefined {
  return place === 'own' ? actor.id : place === 'organization' ? ownerId : undefined;
}

/** Makes the items of a list from rows of the actor's. */
export async function toLibraryItems(
  call: Call,
  rows: readonly LibraryRow[],
): Promise<LibraryItem[]> {
  const access = await accessOf(call, rows);
  const free = await takeable(call.sql.read, rows);
  return rows.map((row) => {
    const isFree = free.has(row);
    const canMove = isFree && decide(row, 'move') === 'allow';
    const canDelete = (isFree || call.trashMs > 0) && decide(row, 'delete') === 'allow';
    return { ...toLibraryItem(row, access.get(row.id) as DocumentAccess), canMove, canDelete };
  });
}

function toLibraryItem(
  row: LibraryRow,
  access: DocumentAccess,
): Omit<LibraryItem, 'canMove' | 'canDelete'> {
  const { id, kind, name, title, ownerNamespace, ownerType, visibility } = row;
  const { updatedAt, updatedByUsername, via, viaName, sizeBytes, collaborators } = row;
  const about = { id, kind, name, title, ownerNamespace, ownerType, visibility, access };
  const state = { updatedAt, updatedBy: updatedByUsername, via, viaName, sizeBytes, collaborators };
  const isCollaborator = row.permission !== null && row.ownerId !== row.actorId;
  const found = { labels: readLabelLines(row.labelLines), isPinned: row.pinnedAt !== null };
  const canPin = decide(row, 'pinToTop') === 'allow';
  return { ...about, ...state, ...found, level: see(row).level, isCollaborator, canPin };
}
