import type { JSX } from 'preact';
import { listAddress } from './list-filter.ts';
import { type FilteredList, FilterFields } from './list-tools.tsx';

/**
 * Renders the field that filters a list while the user types.
 *
 * @param props.searchPath the search that Enter opens
 */
export function FilterForm(props: { list: FilteredList; searchPath: string }): JSX.Element {
  const { list, searchPath } = props;
  return (
    <search>
      <form class="search-form" action={list.path} data-filters={searchPath}>
        <FilterFields list={list} />
        <input
          type="search"
          name="q"
          value={list.filter.q}
          maxLength={100}
          placeholder="Filter this list, or press Enter to search"
          aria-label="Filter and search"
          autocomplete="off"
          data-shortcut="/"
        />
        <noscript>
          <button type="submit" class="secondary small">
            Filter
          </button>
        </noscript>
      </form>
    </search>
  );
}

/** Renders the link to the next part of a list, if there is one. */
export function More(props: { list: FilteredList; next: string | undefined }): JSX.Element | null {
  const { list, next } = props;
  if (next === undefined) return null;
  const { path, base = {}, filter } = list;
  return (
    <p class="more">
      <a
        class="secondary small"
        rel="next"
        href={listAddress(path, base, filter, { before: next })}
      >
        {filter.sort === 'title' ? 'More' : 'Older'}
      </a>
    </p>
  );
}
