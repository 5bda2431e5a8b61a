import { type RawBuilder, sql } from 'kysely';
import { capabilitiesOf } from '../storage/sql/dialect.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader } from '../storage/sql/sql.ts';
import { VISIBILITIES } from './access.ts';
import { type DocumentRow, documents } from './document-store.ts';
import { KINDS, type Kind } from './kind.ts';

/** A document as somebody's own lists show it. */
export interface LibraryRow extends DocumentRow {
  /** A username; `null` when the account is gone. */
  updatedByUsername: string | null;
  /** How many collaborators it has besides the actor. */
  collaborators: number;
}

/** A place in the order of these lists: by when documents changed, then by id, the latest first. */
export type Position = { updatedAt: string; id: string };

/** Whose documents a list shows: of owners that the actor belongs with, and shared ones. */
type Part = 'own' | 'organizations' | 'organization' | 'collaborations' | 'shared' | 'private';

/** What each place is made of. */
const PARTS = {
  recent: ['own', 'organizations', 'collaborations'],
  own: ['own'],
  shared: ['shared'],
  organization: ['organization', 'private'],
} as const satisfies Record<string, readonly Part[]>;

type PlaceName = keyof typeof PARTS;

type Parameters = { actorId: string; ownerId: string; size: number } & Position;
type Parameter = <Name extends keyof Parameters>(name: Name) => RawBuilder<Parameters[Name]>;
type Rows = RawBuilder<unknown>;

const ALL_KINDS = Object.keys(KINDS) as Kind[];

const LISTS = Object.fromEntries(
  Object.entries(PARTS).map(([place, parts]) => [
    place,
    Object.fromEntries([
      ['all', preparedLibrary(parts, ALL_KINDS)],
      ...ALL_KINDS.map((kind) => [kind, preparedLibrary(parts, [kind])]),
    ]),
  ]),
) as Record<PlaceName, Record<Kind | 'all', ReturnType<typeof preparedLibrary>>>;

/**
 * Documents that the actor may read, the most recently changed first: `size` of those that come
 * after a position.
 *
 * @param list.ownerId the organization, where that is the place
 */
export async function listLibraryRows(
  db: Reader,
  list: { place: PlaceName; kind?: Kind | undefined; actorId: string; ownerId?: string },
  after: Position,
  size: number,
): Promise<readonly LibraryRow[]> {
  const { place, kind = 'all', actorId, ownerId = '' } = list;
  return LISTS[place][kind](db, { actorId, ownerId, size, ...after });
}

function preparedLibrary(parts: readonly Part[], kinds: readonly Kind[]) {
  return prepared<Parameters, LibraryRow>((db, parameter) => {
    const ids = sql.join(
      parts.map((part) => sql`select * from (${IDS[part](db, parameter, kinds)}) as part`),
      sql` union `,
    );
    const first = sql<string>`select id from (${ids}) as listed
      order by updated_at desc, id desc limit ${parameter('size')}`;
    return libraryRows(db, parameter('actorId'))
      .where('document.id', 'in', sql<string>`(${first})`)
      .orderBy('document.updated_at', 'desc')
      .orderBy('document.id', 'desc');
  });
}

/** The newest of each part: `id`, `updated_at`. */
const IDS: Record<Part, (db: Reader, parameter: Parameter, kinds: readonly Kind[]) => Rows> = {
  own: (db, parameter, kinds) =>
    ofSources(
      db,
      parameter,
      sql`select ${parameter('actorId')} as owner_id, kind, visibility
        from (${shelves(kinds)}) as shelf where visibility <> 'internal'`,
    ),
  organizations: (db, parameter, kinds) => ofSources(db, parameter, memberOf(parameter, kinds)),
  organization: (db, parameter, kinds) =>
    ofSources(
      db,
      parameter,
      sql`${memberOf(parameter, kinds)} and organization_id = ${parameter('ownerId')}`,
    ),
  collaborations: (_, parameter, kinds) => ofCollaborations(parameter, kinds, sql`true`),
  private: (_, parameter, kinds) =>
    ofCollaborations(
      parameter,
      kinds,
      sql`document.owner_id = ${parameter('ownerId')} and document.visibility = 'private'`,
    ),
  shared: (_, parameter, kinds) =>
    ofCollaborations(
      parameter,
      kinds,
      sql`document.owner_id <> ${parameter('actorId')}
        and (document.created_by is null or document.created_by <> ${parameter('actorId')})`,
    ),
};

/** The shelves of every organization that the actor belongs to, as far as the role opens them. */
function memberOf(parameter: Parameter, kinds: readonly Kind[]): Rows {
  return sql`select organization_id as owner_id, kind, visibility
    from membership cross join (${shelves(kinds)}) as shelf
    where account_id = ${parameter('actorId')} and (role = 'admin' or visibility <> 'private')`;
}

/** Every kind and visibility: below these, an index has an owner's documents in this order. */
function shelves(kinds: readonly Kind[]): Rows {
  const rows = kinds.flatMap((kind) =>
    VISIBILITIES.map(
      (visibility) => sql`select ${sql.lit(kind)} as kind, ${sql.lit(visibility)} as visibility`,
    ),
  );
  return sql.join(rows, sql` union all `);
}

/** The newest on each shelf, sought by index, so that it does not matter how many there are. */
function ofSources(db: Reader, parameter: Parameter, sources: Rows): Rows {
  const newest = sql`select shelved.id from document as shelved
    where shelved.owner_id = source.owner_id and shelved.kind = source.kind
      and shelved.visibility = source.visibility
      and ${comesAfter(sql`shelved`, parameter)}
    order by shelved.updated_at desc, shelved.id desc limit ${parameter('size')}`;
  return sql`select document.id, document.updated_at from (${sources}) as source
    cross join document where ${capabilitiesOf(db).isAmong(sql.ref('document.id'), newest)}`;
}

function ofCollaborations(parameter: Parameter, kinds: readonly Kind[], which: Rows): Rows {
  const named = sql.join(kinds.map((kind) => sql.lit(kind)));
  return sql`select document.id, document.updated_at
    from collaborator join document on document.id = collaborator.document_id
    where collaborator.account_id = ${parameter('actorId')} and document.kind in (${named})
      and ${comesAfter(sql`document`, parameter)} and ${which}
    order by document.updated_at desc, document.id desc limit ${parameter('size')}`;
}

function comesAfter(table: Rows, parameter: Parameter): Rows {
  const after = sql`(${parameter('updatedAt')}, ${parameter('id')})`;
  return sql`(${table}.updated_at, ${table}.id) < ${after}`;
}

/** Documents with all that a list shows of them. */
export function libraryRows(db: Reader, actorId: RawBuilder<string>) {
  return documents(db, actorId)
    .leftJoin('owner as updater', 'updater.id', 'document.updated_by')
    .select([
      'updater.namespace as updatedByUsername',
      (document) =>
        document
          .selectFrom('collaborator as other')
          .whereRef('other.document_id', '=', 'document.id')
          .where('other.account_id', '<>', actorId)
          .select((other) => other.fn.countAll<number>().as('collaborators'))
          .$asScalar()
          .$notNull()
          .as('collaborators'),
    ]);
}
