import { type RawBuilder, sql } from 'kysely';
import type { Sort } from './library-sort.ts';

/** How a list is sorted, in SQL. */
interface Order {
  /** The value of a document by which the list is sorted. It has an index. */
  key: RawBuilder<string>;
  /** The document's id. */
  id: RawBuilder<string>;
  /** Orders by this value, then by id. */
  by: (key: RawBuilder<unknown>, id: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Tells whether a document comes after a position. */
  after: (key: RawBuilder<string>, id: RawBuilder<string>) => RawBuilder<unknown>;
}

/** The columns that a list is sorted by. */
interface Columns {
  id: RawBuilder<string>;
  createdAt: RawBuilder<string>;
  updatedAt: RawBuilder<string>;
  title: RawBuilder<string>;
}

function ordersBy({ id, createdAt, updatedAt, title }: Columns): Record<Sort, Order> {
  return {
    changed: {
      key: updatedAt,
      id,
      by: (key, id) => sql`${key} desc, ${id} desc`,
      after: (key, afterId) => sql`(${updatedAt}, ${id}) < (${key}, ${afterId})`,
    },
    created: {
      key: createdAt,
      id,
      by: (_key, id) => sql`${id} desc`,
      after: (_key, afterId) => sql`${id} < ${afterId}`,
    },
    title: {
      key: title,
      id,
      by: (key, id) => sql`${key}, ${id}`,
      // The first condition lets SQLite seek: it can't use an index on an expression for the
      // second.
      after: (key, afterId) => sql`${title} >= ${key} and (${title}, ${id}) > (${key}, ${afterId})`,
    },
  };
}

/** Orders of documents. The index `document_by_title` has the title's expression. */
export const ORDERS = ordersBy({
  id: sql`document.id`,
  createdAt: sql`document."createdAt"`,
  updatedAt: sql`document."updatedAt"`,
  title: sql`lower(coalesce(document.title, document.name))`,
});

/** Orders of the label rows `labelled`, which copy what their documents are sorted by. */
export const LABEL_ORDERS = ordersBy({
  id: sql`labelled."documentId"`,
  createdAt: sql`document."createdAt"`,
  updatedAt: sql`labelled."updatedAt"`,
  title: sql`labelled."titleKey"`,
});
