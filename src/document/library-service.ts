import type { Actor, Context } from '../context.ts';
import { FieldError } from '../errors.ts';
import { requireOrganization } from '../organization/organization-service.ts';
import { RAW_LIMITS } from '../text/raw-length.ts';
import type { Level, OwnerType, Visibility } from './access.ts';
import { type Seen, see } from './authorize.ts';
import type { Kind } from './kind.ts';
import { cursorOf, parseCursor } from './library-cursor.ts';
import { type LibraryRow, listLibraryRows } from './library-store.ts';

/**
 * Which documents: `recent` are all that the others show; `own` those of the actor; `shared` those
 * where the actor collaborates, and neither owns nor made them; else what an organization has for
 * the actor, who is a member.
 */
export type LibraryPlace = 'recent' | 'own' | 'shared' | { organization: string };

/** A document in a list. */
export interface LibraryItem {
  id: string;
  kind: Kind;
  name: string;
  /** What a page calls itself, where it does. */
  title: string | null;
  ownerNamespace: string;
  ownerType: OwnerType;
  visibility: Visibility;
  updatedAt: string;
  /** The username of whoever wrote last; `null` when the account is gone. */
  updatedBy: string | null;
  sizeBytes: number;
  /** The actor's. */
  level: Level;
  /** How many collaborators there are besides the actor. */
  collaborators: number;
}

/** Part of a list, and where the next one begins; `undefined` when there is none. */
export interface Library {
  items: LibraryItem[];
  next: string | undefined;
}

/** Which part of which list. */
interface LibraryRequest {
  place: LibraryPlace;
  kind?: Kind | undefined;
  /**
   * Words that owner and name contain, in any order; the first four count. Only the newest 5,000
   * documents of each owner, kind and visibility are looked through.
   */
  filter?: string | undefined;
  /** The `next` of another part; the first part when absent. */
  before?: string | undefined;
  /** How many documents, at most. */
  size: number;
}

/**
 * Documents of both kinds, or one, that the actor may read; the most recently changed first.
 *
 * @throws BAD_REQUEST when `before` is none of ours; NOT_FOUND when the actor does not belong to the
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

/** The same documents, with all that is known of each. @throws as {@link listLibrary} */
export async function seeLibrary(
  context: Context,
  actor: Actor,
  list: LibraryRequest,
): Promise<{ items: Seen<LibraryRow>[]; next: string | undefined }> {
  const { rows, next } = await readPart(context, actor, list);
  return { items: rows.map((row) => see(row)), next };
}

async function readPart(context: Context, actor: Actor, list: LibraryRequest) {
  const { kind, filter = '', before, size } = list;
  const after = parseCursor(before);
  if (!after) throw new FieldError('BAD_REQUEST', 'before', 'must be the "next" of another page.');
  const place = await resolvePlace(context, actor, list.place);
  const where = { ...place, kind, words: wordsOf(filter), actorId: actor.id };
  const found = await listLibraryRows(context.sql.read, where, after, size + 1);
  const rows = found.slice(0, size);
  const last = rows.at(-1);
  return { rows, next: last && found.length > size ? cursorOf(last) : undefined };
}

/** The words of a filter in the form in which names are stored. */
function wordsOf(filter: string): string[] {
  const text = filter.slice(0, RAW_LIMITS.name).normalize('NFC').toLowerCase();
  return text.match(/[^\s\0]+/g) ?? [];
}

async function resolvePlace(context: Context, actor: Actor, place: LibraryPlace) {
  if (typeof place === 'string') return { place };
  const { id, role } = await requireOrganization(context.sql.read, actor, place.organization);
  if (role === null) {
    throw new FieldError('NOT_FOUND', 'organization', 'you are no member of such an organization.');
  }
  return { place: 'organization', ownerId: id } as const;
}

/** What a list shows of a row. */
export function toLibraryItem(row: LibraryRow): LibraryItem {
  const { id, kind, name, title, ownerNamespace, ownerType, visibility } = row;
  const { updatedAt, updatedByUsername, sizeBytes, collaborators } = row;
  const about = { id, kind, name, title, ownerNamespace, ownerType, visibility };
  const state = { updatedAt, updatedBy: updatedByUsername, sizeBytes, collaborators };
  return { ...about, ...state, level: see(row).level };
}
