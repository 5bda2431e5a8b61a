import type { JSX } from 'preact';
import type { Site } from './assets.ts';
import { Contents, type Heading, listedHeadings } from './contents.tsx';
import { Icon } from './icons.tsx';
import { renderLayout } from './layout.tsx';
import { Trail } from './trail.tsx';
import { Day, formatSize, profilePath } from './words.tsx';

export interface ReadingPage {
  owner: string;
  name: string;
  title: string;
  description: string;
  /** The canonical absolute address. */
  url: string;
  /** The absolute address of the Markdown. */
  markdownUrl: string;
  /** The sanitized body; undefined when the document was too costly to lay out. */
  html: string | undefined;
  /** The Markdown, shown only where there is no body. */
  source: string;
  headings: Heading[];
  math: boolean;
  diagrams: boolean;
  /** ISO 8601. */
  updatedAt: string;
  /** A username; undefined when the account is gone. */
  updatedBy: string | undefined;
  sizeBytes: number;
}

/** A public brief as a document to read. Holds nothing about who reads it. */
export function renderReadingPage(site: Site, page: ReadingPage): string {
  const headings = page.html === undefined ? [] : listedHeadings(page.headings);
  return renderLayout({
    site,
    title: `${page.title} · ${page.owner}`,
    description: page.description,
    stylesheets: page.math ? ['reading.css', 'math.css'] : ['reading.css'],
    head: <ForPrograms page={page} />,
    skipTo: 'Skip to the document',
    trail: <Trail owner={page.owner} here={page.name} />,
    actions: <Actions page={page} />,
    children: (
      <div class="reading">
        {headings.length > 0 && <ContentsTwice headings={headings} />}
        <Body page={page} />
      </div>
    ),
    foot: <Colophon page={page} />,
  });
}

function ForPrograms({ page }: { page: ReadingPage }): JSX.Element {
  return (
    <>
      <link rel="canonical" href={page.url} />
      <link rel="alternate" type="text/markdown" href={page.markdownUrl} title="Markdown" />
      <meta property="og:type" content="article" />
      <meta property="og:site_name" content="Briefs" />
      <meta property="og:title" content={page.title} />
      <meta property="og:description" content={page.description} />
      <meta property="og:url" content={page.url} />
      <meta property="article:modified_time" content={page.updatedAt} />
      <meta name="twitter:card" content="summary" />
      <meta name="twitter:title" content={page.title} />
      <meta name="twitter:description" content={page.description} />
    </>
  );
}

function Actions({ page }: { page: ReadingPage }): JSX.Element {
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

/** Folded above the document and open in the margin; styles show the one that there is room for. */
function ContentsTwice({ headings }: { headings: Heading[] }): JSX.Element {
  return (
    <>
      <details class="contents folded-contents">
        <summary>Contents</summary>
        <nav aria-label="Contents">
          <Contents headings={headings} />
        </nav>
      </details>
      <nav class="contents margin-contents" aria-label="Contents" data-contents>
        <Contents headings={headings} />
      </nav>
    </>
  );
}

function Body({ page }: { page: ReadingPage }): JSX.Element {
  if (page.html === undefined) {
    return (
      <article>
        <h1 class="visually-hidden">{page.title}</h1>
        <p class="notice">
          This document is too intricate to lay out, so here it is as its author wrote it.
        </p>
        <pre class="plain-source">{page.source}</pre>
      </article>
    );
  }
  const hasTitle = page.headings.some(({ level }) => level === 1);
  return (
    <article>
      {!hasTitle && <h1 class="visually-hidden">{page.title}</h1>}
      <div class="prose" dangerouslySetInnerHTML={{ __html: page.html }} />
    </article>
  );
}

function Colophon({ page }: { page: ReadingPage }): JSX.Element {
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
    </p>
  );
}
