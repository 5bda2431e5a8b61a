import { lastPageNumber, type PageRequest } from '../pagination/result-page.ts';

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
