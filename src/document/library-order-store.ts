import { type RawBuilder, sql } from 'kysely';
import type { Sort } from './library-sort.ts';

/** How a list is sorted, in SQL. */
interface Order {
  /** The value of a document by which the list is sorted. It has an index. */
  key: RawBuilder<string>;
  /** Orders by this value, then by id. */
  by: (key: RawBuilder<unknown>, id: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Tells whether a document comes after a position. */
  after: (key: RawBuilder<string>, id: RawBuilder<string>) => RawBuilder<unknown>;
}

/** The index `document_by_title` has this expression. */
const TITLE = sql<string>`lower(coalesce(document.title, document.name))`;

export const ORDERS: Record<Sort, Order> = {
  changed: {
    key: sql`document.updated_at`,
    by: (key, id) => sql`${key} desc, ${id} desc`,
    after: (key, id) => sql`(document.updated_at, document.id) < (${key}, ${id})`,
  },
  created: {
    key: sql`document.created_at`,
    by: (_key, id) => sql`${id} desc`,
    after: (_key, id) => sql`document.id < ${id}`,
  },
  title: {
    key: TITLE,
    by: (key, id) => sql`${key}, ${id}`,
    // SQLite seeks by the first condition: its indexes of expressions don't take part in the second.
    after: (key, id) => sql`${TITLE} >= ${key} and (${TITLE}, document.id) > (${key}, ${id})`,
  },
};
