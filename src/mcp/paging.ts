import { type TSchema, Type } from 'typebox';
import { lastPageNumber, type Page, type PageRequest } from '../pagination/result-page.ts';

/** What every list answers. */
export function PageResult<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item, { description: 'This result page, newest first.' }),
    total: Type.Integer({ description: 'How many there are in all.' }),
    page: Type.Integer({ description: 'The number of this result page.' }),
    nextPage: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The next result page; null on the last.',
    }),
  });
}

/** A page of a list as a tool answers it. */
export function presentPage<T, U>(
  { items, total }: Page<T>,
  page: PageRequest,
  show: (item: T) => U,
) {
  const more = page.number < lastPageNumber(total, page.size);
  return {
    items: items.map(show),
    total,
    page: page.number,
    nextPage: more ? page.number + 1 : null,
  };
}

/** How much of a list a page shows, for a summary. */
export function pageSummary(
  what: string,
  {
    items,
    total,
    page,
    nextPage,
  }: { items: unknown[]; total: number; page: number; nextPage: number | null },
): string {
  const more = nextPage === null ? '' : ` Page ${nextPage} goes on.`;
  return `${what}: ${items.length} of ${total}, page ${page}.${more}`;
}
