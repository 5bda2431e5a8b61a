import type { SelectQueryBuilder, StringReference } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';

/**
 * Reads one result page of a list, newest first, and the length of the whole list, in two queries.
 *
 * @param list the whole list: joined, filtered and with its columns selected
 * @param order the columns to order by, all descending
 */
export async function paginate<DB, TB extends keyof DB, Row>(
  list: SelectQueryBuilder<DB, TB, Row>,
  order: StringReference<DB, TB> | readonly StringReference<DB, TB>[],
  page: PageRequest,
): Promise<Page<Row>> {
  const counted = await list
    .clearSelect()
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirst();
  const total = Number((counted as { total: number }).total);
  // Past the end, skip the second query.
  if (offsetOf(page) >= total) return { items: [], total };
  const columns = (Array.isArray(order) ? order : [order]) as readonly StringReference<DB, TB>[];
  const ordered = columns.reduce((query, column) => query.orderBy(column, 'desc'), list);
  const items = await ordered.limit(page.size).offset(offsetOf(page)).execute();
  return { items: items as Row[], total };
}
