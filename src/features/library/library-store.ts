import { type RawBuilder, sql } from 'kysely';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import {
  isVisibleTo,
  VISIBILITIES,
  VISIBLE_TO,
  type Visibility,
} from '../../base/schema/visibility.ts';
import { type LibraryRow, libraryRows } from '../../core/document/library-row-store.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { LABEL_ORDERS, ORDERS } from './library-order-store.ts';
import type { Position, Sort } from './library-sort.ts';

/** A set of documents: of owners the actor belongs to, or shared with the actor. */
type Part = 'own' | 'organizations' | 'organization' | 'collaborations' | 'shared' | 'private';

const PARTS = {
  recent: ['own', 'organizations', 'collaborations'],
  own: ['own'],
  shared: ['shared'],
  organization: ['organization', 'private'],
} as const satisfies Record<string, readonly Part[]>;

type PlaceName = keyof typeof PARTS;

/** LIKE patterns for "owner / name title". Their number is fixed, so that queries stay prepared. */
type Patterns = { word0: string; word1: string; word2: string; word3: string };

type Parameters = { actorId: string; ownerId: string; label: string; size: number } & Position &
  Patterns;
type Rows = RawBuilder<unknown>;

/**
 * The most documents whose names a filter compares: per owner, kind and visibility, and for all
 * collaborations together.
 */
const LOOKED_THROUGH = 5000;

/** The prepared queries, by place, kind, visibility, order and filters. */
const lists = new Map<string, ReturnType<typeof preparedLibrary>>();

export interface LibraryList {
  place: PlaceName;
  kind?: Kind | undefined;
  visibility?: Visibility | undefined;
  sort: Sort;
  actorId: string;
  /** The organization, if the place is one; otherwise the only owner to list, if it is given. */
  ownerId?: string | undefined;
  /** The key of a label. */
  label?: string | undefined;
  /**
   * In lower case. `owner / name title` must contain each of the first four; others are ignored.
   */
  words?: readonly string[];
  /** Whether to leave out documents that are pinned to the top. */
  withoutPinned?: boolean;
}

/** Lists the first `size` documents after a position, of those that the actor can read. */
export async function listLibraryRows(
  db: Reader,
  list: LibraryList,
  after: Position,
  size: number,
): Promise<readonly LibraryRow[]> {
  const { place, kind, visibility, sort, actorId, ownerId, label, words = [] } = list;
  const { withoutPinned = false } = list;
  const isFiltered = words.length > 0;
  const [isOfOwner, isLabelled] = [ownerId !== undefined, label !== undefined];
  const flags = [isFiltered, isOfOwner, isLabelled, withoutPinned];
  const key = [place, kind, visibility, sort, ...flags].join(' ');
  const query =
    lists.get(key) ??
    preparedLibrary(PARTS[place], {
      kinds: kind ? [kind] : ALL_KINDS,
      visibilities: visibility ? [visibility] : VISIBILITIES,
      sort,
      isFiltered,
      isOfOwner,
      isLabelled,
      withoutPinned,
    });
  lists.set(key, query);
  const [word0, word1, word2, word3] = [0, 1, 2, 3].map((index) => containing(words[index] ?? ''));
  const patterns = { word0, word1, word2, word3 } as Patterns;
  const filters = { ownerId: ownerId ?? '', label: label ?? '' };
  return query(db, { actorId, size, ...filters, ...after, ...patterns });
}

function containing(word: string): string {
  return `%${word.replaceAll(/[!%_]/g, '!$&')}%`;
}

/** A limit that is an expression, so that SQLite compiles the query once (`prepared.ts`). */
function sizeOf(parameter: Parameter<Parameters>): RawBuilder<number> {
  return sql`cast(${parameter('size')} as integer)`;
}

function preparedLibrary(parts: readonly Part[], choice: Choice) {
  return prepared<Parameters, LibraryRow>((db, parameter) => {
    const seek = { db, parameter, ...choice };
    const order = ORDERS[choice.sort];
    const ids = sql.join(
      parts.map((part) => sql`select * from (${IDS[part](seek)}) as part`),
      sql` union `,
    );
    const first = sql<string>`select id from (${ids}) as listed
      order by ${order.by(sql`sort_key`, sql`id`)} limit ${sizeOf(parameter)}`;
    return libraryRows(db, parameter('actorId'))
      .where('document.id', 'in', sql<string>`(${first})`)
      .orderBy(order.by(order.key, sql`document.id`));
  });
}

/** The differences between prepared lists. */
interface Choice {
  kinds: readonly Kind[];
  visibilities: readonly Visibility[];
  sort: Sort;
  /** Whether the list is filtered by words. */
  isFiltered: boolean;
  isOfOwner: boolean;
  isLabelled: boolean;
  withoutPinned: boolean;
}

interface Seek extends Choice {
  db: Reader;
  parameter: Parameter<Parameters>;
}

/** Queries for the first `id`, `sort_key` of each part. */
const IDS: Record<Part, (seek: Seek) => Rows> = {
  own: (seek) =>
    ofSources(
      seek,
      sql`select ${seek.parameter('actorId')} as "ownerId", kind, visibility
        from (${kindsAndVisibilities(seek)}) as pair
        where visibility <> 'internal' and ${isOfOwner(seek, seek.parameter('actorId'))}`,
    ),
  organizations: (seek) => ofSources(seek, memberOf(seek)),
  organization: (seek) => ofSources(seek, memberOf(seek)),
  collaborations: (seek) => ofCollaborations(seek, sql`true`),
  private: (seek) =>
    ofCollaborations(
      seek,
      sql`document.visibility in (${literals(
        VISIBILITIES.filter((visibility) => !isVisibleTo('member', visibility)),
      )})`,
    ),
  shared: (seek) =>
    ofCollaborations(
      seek,
      sql`document."ownerId" <> ${seek.parameter('actorId')}
        and (document."createdBy" is null or document."createdBy" <> ${seek.parameter('actorId')})`,
    ),
};

/** Builds the condition that the document belongs to the list's owner, if the list has one. */
function isOfOwner(seek: Seek, owner: Rows): Rows {
  return seek.isOfOwner ? sql`${owner} = ${seek.parameter('ownerId')}` : sql`true`;
}

/** Selects owner, kind and visibility of the documents that the actor can read as a member. */
function memberOf(seek: Seek): Rows {
  const opened = (['admin', 'member'] as const).map(
    (role) => sql`(role = ${sql.lit(role)} and visibility in (${literals(VISIBLE_TO[role])}))`,
  );
  return sql`select "organizationId" as "ownerId", kind, visibility
    from ${sql.table('membership')} cross join (${kindsAndVisibilities(seek)}) as pair
    where "accountId" = ${seek.parameter('actorId')} and (${sql.join(opened, sql` or `)})
      and ${isOfOwner(seek, sql`"organizationId"`)}`;
}

function literals(texts: readonly string[]): Rows {
  return sql.join(texts.map((text) => sql.lit(text)));
}

/**
 * Selects the requested pairs of kind and visibility. An index returns an owner's documents of each
 * pair in order.
 */
function kindsAndVisibilities({ kinds, visibilities }: Seek): Rows {
  const rows = kinds.flatMap((kind) =>
    visibilities.map(
      (visibility) => sql`select ${sql.lit(kind)} as kind, ${sql.lit(visibility)} as visibility`,
    ),
  );
  return sql.join(rows, sql` union all `);
}

/**
 * Queries the first documents of each source by index, so that the cost doesn't depend on their
 * number.
 */
function ofSources(seek: Seek, sources: Rows): Rows {
  const { sort, isLabelled, parameter } = seek;
  const isOfSource = sql`document."ownerId" = source."ownerId"
    and document.kind = source.kind and document.visibility = source.visibility`;
  // `cross join` makes SQLite read the labels first, by their index.
  const labelled = sql`from document_label as labelled
    cross join ${sql.table('document')} where document.id = labelled."documentId"
      and labelled."ownerId" = source."ownerId" and labelled.key = ${parameter('label')}
      and labelled.kind = source.kind and labelled.visibility = source.visibility
      and ${isOfSource}`;
  const all = sql`from ${sql.table('document')} where ${isOfSource}`;
  const first = isLabelled ? firstOf(seek, labelled, LABEL_ORDERS[sort]) : firstOf(seek, all);
  const isFirst = capabilitiesOf(seek.db).isAmong(
    sql.ref('document.id'),
    sql`select id from (${first}) as first`,
  );
  return sql`select document.id, ${ORDERS[sort].key} as sort_key from (${sources}) as source
    cross join ${sql.table('document')} where ${isFirst}`;
}

function ofCollaborations(seek: Seek, condition: Rows): Rows {
  const { parameter, kinds, visibilities } = seek;
  const isLabelled = sql`exists (select 1 from document_label where "documentId" = document.id
    and key = ${parameter('label')})`;
  return firstOf(
    seek,
    sql`from ${sql.table('collaborator')} join ${sql.table('document')} on document.id = collaborator."documentId"
      where collaborator."accountId" = ${parameter('actorId')} and document.kind in (${literals(kinds)})
        and document.visibility in (${literals(visibilities)}) and ${condition}
        and ${isOfOwner(seek, sql`document."ownerId"`)}
        and ${seek.isLabelled ? isLabelled : sql`true`}`,
  );
}

/** Queries the first `id`, `sort_key` after the position. */
function firstOf(seek: Seek, documents: Rows, order = ORDERS[seek.sort]): Rows {
  const { parameter, isFiltered, withoutPinned } = seek;
  const size = sizeOf(parameter);
  const isUnpinned = sql`not exists (select 1 from pinned_document
    where pinned_document."documentId" = document.id)`;
  const first = (columns: Rows, limit: Rows) => sql`select ${columns} ${documents}
    and ${order.after(parameter('key'), parameter('id'))} and ${withoutPinned ? isUnpinned : sql`true`}
    order by ${order.by(order.key, order.id)} limit ${limit}`;
  const position = sql`document.id, ${order.key} as sort_key`;
  if (!isFiltered) return first(position, size);
  const columns = sql`${position}, document."ownerId", document.name, document.title`;
  // Compares a limited number: names have no index, and the database may run on the main thread.
  return sql`select id, sort_key from (${first(columns, sql.lit(LOOKED_THROUGH))}) as looked
    where ${isNamed(sql`looked`, parameter)}
    order by ${order.by(sql`sort_key`, sql`id`)} limit ${size}`;
}

/** Builds the condition that "owner / name title" contains the words. */
function isNamed(table: Rows, parameter: Parameter<Parameters>): Rows {
  const shown = sql`(select namespace from owner where owner.id = ${table}."ownerId")
    || ' / ' || ${table}.name || ' ' || lower(coalesce(${table}.title, ''))`;
  const words = (['word0', 'word1', 'word2', 'word3'] as const).map(
    (word) => sql`${shown} like cast(${parameter(word)} as text) escape '!'`,
  );
  return sql.join(words, sql` and `);
}
