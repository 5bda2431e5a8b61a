import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';
import { LinkPreview } from '../../surfaces/web/pages/link-preview.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { PinnedBanner, type PinnedRevision } from '../revisions/revision-banner.tsx';
import { Article, type ArticleContent } from './article.tsx';

export interface ReadingPage extends ArticleContent {
  owner: string;
  name: string;
  description: string;
  /** The absolute address. */
  url: string;
  /** The absolute address of the Markdown. */
  markdownUrl: string;
  diagrams: boolean;
  updatedAt: string;
  /** A username; undefined when the account is gone. */
  updatedBy: string | undefined;
  sizeBytes: number;
  /** The number of this text's revision. */
  version: number;
  /** Set for a pinned revision. */
  revision?: PinnedRevision;
}

/** Renders a public brief. The result is the same for everyone who isn't signed in. */
export function renderReadingPage(site: Site, page: ReadingPage): string {
  return renderLayout({
    site,
    viewer: 'signed out',
    // The app leads back here who doesn't sign in.
    signInTo: documentPath('read', briefAt(page)),
    title: `${page.title} · ${page.owner}`,
    description: page.description,
    stylesheets: page.math ? ['reading.css', 'math.css'] : ['reading.css'],
    scripts: ['reading.js'],
    head: <ForPrograms site={site} page={page} />,
    skipTo: 'Skip to the document',
    trail: (
      <>
        <Trail owner={page.owner} name={page.name} title={page.title} />
        <VisibilityBadge seenBy="public" />
      </>
    ),
    actions: <MarkdownActions {...page} />,
    children: (
      <>
        {page.revision && <PinnedBanner {...page.revision} />}
        <Article content={page} printed={printedFacts(page)} />
      </>
    ),
    foot: <Colophon site={site} page={page} />,
  });
}

function briefAt({ owner, name }: ReadingPage) {
  return { kind: 'brief', ownerNamespace: owner, name } as const;
}

function printedFacts({ owner, name, version, updatedAt, updatedBy, url }: ReadingPage) {
  return { owner, name, revision: version, savedAt: updatedAt, savedBy: updatedBy, url };
}

function ForPrograms({ site, page }: { site: Site; page: ReadingPage }): JSX.Element {
  return (
    <>
      <link rel="canonical" href={page.revision?.current ?? page.url} />
      <link rel="alternate" type="text/markdown" href={page.markdownUrl} title="Markdown" />
      <LinkPreview
        site={site}
        type="article"
        title={page.title}
        description={page.description}
        url={page.revision?.current ?? page.url}
        owner={page.owner}
        isDocument
        updatedAt={page.updatedAt}
      />
    </>
  );
}

/** Renders the actions that show, copy and download a brief's Markdown. */
export function MarkdownActions(page: { markdownUrl: string; name: string }): JSX.Element {
  return (
    <>
      <a class="action" href={page.markdownUrl} title="Show the Markdown">
        <Icon name="file-text" />
        <span class="label">Raw</span>
      </a>
      <button
        type="button"
        class="action needs-script"
        data-action="copy-document"
        data-source={page.markdownUrl}
        title="Copy the Markdown"
      >
        <Icon name="copy" />
        <span class="label">Copy</span>
      </button>
      <a
        class="action"
        href={page.markdownUrl}
        download={`${page.name}.md`}
        title="Download the Markdown"
      >
        <Icon name="download" />
        <span class="label">Download</span>
      </a>
    </>
  );
}

function Colophon({ site, page }: { site: Site; page: ReadingPage }): JSX.Element {
  return (
    <p>
      Last changed <Day at={page.updatedAt} />
      {page.updatedBy !== undefined && (
        <>
          {' by '}
          <a href={profilePath(page.updatedBy)}>{page.updatedBy}</a>
        </>
      )}
      {` · ${formatSize(page.sizeBytes)}`}
      {site.takesReports && (
        <>
          {' · '}
          <a href={documentPath('report', briefAt(page))} rel="nofollow">
            Report
          </a>
        </>
      )}
    </p>
  );
}
