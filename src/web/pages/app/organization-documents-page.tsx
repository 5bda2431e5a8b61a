import type { Library } from '../../../document/library-service.ts';
import { mayCreateDocuments } from '../../../organization/organization-access.ts';
import { organizationPath } from '../../app/addresses.ts';
import type { AppPage } from './app-page.tsx';
import { DocumentList } from './document-list.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';
import { EmptyState } from './parts.tsx';

/** An organization's documents, as one of its members sees them. */
export function organizationDocumentsPage(page: {
  organization: OwnOrganization;
  library: Library;
  isFirst: boolean;
  /** The time, ISO 8601. */
  now: string;
  webUrl: string;
}): AppPage {
  const { organization, library, isFirst } = page;
  const { namespace, name } = organization;
  const mayCreate = mayCreateDocuments(organization);
  const isEmpty = library.items.length === 0;
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
        {!isEmpty && (
          <DocumentList
            documents={library.items}
            now={page.now}
            webUrl={page.webUrl}
            ownerShown={false}
          />
        )}
        {isEmpty && isFirst && (
          <EmptyState title="No documents yet">
            <p>
              {mayCreate
                ? `Create a brief or a page for ${name}. You choose whether only its members or everyone can read it. `
                : `Only admins of ${name} can create documents. `}
              Private documents are listed only for people who were invited to them.
            </p>
          </EmptyState>
        )}
        {isEmpty && !isFirst && <p class="aside">No more documents.</p>}
        {library.next !== undefined && (
          <p class="more">
            <a
              class="secondary small"
              rel="next"
              href={`${organizationPath(namespace)}?before=${encodeURIComponent(library.next)}`}
            >
              Older
            </a>
          </p>
        )}
        {!mayCreate && !isEmpty && <p class="aside">Only admins of {name} can create documents.</p>}
      </>
    ),
  });
}
