import type { JSX } from 'preact';
import { appUrl } from '../../../document/addresses.ts';
import type { Revision } from '../../../document/revision/revision.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { comparePath, documentPath } from '../../app/addresses.ts';
import { Article, type ArticleContent } from '../article.tsx';
import type { Site } from '../assets.ts';
import { Moment } from '../format.tsx';
import type { PrintedFacts } from '../printed-facts.tsx';
import { RevisionBanner } from '../revision-banner.tsx';
import { SandboxFrame, SandboxNote } from '../sandbox.tsx';
import { Trail } from '../trail.tsx';
import type { AppPage } from './app-page.tsx';
import { type HistoryDocument, restoring } from './history-page.tsx';
import { ButtonForm, VisibilityBadge } from './parts.tsx';
import { writerOf } from './revision-parts.tsx';

export interface RevisionPage {
  document: HistoryDocument;
  revision: Revision;
  rights: { insider: boolean; write: boolean };
}

export function briefRevisionPage(page: RevisionPage, content: ArticleContent): AppPage {
  return {
    ...shared(page),
    skipTo: 'Skip to the document',
    scripts: ['reading.js'],
    stylesheets: content.math ? ['article.css', 'math.css'] : ['article.css'],
    foot: <HistoryLink page={page} />,
    children: (site) => (
      <>
        <Banner page={page} />
        <Article content={content} printed={printedFacts(site, page)} />
      </>
    ),
  };
}

function printedFacts(site: Site, { document, revision }: RevisionPage): PrintedFacts {
  return {
    owner: document.ownerNamespace,
    name: document.name,
    revision: revision.number,
    savedAt: revision.createdAt,
    savedBy: revision.author ?? undefined,
    url: `${appUrl(site.webUrl, document)}@${revision.number}`,
  };
}

/** Shows a revision of a page in its sandbox. */
export function pageRevisionPage(page: RevisionPage, source: string): AppPage {
  const { title } = shared(page);
  return {
    ...shared(page),
    skipTo: 'Skip to the page',
    wholeWindow: true,
    trail: (
      <>
        <RevisionTrail page={page} />
        <SandboxNote owner={page.document.ownerNamespace} />
      </>
    ),
    children: (
      <>
        <h1 class="visually-hidden">{title}</h1>
        <Banner page={page} />
        <SandboxFrame title={title} source={source} />
      </>
    ),
  };
}

/** Shows a revision whose text is no longer stored. */
export function goneRevisionPage(page: RevisionPage): AppPage {
  return {
    ...shared(page),
    children: (
      <div class="sheet narrow">
        <h1>Revision {page.revision.number}</h1>
        <p>The text of this revision is no longer stored.</p>
        <HistoryLink page={page} />
      </div>
    ),
  };
}

function shared(page: RevisionPage): Pick<AppPage, 'title' | 'trail'> {
  const { document, revision } = page;
  return {
    title: `${shownTitle(document)}, revision ${revision.number}`,
    trail: <RevisionTrail page={page} />,
  };
}

function RevisionTrail({ page: { document } }: { page: RevisionPage }): JSX.Element {
  return (
    <>
      <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />
      <VisibilityBadge visibility={document.visibility} />
    </>
  );
}

function HistoryLink({ page: { document } }: { page: RevisionPage }): JSX.Element {
  return (
    <p>
      <a href={documentPath('history', document)}>History of {shownTitle(document)}</a>
    </p>
  );
}

function Banner({ page }: { page: RevisionPage }): JSX.Element {
  const { document, revision, rights } = page;
  const { number, message, createdAt } = revision;
  const isCurrent = number === document.version;
  return (
    <RevisionBanner
      label={`Revision ${number} of ${document.version}`}
      facts={
        <>
          saved by {writerOf(revision)}, <Moment at={createdAt} />
          {message !== null && <>: “{message}”</>}
          {isCurrent && '. This is the current text.'}
        </>
      }
    >
      <a class="secondary small" href={documentPath('read', document)}>
        Back to the current text
      </a>
      {!isCurrent && rights.insider && (
        <a class="secondary small" href={comparePath(document, number, document.version)}>
          Compare
        </a>
      )}
      {!isCurrent && rights.write && (
        <ButtonForm
          action={documentPath('history', document)}
          fields={restoring(document, number)}
          label="Restore"
          class="secondary small"
        />
      )}
    </RevisionBanner>
  );
}
