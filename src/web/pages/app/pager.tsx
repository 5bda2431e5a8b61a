import type { JSX } from 'preact';
import { lastPageNumber } from '../../../pagination/result-page.ts';

/** One page of a list, with what leads to the others. */
export interface Listed<T> {
  items: readonly T[];
  total: number;
  /** From 1. */
  page: number;
}

/** How many rows of a list a page of the app shows. */
export const LIST_SIZE = 100;

/** The ways to a list's other pages; nothing where there are none. */
export function Pager(props: {
  label: string;
  list: Omit<Listed<unknown>, 'items'>;
  /** The address of a page of the list. */
  path: (page: number) => string;
  /** How many rows a page shows. */
  size?: number;
}): JSX.Element | null {
  const { list, path, size = LIST_SIZE } = props;
  const last = lastPageNumber(list.total, size);
  if (last <= 1 && list.page === 1) return null;
  return (
    <nav class="pager" aria-label={props.label}>
      {list.page > 1 && (
        <a
          class="secondary small"
          rel="prev"
          href={path(Math.max(1, Math.min(list.page - 1, last)))}
        >
          Newer
        </a>
      )}
      <span>
        Page {list.page} of {Math.max(1, last)}
      </span>
      {list.page < last && (
        <a class="secondary small" rel="next" href={path(list.page + 1)}>
          Older
        </a>
      )}
    </nav>
  );
}
