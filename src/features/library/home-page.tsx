import type { JSX } from 'preact';
import type { Takedown } from '../../core/document/takedown-store.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { EmptyState, PageHead, Tabs } from '../../surfaces/web/pages/parts.tsx';
import type { ListedState } from '../discussion/listed-states-service.ts';
import { TakenDownList } from '../moderation/takedown-pages.tsx';
import { DocumentList } from './document-list.tsx';
import { FilterForm, More } from './filter-form.tsx';
import type { Library } from './library-service.ts';
import { type ListFilter, listAddress } from './list-filter.ts';
import { LIST_SORTS, ListTools, labelsOf, ownersOf } from './list-tools.tsx';

/** A list of documents: recent ones, the user's own, or those shared with the user. */
export interface LibraryPage {
  place: 'recent' | 'own' | 'shared';
  filter: ListFilter;
  library: Library;
  states: ReadonlyMap<string, ListedState>;
  isFirst: boolean;
  /** The user's documents that an administrator has taken down. */
  takenDown: readonly Takedown[];
  /** The time, ISO 8601. */
  now: string;
}

const PLACES = {
  recent: { title: 'Home', place: 'home', path: '/' },
  own: { title: 'Home', place: 'home', path: '/' },
  shared: { title: 'Shared with me', place: 'shared', path: '/shared' },
} as const;

/** Lists documents that the user can read, by default the last changed first. */
export function libraryPage(site: Site, username: string, page: LibraryPage): AppPage {
  const { title, place } = PLACES[page.place];
  const { pinned, items, next } = page.library;
  const documents = [...pinned, ...items];
  const isEmpty = documents.length === 0 && page.isFirst && isWhole(page.filter);
  return {
    title,
    place,
    children: (_site, { organizations }) => {
      const list = listOf(page, [username, ...organizations.map((one) => one.namespace)]);
      return (
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
          <TakenDownList documents={page.takenDown} now={page.now} />
          {isEmpty ? (
            <Nothing site={site} username={username} place={page.place} />
          ) : (
            <>
              <ListTools list={list}>
                <FilterForm list={list} searchPath="/search" />
              </ListTools>
              <div role="status" data-filtered>
                {documents.length === 0 && <NoMatches page={page} />}
              </div>
              <div data-filtered>
                <DocumentList
                  documents={documents}
                  now={page.now}
                  states={page.states}
                  labelHref={(label) =>
                    listAddress(list.path, list.base, { ...page.filter, label })
                  }
                  levelShown={page.place === 'shared'}
                  pinShown={page.place === 'own'}
                />
                <More list={list} next={next} />
              </div>
            </>
          )}
        </div>
      );
    },
  };
}

function listOf({ place, filter, library }: LibraryPage, owners: readonly string[]) {
  const items = [...library.pinned, ...library.items];
  return {
    path: PLACES[place].path,
    base: place === 'own' ? { in: 'own' } : {},
    filter,
    owners: place === 'own' ? [] : ownersOf(items, place === 'recent' ? owners : []),
    labels: labelsOf(items),
    sorts: LIST_SORTS,
  };
}

function isWhole({ kind, visibility, owner, label, q }: ListFilter): boolean {
  return !(kind || visibility || owner || label || q);
}

function NoMatches({ page }: { page: LibraryPage }): JSX.Element {
  const { filter, isFirst } = page;
  if (!filter.q) {
    return <p class="aside">{isFirst ? 'Nothing here yet.' : 'No more documents.'}</p>;
  }
  return (
    <p class="aside">
      No matches in this list.{' '}
      <a href={`/search?${new URLSearchParams({ q: filter.q })}`}>Search everything</a>
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
    `  -d '{"name": "hello", "content": "# Hello", "visibility": "private"}'`,
  ].join('\n');
}
