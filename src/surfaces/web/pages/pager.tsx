import type { JSX } from 'preact';
import { lastPageNumber } from '../../../base/pagination/result-page.ts';

export interface Listed<T> {
  items: readonly T[];
  total: number;
  /** From 1. */
  page: number;
}

/** The number of rows on a result page. */
export const LIST_SIZE = 100;

/** Renders links to a list's other result pages, if there are any. */
export function Pager(props: {
  label: string;
  list: Omit<Listed<unknown>, 'items'>;
  path: (page: number) => string;
  /** The number of rows on a result page. */
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
