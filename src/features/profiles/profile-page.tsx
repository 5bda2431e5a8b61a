import type { ComponentChildren, JSX } from 'preact';
import { picturePath } from '../../base/schema/profile.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';
import { feedPath, LinkPreview } from '../../surfaces/web/pages/link-preview.tsx';

export interface ProfilePage {
  owner: string;
  ownerType: 'user' | 'organization';
  displayName: string | undefined;
  summary: string | undefined;
  createdAt: string;
  /** Documents pinned to the top; only on the first result page. */
  pinned: ListedDocument[];
  documents: ListedDocument[];
  /** From 1. */
  page: number;
  lastPage: number;
  total: number;
}

interface ListedDocument {
  kind: 'brief' | 'page';
  name: string;
  title: string | null;
  url: string;
  updatedAt: string;
}

/** Renders a user's or an organization's public documents, for someone who isn't signed in. */
export function renderProfilePage(site: Site, page: ProfilePage): string {
  const name = page.displayName ?? page.owner;
  const description = page.summary ?? `Public documents of ${name} on ${site.face.name}.`;
  return renderLayout({
    site,
    viewer: 'signed out',
    signInTo: pathOf(page.owner, page.page),
    title: name,
    description,
    stylesheets: ['site.css'],
    head: (
      <>
        <link rel="canonical" href={addressOf(site, page.owner, page.page)} />
        <LinkPreview
          site={site}
          type="profile"
          title={name}
          description={description}
          url={addressOf(site, page.owner, 1)}
          owner={page.owner}
        />
      </>
    ),
    trail: <span class="here">{page.owner}</span>,
    children: (
      <div class="column">
        <Profile page={page} />
      </div>
    ),
  });
}

/** Shows a user's or an organization's public documents in the app. */
export function profilePage(page: ProfilePage): AppPage {
  const { owner, ownerType } = page;
  return {
    title: page.displayName ?? owner,
    stylesheets: ['public-in-app.css'],
    ...(ownerType === 'organization' && { place: { organization: owner } }),
    trail: <span class="here">{owner}</span>,
    children: (_site, frame) => (
      <div class="sheet">
        <Profile page={page}>
          {owner === frame.username && (
            <a class="secondary small profile-acts" href="/settings">
              Edit profile
            </a>
          )}
          {frame.organizations.some(({ namespace }) => namespace === owner) && (
            <a class="secondary small profile-acts" href={organizationPath(owner)}>
              All documents
            </a>
          )}
        </Profile>
      </div>
    ),
  };
}

function Profile(props: { page: ProfilePage; children?: ComponentChildren }): JSX.Element {
  const { page } = props;
  const name = page.displayName ?? page.owner;
  return (
    <>
      <header class="profile">
        <img src={picturePath(page.owner)} alt="" width="72" height="72" />
        <div>
          <h1>{name}</h1>
          <p class="facts">
            {page.displayName !== undefined && <>{page.owner} · </>}
            {page.ownerType === 'organization' ? 'Organization, created' : 'Joined'}{' '}
            <Day at={page.createdAt} /> ·{' '}
            <a href={feedPath(page.owner)} type="application/atom+xml">
              Feed
            </a>
          </p>
        </div>
        {props.children}
      </header>
      {page.summary !== undefined && <p class="lead">{page.summary}</p>}
      {page.pinned.length > 0 && (
        <section aria-labelledby="pinned">
          <h2 id="pinned" class="list-title">
            Pinned
          </h2>
          <DocumentRows documents={page.pinned} />
        </section>
      )}
      <Documents page={page} />
      {page.lastPage > 1 && <Pagination page={page} />}
    </>
  );
}

function addressOf(site: Site, owner: string, page: number): string {
  return `${site.webUrl}${pathOf(owner, page)}`;
}

function pathOf(owner: string, page: number): string {
  return page > 1 ? `${profilePath(owner)}?page=${page}` : profilePath(owner);
}

function Documents({ page }: { page: ProfilePage }): JSX.Element {
  if (page.total === 0) {
    return <p class="empty">{page.owner} has no public documents yet.</p>;
  }
  return (
    <section aria-labelledby="documents">
      <h2 id="documents" class="list-title">
        {page.total === 1 ? '1 public document' : `${page.total} public documents`}
      </h2>
      <DocumentRows documents={page.documents} />
    </section>
  );
}

function DocumentRows({ documents }: { documents: readonly ListedDocument[] }): JSX.Element {
  return (
    <ul class="documents">
      {documents.map((document) => (
        <li>
          <Icon name={document.kind === 'brief' ? 'file-text' : 'app-window'} />
          <span class="titled">
            <a dir="auto" href={document.url}>
              {document.title ?? document.name}
            </a>
            {document.title !== null && <span class="name">{document.name}</span>}
          </span>
          <span class="kind">{document.kind === 'brief' ? 'Brief' : 'Page'}</span>
          <Day at={document.updatedAt} />
        </li>
      ))}
    </ul>
  );
}

function Pagination({ page: { owner, page, lastPage } }: { page: ProfilePage }): JSX.Element {
  return (
    <nav class="pagination" aria-label="Result pages">
      {page > 1 && (
        <a rel="prev" href={pathOf(owner, page - 1)}>
          Newer
        </a>
      )}
      <span>
        Page {page} of {lastPage}
      </span>
      {page < lastPage && (
        <a rel="next" href={pathOf(owner, page + 1)}>
          Older
        </a>
      )}
    </nav>
  );
}
