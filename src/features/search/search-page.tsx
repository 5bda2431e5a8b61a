import type { ComponentChildren, JSX } from 'preact';
import type { Excerpt } from '../../base/search/excerpt.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';
import type { ListedState } from '../discussion/listed-states-service.ts';
import { DocumentList } from '../library/document-list.tsx';
import { type ListFilter, listAddress } from '../library/list-filter.ts';
import {
  FilterFields,
  ListTools,
  labelsOf,
  ownersOf,
  SEARCH_SORTS,
} from '../library/list-tools.tsx';
import type { SearchResults } from './search-service.ts';

/** Shows search results, with the search words highlighted. */
export function searchPage(page: {
  /** Its `q` is the query. */
  filter: ListFilter;
  found: SearchResults;
  states: ReadonlyMap<string, ListedState>;
  number: number;
  /** The time, ISO 8601. */
  now: string;
}): AppPage {
  const { filter, found, number } = page;
  const query = filter.q ?? '';
  const list = {
    path: '/search',
    filter,
    sorts: SEARCH_SORTS,
    owners: ownersOf(found.items, []),
    labels: labelsOf(found.items),
  };
  const hrefOf = (change: ListFilter, more = {}) =>
    listAddress('/search', {}, { ...filter, ...change }, more);
  return {
    title: query === '' ? 'Search' : `“${query}” · Search`,
    children: (
      <div class="sheet">
        <PageHead title="Search" />
        <ListTools list={list}>
          <search>
            <form class="search-form" action="/search">
              <FilterFields list={list} />
              <input
                type="search"
                name="q"
                value={query}
                aria-label="Search documents"
                placeholder="Search names and text"
                autocomplete="off"
                autofocus={query === ''}
                data-shortcut="/"
              />
              <button type="submit" class="secondary">
                Search
              </button>
            </form>
          </search>
        </ListTools>
        <Results {...page} query={query} labelHref={(label) => hrefOf({ label })} />
        <p class="more">
          {number > 1 && (
            <a
              class="secondary small"
              rel="prev"
              href={hrefOf({}, number > 2 ? { page: `${number - 1}` } : {})}
            >
              Back
            </a>
          )}
          {found.next !== undefined && (
            <a class="secondary small" rel="next" href={hrefOf({}, { page: `${found.next}` })}>
              More
            </a>
          )}
        </p>
      </div>
    ),
  };
}

function Results(results: {
  query: string;
  found: SearchResults;
  states: ReadonlyMap<string, ListedState>;
  now: string;
  labelHref: (label: string) => string;
}): JSX.Element {
  const { query, found, states, now, labelHref } = results;
  if (query === '') {
    return (
      <EmptyState title="Search everything you can read">
        <p>
          Your documents, those shared with you, your organizations’, and all public ones. Documents
          match when they have all your words; the last word can be partial.
        </p>
        <p>
          <code>"exact words"</code> in this order, <code>-without</code> a word,{' '}
          <code>one OR another</code>.
        </p>
      </EmptyState>
    );
  }
  if (found.items.length === 0) {
    return (
      <EmptyState title="No results">
        <p>
          All words must match. Try fewer or other words, <code>OR</code> between them, or no
          quotation marks.
        </p>
        <Behind {...found} />
      </EmptyState>
    );
  }
  return (
    <>
      <p class="result-count" role="status">
        {found.isPartial && 'Nothing has all words. With most of them: '}
        {countWords(found)}
      </p>
      <Behind {...found} />
      <DocumentList
        documents={found.items}
        now={now}
        states={states}
        labelHref={labelHref}
        below={({ excerpt }) => <Passage {...excerpt} />}
      />
    </>
  );
}

function countWords({ total, isMore }: SearchResults): string {
  const results = `${total.toLocaleString('en')} ${total === 1 ? 'result' : 'results'}`;
  return isMore ? `At least ${results}` : results;
}

/** Says that some changes can't be found yet. */
function Behind({ isBehind }: SearchResults): JSX.Element | null {
  if (!isBehind) return null;
  return <p class="result-count">Some recent changes can’t be found yet. Try again in a moment.</p>;
}

function Passage({ text, matches }: Excerpt): JSX.Element | null {
  if (text === '') return null;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const [from, to] of matches) {
    parts.push(text.slice(end, from), <mark>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <p class="excerpt">
      {parts}
      {text.slice(end)}
    </p>
  );
}
