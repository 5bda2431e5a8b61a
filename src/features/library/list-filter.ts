import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import type { Sort } from './library-sort.ts';

/** The filters and the sorting of a list of documents. */
export interface ListFilter {
  kind?: Kind | undefined;
  visibility?: Visibility | undefined;
  /** An owner's namespace. */
  owner?: string | undefined;
  label?: string | undefined;
  sort?: Sort | undefined;
  /** Words that the owner, name and title must contain; in a search, the query. */
  q?: string | undefined;
}

/** Returns the parameters of a list's address, in a fixed order. */
export function listParameters(
  base: Readonly<Record<string, string>>,
  { kind, visibility, owner, label, sort, q }: ListFilter,
): URLSearchParams {
  return new URLSearchParams({
    ...base,
    ...(kind && { kind }),
    ...(visibility && { visibility }),
    ...(owner && { owner }),
    ...(label && { label }),
    ...(sort && { sort }),
    ...(q && { q }),
  });
}

/**
 * Returns the address of a list.
 *
 * @param base other parameters of the list
 * @param more further parameters, which select a part of the list
 */
export function listAddress(
  path: string,
  base: Readonly<Record<string, string>>,
  filter: ListFilter,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = listParameters(base, filter);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query.size > 0 ? `${path}?${query}` : path;
}
