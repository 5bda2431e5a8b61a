import { type Compilable, type RawBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { VISIBILITIES, type Visibility } from './access-rules.ts';
import { AFTER_EVERY_ID, blockOf } from './document-block-store.ts';

/** Which of an owner's documents a list shows. */
export interface Shown {
  kinds: readonly Kind[];
  visibilities: readonly Visibility[];
  /** Also lists documents of other visibilities that the reader collaborates on. */
  collaborations?: boolean;
}

/** The owner of the listed documents, and the reader of the list. */
type List = { ownerId: string; actorId: string };

type Parameter<P> = <Name extends keyof P & string>(name: Name) => RawBuilder<P[Name]>;

type ListedIds = ReturnType<typeof idsOnPage>;

/**
 * Prepares a list of an owner's documents, newest first, whose result pages all cost the same. One
 * query adds up blocks to find the total and the blocks of the page; another reads the page from
 * them.
 *
 * @param rows the query for rows with these ids, newest first
 */
export function preparedList<Row>(
  shown: Shown,
  rows: (db: Reader, ids: ListedIds, actorId: RawBuilder<string>) => Compilable<Row>,
): (db: Reader, list: List, page: PageRequest) => Promise<Page<Row>> {
  const stretchOf = lookup<List & { offset: number; end: number }, Stretch>((db, parameter) =>
    stretch(db, shown, parameter),
  );
  const rowsOf = lookup<List & PageOfStretch, Row>((db, parameter) =>
    rows(db, idsOnPage(db, shown, parameter), parameter('actorId')),
  );
  return async (db, list, page) => {
    const offset = offsetOf(page);
    const [found] = await stretchOf(db, { ...list, offset, end: offset + page.size });
    const { total, newer, from, before } = found as Stretch;
    if (offset >= total) return { items: [], total };
    const skip = offset - newer;
    const part = { from, before, skip, size: page.size, end: skip + page.size };
    return { items: await rowsOf(db, { ...list, ...part }), total };
  };
}

/** The blocks that contain a result page, and counts of documents around them. */
interface Stretch {
  /** Length of the whole list. */
  total: number;
  /** How many of the list's documents are in newer blocks. */
  newer: number;
  /** The ids in these blocks are at least `from` and less than `before`. */
  from: string;
  before: string;
}

/**
 * A result page: the documents of a stretch from number `skip` to before number `end`, newest
 * first.
 */
type PageOfStretch = { from: string; before: string; skip: number; size: number; end: number };

function stretch(
  db: Reader,
  shown: Shown,
  parameter: Parameter<List & { offset: number; end: number }>,
) {
  const blocks = db
    .selectFrom(counts(db, shown, parameter).as('counted'))
    .groupBy('first_id')
    // Cast to integer, because PostgreSQL adds up larger types more slowly.
    .select(['first_id', sql<number>`cast(sum(documents) as integer)`.as('documents')]);
  const summed = db
    .selectFrom(blocks.as('block'))
    .select([
      'first_id',
      'documents',
      sql<number>`sum(documents) over (order by first_id desc rows unbounded preceding)`.as(
        'running_total',
      ),
    ]);
  const isNewer = sql`running_total <= ${parameter('offset')}`;
  const reachesEnd = sql`running_total >= ${parameter('end')}`;
  return db
    .selectFrom(summed.as('summed'))
    .select([
      sql<number>`coalesce(sum(documents), 0)`.as('total'),
      sql<number>`coalesce(sum(documents) filter (where ${isNewer}), 0)`.as('newer'),
      sql<string>`coalesce(max(first_id) filter (where ${reachesEnd}), '')`.as('from'),
      sql<string>`coalesce(min(first_id) filter (where ${isNewer}), ${sql.lit(AFTER_EVERY_ID)})`.as(
        'before',
      ),
    ]);
}

/** Counts each block's documents in the list. A block can have several rows. */
function counts(db: Reader, shown: Shown, parameter: Parameter<List>) {
  const counted = db
    .selectFrom('document_block')
    .where('owner_id', '=', parameter('ownerId'))
    .where('kind', 'in', shown.kinds)
    .where('visibility', 'in', shown.visibilities)
    .select(['first_id', 'documents']);
  if (!shown.collaborations) return counted;
  const block = blockOf(parameter('ownerId'), sql.ref('document.id'));
  return counted.unionAll(
    collaborations(db, shown, parameter).select([
      block.as('first_id'),
      sql<number>`1`.as('documents'),
    ]),
  );
}

/**
 * Selects the ids of one result page. Merges parts that an index returns newest first. The bounds
 * on the ids let any query plan read only a few blocks.
 */
function idsOnPage(db: Reader, shown: Shown, parameter: Parameter<List & PageOfStretch>) {
  const parts = shown.kinds.flatMap((kind) =>
    shown.visibilities.map((visibility) =>
      db
        .selectFrom('document')
        .where('document.owner_id', '=', parameter('ownerId'))
        .where('document.kind', '=', kind)
        .where('document.visibility', '=', visibility)
        .where('document.id', '>=', parameter('from'))
        .where('document.id', '<', parameter('before'))
        .select('document.id'),
    ),
  );
  if (shown.collaborations) {
    parts.push(
      collaborations(db, shown, parameter)
        .where('collaborator.document_id', '>=', parameter('from'))
        .where('collaborator.document_id', '<', parameter('before'))
        .select('collaborator.document_id as id'),
    );
  }
  const ids = parts
    .map((part) => part.orderBy('id', 'desc').limit(parameter('end')))
    .map((part) => db.selectFrom(part.as('part')).select('part.id'))
    .reduce((all, part) => all.unionAll(part));
  return db
    .selectFrom(ids.as('shown'))
    .select('shown.id')
    .orderBy('shown.id', 'desc')
    .limit(parameter('size'))
    .offset(parameter('skip'));
}

/** Selects the owner's documents of other visibilities that the reader collaborates on. */
function collaborations(db: Reader, shown: Shown, parameter: Parameter<List>) {
  return db
    .selectFrom('document')
    .innerJoin('collaborator', 'collaborator.document_id', 'document.id')
    .where('collaborator.account_id', '=', parameter('actorId'))
    .where('document.owner_id', '=', parameter('ownerId'))
    .where('document.kind', 'in', shown.kinds)
    .where(
      'document.visibility',
      'in',
      VISIBILITIES.filter((visibility) => !shown.visibilities.includes(visibility)),
    );
}
