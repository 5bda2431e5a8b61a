import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Takedown } from '../../core/document/takedown-store.ts';
import { mayCreateDocuments } from '../../core/owner/organization-access.ts';
import type { ReviewState } from '../../core/review/review.ts';
import { documentPath, organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { profilePath } from '../../surfaces/web/pages/format.tsx';
import { EmptyState } from '../../surfaces/web/pages/parts.tsx';
import { Avatar } from '../../surfaces/web/pages/person.tsx';
import type { ListedState } from '../discussion/listed-states-service.ts';
import { DocumentList } from '../library/document-list.tsx';
import { FilterForm, More } from '../library/filter-form.tsx';
import type { Library, LibraryItem } from '../library/library-service.ts';
import { type ListFilter, listAddress } from '../library/list-filter.ts';
import { LIST_SORTS, ListTools, labelsOf } from '../library/list-tools.tsx';
import { TakenDownList } from '../moderation/takedown-pages.tsx';
import { ReviewMark } from '../reviews/review-page.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';

/** The states in which a document waits for a reviewer or its authors. */
const WAITING: ReviewState[] = ['requested', 'changes_requested', 'outdated'];

/** How long somebody counts as active, in ms, and how many of each are named. */
const LATELY_MS = 7 * 24 * 60 * 60_000;
const MOST_NAMED = 5;

/** Says what of the listed documents waits for reviewers or authors, and who changed some lately. */
function Lately(props: {
  documents: readonly LibraryItem[];
  states: ReadonlyMap<string, ListedState>;
  now: string;
}): JSX.Element | null {
  const { documents, states, now } = props;
  const since = new Date(Date.parse(now) - LATELY_MS).toISOString();
  const waiting = documents.filter(({ id }) => WAITING.includes(states.get(id)?.review ?? 'none'));
  const active = new Set(
    documents.flatMap(({ updatedAt, updatedBy }) =>
      updatedBy !== null && updatedAt >= since ? [updatedBy] : [],
    ),
  );
  if (waiting.length === 0 && active.size === 0) return null;
  return (
    <div class="lately">
      {waiting.length > 0 && (
        <section aria-labelledby="in-review">
          <h2 id="in-review">In review</h2>
          <ul>
            {waiting.slice(0, MOST_NAMED).map((document) => (
              <li>
                <a href={documentPath('read', document)} dir="auto">
                  {shownTitle(document)}
                </a>{' '}
                <ReviewMark state={states.get(document.id)?.review ?? 'none'} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {active.size > 0 && (
        <section aria-labelledby="active-lately">
          <h2 id="active-lately">Active this week</h2>
          <ul class="faces">
            {[...active].slice(0, MOST_NAMED).map((username) => (
              <li>
                <a href={profilePath(username)}>
                  <Avatar username={username} />
                  {username}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

export function organizationDocumentsPage(page: {
  organization: OwnOrganization;
  filter: ListFilter;
  library: Library;
  states: ReadonlyMap<string, ListedState>;
  isFirst: boolean;
  /** The documents that an administrator of the instance has taken down; for the organization's admins. */
  takenDown: readonly Takedown[];
  /** The time, ISO 8601. */
  now: string;
}): AppPage {
  const { organization, filter, library, isFirst } = page;
  const { namespace, name } = organization;
  const mayCreate = mayCreateDocuments(organization);
  const documents = [...library.pinned, ...library.items];
  const isEmpty = documents.length === 0;
  const isWhole = isFirst && Object.values(filter).every((value) => !value);
  const list = {
    path: organizationPath(namespace),
    filter,
    sorts: LIST_SORTS,
    owners: [],
    labels: labelsOf(documents),
  };
  return organizationTab({
    organization,
    tab: 'documents',
    actions: mayCreate && (
      <>
        <a class="secondary small" href={`/new/page?owner=${namespace}`}>
          New page
        </a>
        <a class="primary small" href={`/new?owner=${namespace}`}>
          New brief
        </a>
      </>
    ),
    children: (
      <>
        <TakenDownList documents={page.takenDown} now={page.now} />
        {isWhole && <Lately documents={documents} states={page.states} now={page.now} />}
        {!(isEmpty && isWhole) && (
          <ListTools list={list}>
            <FilterForm list={list} searchPath={`/search?owner=${namespace}`} />
          </ListTools>
        )}
        <div role="status" data-filtered>
          {isEmpty && !isWhole && (
            <p class="aside">{isFirst ? 'No matches in this list.' : 'No more documents.'}</p>
          )}
        </div>
        <div data-filtered>
          <DocumentList
            documents={documents}
            now={page.now}
            states={page.states}
            labelHref={(label) => listAddress(list.path, {}, { ...filter, label })}
            ownerShown={false}
            pinShown
          />
          <More list={list} next={library.next} />
        </div>
        {isEmpty && isWhole && (
          <EmptyState title="No documents yet">
            <p>
              {mayCreate
                ? `Create a brief or a page for ${name}, or move one here: “Move to…” is in its menu. You choose whether only its members or anyone can read it. `
                : `Only admins of ${name} can create documents. `}
              Private documents are listed only for people who were invited to them.
            </p>
          </EmptyState>
        )}
        {!mayCreate && !isEmpty && <p class="aside">Only admins of {name} can create documents.</p>}
      </>
    ),
  });
}
