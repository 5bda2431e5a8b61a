import { Type } from 'typebox';
import { lastPageNumber, type PageRequest } from '../page.ts';

const DEFAULT_SIZE = 30;

/** The query of every list (specification, part "Pagination"). */
export const PageQuery = {
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: DEFAULT_SIZE,
      description: 'Items on a page.',
    }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Which page, from 1.' })),
};

/** What a validated query asks for; the first page where the operation has no pages. */
export function pageRequest(query: { per_page?: number; page?: number }): PageRequest {
  return { number: query.page ?? 1, size: query.per_page ?? DEFAULT_SIZE };
}

/**
 * The `Link` header of a page (RFC 8288): `first` and `last` always, `prev` and `next` where there
 * is such a page; `undefined` when the list is empty.
 *
 * @param address the absolute address of the request; its other parameters are kept
 * @param total the length of the whole list
 */
export function linkHeader(address: string, page: PageRequest, total: number): string | undefined {
  const last = lastPageNumber(total, page.size);
  if (last === 0) return undefined;
  const pages = {
    first: 1,
    prev: page.number > 1 ? Math.min(page.number - 1, last) : undefined,
    next: page.number < last ? page.number + 1 : undefined,
    last,
  };
  const links = Object.entries(pages).map(([rel, number]) => {
    if (number === undefined) return [];
    const url = new URL(address);
    url.searchParams.set('page', String(number));
    return `<${url.href}>; rel="${rel}"`;
  });
  return links.flat().join(', ');
}
