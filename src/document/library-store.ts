import { type RawBuilder, sql } from 'kysely';
import type { Means } from '../account/means.ts';
import { capabilitiesOf } from '../storage/sql/dialect.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader } from '../storage/sql/sql.ts';
import { isVisibleTo, VISIBILITIES, VISIBLE_TO, type Visibility } from './access.ts';
import { type DocumentRow, documents } from './document-store.ts';
import { KINDS, type Kind } from './kind.ts';
import { labelLines } from './label/label-store.ts';
import type { Sort } from './library-sort.ts';

/** A document in its reader's lists. */
export interface LibraryRow extends DocumentRow {
  /** A username; `null` if the account is gone. */
  updatedByUsername: string | null;
  /** The means of the last change, and the name of the token or application. */
  via: Means | null;
  viaName: string | null;
  /** Number of collaborators besides the actor. */
  collaborators: number;
  /** Its labels, a label a line. */
  labelLines: string | null;
  /** When it was pinned to the top of its owner's lists. */
  pinnedAt: string | null;
}

/** A position in these lists, which are sorted by time of change, then id, latest first. */
export type Position = { updatedAt: string; id: string };

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

type Parameters = { actorId: string; ownerId: string; size: number } & Position & Patterns;
type Parameter = <Name extends keyof Parameters>(name: Name) => RawBuilder<Parameters[Name]>;
type Rows = RawBuilder<unknown>;

const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** The prepared queries, by place, kind, visibility and order. */
const lists = new Map<string, ReturnType<typeof preparedLibrary>>();

/**
 * Lists the `size` documents after a position that the actor can read.
 *
 * @param list.ownerId the organization, if the place is one
 * @param list.words in lower case; owner, name and title must contain the first four
 */
export async function listLibraryRows(
  db: Reader,
  list: {
    place: PlaceName;
    kind?: Kind | undefined;
    visibility?: Visibility | undefined;
    sort: Sort;
    actorId: string;
    ownerId?: string;
    words?: readonly string[];
  },
  after: Position,
  size: number,
): Promise<readonly LibraryRow[]> {
  const { place, kind, visibility, sort, actorId, ownerId = '', words = [] } = list;
  const isFiltered = words.length > 0;
  const key = [place, kind, visibility, sort, isFiltered].join(' ');
  const query =
    lists.get(key) ??
    preparedLibrary(PARTS[place], {
      kinds: kind ? [kind] : ALL_KINDS,
      visibilities: visibility ? [visibility] : VISIBILITIES,
      ...{ sort, isFiltered },
    });
  lists.set(key, query);
  const [word0, word1, word2, word3] = [0, 1, 2, 3].map((index) => containing(words[index] ?? ''));
  const patterns = { word0, word1, word2, word3 } as Patterns;
  return query(db, { actorId, ownerId, size, ...after, ...patterns });
}

function containing(word: string): string {
  return `%${word.replaceAll(/[!%_]/g, '!$&')}%`;
}

function preparedLibrary(parts: readonly Part[], choice: Choice) {
  return prepared<Parameters, LibraryRow>((db, parameter) => {
    const seek = { db, parameter, ...choice };
    const ids = sql.join(
      parts.map((part) => sql`select * from (${IDS[part](seek)}) as part`),
      sql` union `,
    );
    const first = sql<string>`select id from (${ids}) as listed
      order by ${orderOf(choice.sort)} limit ${parameter('size')}`;
    return libraryRows(db, parameter('actorId'))
      .where('document.id', 'in', sql<string>`(${first})`)
      .orderBy(sql`${orderOf(choice.sort, 'document.')}`);
  });
}

/** What makes one prepared list differ from another. */
interface Choice {
  kinds: readonly Kind[];
  visibilities: readonly Visibility[];
  sort: Sort;
  /** Whether the list is filtered by name. */
  isFiltered: boolean;
}

interface Seek extends Choice {
  db: Reader;
  parameter: Parameter;
}

/** Returns the order of a list. The documents have an index in this order. */
function orderOf(sort: Sort, of: 'document.' | '' = ''): Rows {
  const id = sql.raw(`${of}id desc`);
  return sort === 'created' ? id : sql`${sql.raw(`${of}updated_at desc`)}, ${id}`;
}

/** Queries for the newest `id`, `updated_at` of each part. */
const IDS: Record<Part, (seek: Seek) => Rows> = {
  own: (seek) =>
    ofSources(
      seek,
      sql`select ${seek.parameter('actorId')} as owner_id, kind, visibility
        from (${shelves(seek)}) as shelf where visibility <> 'internal'`,
    ),
  organizations: (seek) => ofSources(seek, memberOf(seek)),
  organization: (seek) =>
    ofSources(seek, sql`${memberOf(seek)} and organization_id = ${seek.parameter('ownerId')}`),
  collaborations: (seek) => ofCollaborations(seek, sql`true`),
  private: (seek) =>
    ofCollaborations(
      seek,
      sql`document.owner_id = ${seek.parameter('ownerId')} and document.visibility in (${literals(
        VISIBILITIES.filter((visibility) => !isVisibleTo('member', visibility)),
      )})`,
    ),
  shared: (seek) =>
    ofCollaborations(
      seek,
      sql`document.owner_id <> ${seek.parameter('actorId')}
        and (document.created_by is null or document.created_by <> ${seek.parameter('actorId')})`,
    ),
};

/** Queries the documents that the actor's roles in all organizations open. */
function memberOf(seek: Seek): Rows {
  const opened = (['admin', 'member'] as const).map(
    (role) => sql`(role = ${sql.lit(role)} and visibility in (${literals(VISIBLE_TO[role])}))`,
  );
  return sql`select organization_id as owner_id, kind, visibility
    from membership cross join (${shelves(seek)}) as shelf
    where account_id = ${seek.parameter('actorId')} and (${sql.join(opened, sql` or `)})`;
}

function literals(texts: readonly string[]): Rows {
  return sql.join(texts.map((text) => sql.lit(text)));
}

/** Lists every kind and visibility: for each, an index has an owner's documents in this order. */
function shelves({ kinds, visibilities }: Seek): Rows {
  const rows = kinds.flatMap((kind) =>
    visibilities.map(
      (visibility) => sql`select ${sql.lit(kind)} as kind, ${sql.lit(visibility)} as visibility`,
    ),
  );
  return sql.join(rows, sql` union all `);
}

/** Queries the newest of each source by index, so that the number of documents doesn't matter. */
function ofSources(seek: Seek, sources: Rows): Rows {
  const newest = newestOf(
    seek,
    sql`from document where document.owner_id = source.owner_id and document.kind = source.kind
      and document.visibility = source.visibility`,
  );
  const isNewest = capabilitiesOf(seek.db).isAmong(
    sql.ref('document.id'),
    sql`select id from (${newest}) as newest`,
  );
  return sql`select document.id, document.updated_at from (${sources}) as source
    cross join document where ${isNewest}`;
}

function ofCollaborations(seek: Seek, condition: Rows): Rows {
  const { parameter, kinds, visibilities } = seek;
  return newestOf(
    seek,
    sql`from collaborator join document on document.id = collaborator.document_id
      where collaborator.account_id = ${parameter('actorId')} and document.kind in (${literals(kinds)})
        and document.visibility in (${literals(visibilities)}) and ${condition}`,
  );
}

/**
 * How many documents a filter searches in each part. Names have no index, and the database may run
 * on the main thread.
 */
const LOOKED_THROUGH = 5000;

/** Queries the first `id`, `updated_at` after the position. */
function newestOf({ parameter, isFiltered, sort }: Seek, documents: Rows): Rows {
  const size = parameter('size');
  const after =
    sort === 'created'
      ? sql`document.id < ${parameter('id')}`
      : sql`(document.updated_at, document.id) < (${parameter('updatedAt')}, ${parameter('id')})`;
  const first = (columns: Rows, limit: Rows) => sql`select ${columns} ${documents}
    and ${after} order by ${orderOf(sort, 'document.')} limit ${limit}`;
  if (!isFiltered) return first(sql`document.id, document.updated_at`, size);
  const columns = sql`document.id, document.updated_at, document.owner_id, document.name,
    document.title`;
  return sql`select id, updated_at from (${first(columns, sql.lit(LOOKED_THROUGH))}) as looked
    where ${isNamed(sql`looked`, parameter)} order by ${orderOf(sort)} limit ${size}`;
}

/** Builds the condition that "owner / name title" contains the words. */
function isNamed(table: Rows, parameter: Parameter): Rows {
  const shown = sql`(select namespace from owner where owner.id = ${table}.owner_id)
    || ' / ' || ${table}.name || ' ' || lower(coalesce(${table}.title, ''))`;
  const words = (['word0', 'word1', 'word2', 'word3'] as const).map(
    (word) => sql`${shown} like ${parameter(word)} escape '!'`,
  );
  return sql.join(words, sql` and `);
}

/** Queries documents with all fields of a list. */
export function libraryRows(db: Reader, actorId: RawBuilder<string>) {
  return documents(db, actorId)
    .leftJoin('owner as updater', 'updater.id', 'document.updated_by')
    .leftJoin('revision', (join) =>
      join
        .onRef('revision.document_id', '=', 'document.id')
        .onRef('revision.version', '=', 'document.version'),
    )
    .leftJoin('pinned_document', 'pinned_document.document_id', 'document.id')
    .select([
      'updater.namespace as updatedByUsername',
      'revision.via',
      'revision.via_name as viaName',
      'pinned_document.pinned_at as pinnedAt',
      labelLines(db).as('labelLines'),
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
