import { type Compilable, type RawBuilder, sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** Which of an owner's documents a list shows. */
export interface Shown {
  kinds: readonly Kind[];
  visibilities: readonly Visibility[];
  /** Also lists documents of other visibilities that the reader collaborates on. */
  collaborations?: boolean;
}

/** The owner of the listed documents, and the reader of the list. */
type List = { ownerId: string; actorId: string };

/** A part of a list: how many documents to skip, and how many to read. */
type Part = { skip: number; size: number };

/**
 * Prepares a list of an owner's documents, newest first. One query counts them, part by part in
 * their index; another reads the result page.
 *
 * @param rows the query for the documents that `isOnPage` selects, newest first
 */
export function preparedList<Row>(
  shown: Shown,
  rows: (db: Reader, isOnPage: RawBuilder<boolean>, actorId: RawBuilder<string>) => Compilable<Row>,
): (db: Reader, list: List, page: PageRequest) => Promise<Page<Row>> {
  const counted = lookup<List, { total: number }>((db, parameter) =>
    db.selectNoFrom(
      sql<number>`${sql.join(
        parts(db, shown, parameter).map(
          (part) =>
            sql`(${db.selectFrom(part.as('part')).select(({ fn }) => fn.countAll<number>().as('count'))})`,
        ),
        sql` + `,
      )}`.as('total'),
    ),
  );
  const rowsOf = lookup<List & Part, Row>((db, parameter) =>
    rows(db, isOnPage(db, shown, parameter), parameter('actorId')),
  );
  return async (db, list, page) => {
    const skip = offsetOf(page);
    const [found] = await counted(db, list);
    const total = Number(found?.total);
    if (skip >= total) return { items: [], total };
    return { items: await rowsOf(db, { ...list, skip, size: page.size }), total };
  };
}

/** Selects the documents of one result page. Merges parts that an index returns newest first. */
function isOnPage(db: Reader, shown: Shown, parameter: Parameter<List & Part>) {
  const page = listed(db, shown, parameter)
    .orderBy('id', 'desc')
    .limit(parameter('size'))
    .offset(parameter('skip'));
  const ids = db.selectFrom(page.as('shown')).select('shown.id');
  return capabilitiesOf(db).isAmong(sql.ref('document.id'), sql`${ids}`);
}

/** Selects the ids of a list. Each part has its own order, so that PostgreSQL merges the parts. */
function listed(db: Reader, shown: Shown, parameter: Parameter<List>) {
  return parts(db, shown, parameter)
    .map((part) => db.selectFrom(part.orderBy('document.id', 'desc').as('part')).select('part.id'))
    .reduce((all, part) => all.unionAll(part));
}

/** The parts of a list, which have no document in common: each kind and visibility has an index. */
function parts(db: Reader, shown: Shown, parameter: Parameter<List>) {
  const found = shown.kinds.flatMap((kind) =>
    shown.visibilities.map((visibility) =>
      db
        .selectFrom('document')
        .where('document.ownerId', '=', parameter('ownerId'))
        .where('document.kind', '=', kind)
        .where('document.visibility', '=', visibility)
        .select('document.id'),
    ),
  );
  return shown.collaborations ? [...found, collaborations(db, shown, parameter)] : found;
}

/** Selects the owner's documents of other visibilities that the reader collaborates on. */
function collaborations(db: Reader, shown: Shown, parameter: Parameter<List>) {
  return db
    .selectFrom('document')
    .innerJoin('collaborator', 'collaborator.documentId', 'document.id')
    .where('collaborator.accountId', '=', parameter('actorId'))
    .where('document.ownerId', '=', parameter('ownerId'))
    .where('document.kind', 'in', shown.kinds)
    .where(
      'document.visibility',
      'in',
      VISIBILITIES.filter((visibility) => !shown.visibilities.includes(visibility)),
    )
    .select('document.id');
}
