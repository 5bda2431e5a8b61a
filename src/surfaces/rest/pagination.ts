import { lastPageNumber, type PageRequest } from '../../base/pagination/result-page.ts';

/**
 * Returns the `Link` header of a result page (RFC 8288): always `first` and `last`, and `prev` and
 * `next` if they exist; `undefined` if the list is empty.
 *
 * @param address the request's absolute URL; its other parameters stay
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
