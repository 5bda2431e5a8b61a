import type { JSX } from 'preact';
import type { Kind } from '../../../document/kind.ts';
import type { Library } from '../../../document/library-service.ts';
import type { Site } from '../assets.ts';
import type { AppPage } from './app-page.tsx';
import { DocumentList } from './document-list.tsx';
import { EmptyState, PageHead, Tabs } from './parts.tsx';

/** A list of documents from several owners. */
export interface LibraryPage {
  place: 'recent' | 'own' | 'shared';
  /** Only these, where one kind was asked for. */
  kind: Kind | undefined;
  library: Library;
  /** Whether it is the first part of the list. */
  isFirst: boolean;
}

const PLACES = {
  recent: { title: 'Home', place: 'home', path: '/' },
  own: { title: 'Home', place: 'home', path: '/' },
  shared: { title: 'Shared with me', place: 'shared', path: '/shared' },
} as const;

/** What the person has and may read, the latest changed first. */
export function libraryPage(site: Site, username: string, page: LibraryPage): AppPage {
  const { title, place } = PLACES[page.place];
  const isEmpty = page.library.items.length === 0 && page.isFirst && page.kind === undefined;
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
            <DocumentList documents={page.library.items} />
            <p class="aside" role="status" data-no-rows hidden>
              None of these has that in its name. Press Enter to search everything.
            </p>
            {page.library.items.length === 0 && <p class="aside">There is nothing more here.</p>}
            {page.library.next !== undefined && (
              <p class="more">
                <a class="secondary small" rel="next" href={addressOf(page, page.library.next)}>
                  Older
                </a>
              </p>
            )}
          </>
        )}
      </div>
    ),
  };
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
        <form class="search-form" action="/search">
          <input
            type="search"
            name="q"
            placeholder="Filter; Enter searches everything"
            aria-label="Filter and search"
            autocomplete="off"
            data-filters-rows
            data-shortcut="/"
          />
        </form>
      </search>
      <nav class="segments" aria-label="Kinds">
        {KINDS.map(({ kind, label }) => (
          <a
            href={addressOf({ ...page, kind })}
            aria-current={page.kind === kind ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    </div>
  );
}

function addressOf({ place, kind }: Pick<LibraryPage, 'place' | 'kind'>, before?: string): string {
  const query = new URLSearchParams({
    ...(place === 'own' && { in: 'own' }),
    ...(kind && { kind }),
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
          When somebody invites you to a document, it waits in your{' '}
          <a href="/invitations">invitations</a>, and is listed here once you accept.
        </p>
      </EmptyState>
    );
  }
  const { baseUrl } = props.site;
  return (
    <EmptyState title="Your first document">
      <p>There are three ways to begin.</p>
      <ul class="ways">
        <li>
          <strong>Write it here.</strong> <a href="/new">New brief</a> opens an editor with a live
          preview; <a href="/import">import</a> takes the Markdown files that you have.
        </li>
        <li>
          <strong>From a shell.</strong> <a href="/settings/tokens">Make a token</a>, then:
          <pre>
            <code>{publishLine(baseUrl)}</code>
          </pre>
        </li>
        <li>
          <strong>Have an agent do it.</strong> Give its host this address, and sign in as{' '}
          {props.username} when it sends you here:
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
