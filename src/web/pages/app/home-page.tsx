import type { JSX } from 'preact';
import { VISIBILITIES, type Visibility } from '../../../document/access.ts';
import type { Kind } from '../../../document/kind.ts';
import type { Library } from '../../../document/library-service.ts';
import type { Sort } from '../../../document/library-sort.ts';
import type { Site } from '../assets.ts';
import { Icon } from '../icons.tsx';
import type { AppPage } from './app-page.tsx';
import { DocumentList } from './document-list.tsx';
import { EmptyState, PageHead, Tabs, visibilityWords } from './parts.tsx';

/** A list of documents from several owners. */
export interface LibraryPage {
  place: 'recent' | 'own' | 'shared';
  /** The kind to filter by, if any. */
  kind: Kind | undefined;
  visibility: Visibility | undefined;
  sort: Sort;
  /** The words to filter names by; empty for all. */
  filter: string;
  library: Library;
  isFirst: boolean;
  /** The time, ISO 8601. */
  now: string;
}

const PLACES = {
  recent: { title: 'Home', place: 'home', path: '/' },
  own: { title: 'Home', place: 'home', path: '/' },
  shared: { title: 'Shared with me', place: 'shared', path: '/shared' },
} as const;

/** Lists the documents that the user can read, the latest changed first. */
export function libraryPage(site: Site, username: string, page: LibraryPage): AppPage {
  const { title, place } = PLACES[page.place];
  const isEmpty = page.library.items.length === 0 && page.isFirst && isWhole(page);
  return {
    title,
    place,
    children: (
      <div class="sheet">
        <PageHead title={title}>
          {place === 'home' && (
            <>
              <a class="quiet small" href="/import">
                Import
              </a>
              <a class="secondary small" href="/new/page">
                New page
              </a>
              <a class="primary small" href="/new">
                New brief
              </a>
            </>
          )}
        </PageHead>
        {place === 'home' && <OwnershipTabs page={page} />}
        {isEmpty ? (
          <Nothing site={site} username={username} place={page.place} />
        ) : (
          <>
            <ListTools page={page} />
            <div role="status" data-filtered>
              {page.library.items.length === 0 && <NoMatches page={page} />}
            </div>
            <div data-filtered>
              <DocumentList
                documents={page.library.items}
                now={page.now}
                webUrl={site.webUrl}
                levelShown={page.place === 'shared'}
              />
              {page.library.next !== undefined && (
                <p class="more">
                  <a class="secondary small" rel="next" href={addressOf(page, page.library.next)}>
                    Older
                  </a>
                </p>
              )}
            </div>
          </>
        )}
      </div>
    ),
  };
}

function isWhole({ kind, visibility, filter }: LibraryPage): boolean {
  return kind === undefined && visibility === undefined && filter === '';
}

function NoMatches({ page }: { page: LibraryPage }): JSX.Element {
  const { filter, isFirst } = page;
  if (filter === '') {
    return <p class="aside">{isFirst ? 'Nothing here yet.' : 'No more documents.'}</p>;
  }
  return (
    <p class="aside">
      No matches in this list.{' '}
      <a href={`/search?${new URLSearchParams({ q: filter })}`}>Search everything</a>
    </p>
  );
}

function OwnershipTabs({ page }: { page: LibraryPage }): JSX.Element {
  return (
    <Tabs
      label="Whose documents"
      tabs={[
        { href: '/', label: 'Recent', isHere: page.place === 'recent' },
        { href: '/?in=own', label: 'Mine', isHere: page.place === 'own' },
      ]}
    />
  );
}

const KINDS = [
  { kind: undefined, label: 'All kinds' },
  { kind: 'brief', label: 'Briefs' },
  { kind: 'page', label: 'Pages' },
] as const;

function ListTools({ page }: { page: LibraryPage }): JSX.Element {
  return (
    <div class="list-tools">
      <search>
        <form class="search-form" action={PLACES[page.place].path} data-filters="/search">
          {page.place === 'own' && <input type="hidden" name="in" value="own" />}
          {page.kind && <input type="hidden" name="kind" value={page.kind} />}
          {page.visibility && <input type="hidden" name="visibility" value={page.visibility} />}
          {page.sort !== 'changed' && <input type="hidden" name="sort" value={page.sort} />}
          <input
            type="search"
            name="q"
            value={page.filter}
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
      <nav class="segments" aria-label="Kinds" data-filtered>
        {KINDS.map(({ kind, label }) => (
          <a
            href={addressOf({ ...page, kind })}
            aria-current={page.kind === kind ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <ListOptions page={page} />
    </div>
  );
}

const SORTS = [
  { sort: 'changed', label: 'Last changed first' },
  { sort: 'created', label: 'Last created first' },
] as const;

/** Links that sort the list and filter it by visibility. */
function ListOptions({ page }: { page: LibraryPage }): JSX.Element {
  const visibilities = [undefined, ...VISIBILITIES];
  return (
    <details class="menu" data-menu>
      <summary class="secondary small">
        {page.visibility ? visibilityWords(page.visibility).label : 'Sort and filter'}
      </summary>
      <div class="menu-items list-options" data-filtered>
        <ul aria-label="Sort">
          {SORTS.map(({ sort, label }) => (
            <Option href={addressOf({ ...page, sort })} isHere={page.sort === sort} label={label} />
          ))}
        </ul>
        <ul aria-label="Who can read">
          {visibilities.map((visibility) => (
            <Option
              href={addressOf({ ...page, visibility })}
              isHere={page.visibility === visibility}
              label={visibility ? `${visibilityWords(visibility).label} only` : 'Any visibility'}
            />
          ))}
        </ul>
      </div>
    </details>
  );
}

function Option(option: { href: string; isHere: boolean; label: string }): JSX.Element {
  return (
    <li>
      <a class="menu-item" href={option.href} aria-current={option.isHere ? 'true' : undefined}>
        <Icon name="check" class={option.isHere ? 'chosen' : 'unchosen'} />
        <span>{option.label}</span>
      </a>
    </li>
  );
}

function addressOf(page: LibraryPage, before?: string): string {
  const { place, kind, visibility, sort, filter } = page;
  const query = new URLSearchParams({
    ...(place === 'own' && { in: 'own' }),
    ...(kind && { kind }),
    ...(visibility && { visibility }),
    ...(sort !== 'changed' && { sort }),
    ...(filter !== '' && { q: filter }),
    ...(before !== undefined && { before }),
  });
  return query.size > 0 ? `${PLACES[place].path}?${query}` : PLACES[place].path;
}

function Nothing(props: {
  site: Site;
  username: string;
  place: LibraryPage['place'];
}): JSX.Element {
  if (props.place === 'shared') {
    return (
      <EmptyState title="Nothing is shared with you yet">
        <p>
          When someone shares a document with you, it appears in your{' '}
          <a href="/invitations">invitations</a>. Once you accept, it’s listed here.
        </p>
      </EmptyState>
    );
  }
  const { baseUrl } = props.site;
  return (
    <EmptyState title="Your first document">
      <p>There are three ways to start.</p>
      <ul class="ways">
        <li>
          <strong>Write it here.</strong> <a href="/new">New brief</a> opens an editor with a live
          preview, or <a href="/import">import Markdown files</a>.
        </li>
        <li>
          <strong>From a shell.</strong> <a href="/settings/tokens">Create a token</a>, then:
          <pre>
            <code>{publishLine(baseUrl)}</code>
          </pre>
        </li>
        <li>
          <strong>With an agent.</strong> Add this address to your agent, then sign in as{' '}
          {props.username}:
          <pre>
            <code>{`${baseUrl}/mcp`}</code>
          </pre>
        </li>
      </ul>
    </EmptyState>
  );
}

function publishLine(baseUrl: string): string {
  return [
    `curl ${baseUrl}/user/briefs \\`,
    '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  -d '{"name": "hello", "content": "# Hello"}'`,
  ].join('\n');
}
