import { Type } from 'typebox';
import { lastPageNumber, type Page, type PageRequest } from '../../base/pagination/result-page.ts';

const SIZE = 30;

export const PageArgument = { page: Type.Optional(Type.Integer({ minimum: 1 })) };

export function pageOf({ page = 1 }: { page?: number }): PageRequest {
  return { number: page, size: SIZE };
}

/** An object whose fields hosts aren't told. Programs find them in the API reference. */
export const AnyObject = Type.Unsafe<object>({ type: 'object' });

/** The output of a list in numbered result pages; `nextPage` is `null` on the last. */
export const PageResult = Type.Object({
  items: Type.Array(AnyObject),
  total: Type.Integer(),
  page: Type.Integer(),
  nextPage: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
});

/** Presents one result page of a list. */
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

/** Describes a result page in one sentence, for a summary. */
export function pageSummary(
  what: string,
  {
    items,
    total,
    page,
    nextPage,
  }: { items: unknown[]; total: number; page: number; nextPage: number | null },
): string {
  const more = nextPage === null ? '' : ` Continue with page ${nextPage}.`;
  return `${what}: ${items.length} of ${total}, page ${page}.${more}`;
}
