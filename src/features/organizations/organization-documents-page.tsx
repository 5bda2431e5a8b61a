import { mayCreateDocuments } from '../../core/owner/organization-access.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { EmptyState } from '../../surfaces/web/pages/parts.tsx';
import { DocumentList } from '../library/document-list.tsx';
import { FilterForm, More } from '../library/filter-form.tsx';
import type { Library } from '../library/library-service.ts';
import { type ListFilter, listAddress } from '../library/list-filter.ts';
import { LIST_SORTS, ListTools, labelsOf } from '../library/list-tools.tsx';
import type { ListedState } from '../review/listed-states-service.ts';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';

/** Lists an organization's documents for one of its members. */
export function organizationDocumentsPage(page: {
  organization: OwnOrganization;
  filter: ListFilter;
  library: Library;
  states: ReadonlyMap<string, ListedState>;
  isFirst: boolean;
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
                ? `Create a brief or a page for ${name}. You choose whether only its members or anyone can read it. `
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
