import type { JSX } from 'preact';
import { appUrl } from '../../core/document/addresses.ts';
import type { DocumentAccess } from '../../core/document/shown-link-service.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { comparePath, documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { SandboxFrame, SandboxNote } from '../pages/sandbox.tsx';
import { type HistoryDocument, restoring } from '../revisions/history-page.tsx';
import { RevisionBanner } from '../revisions/revision-banner.tsx';
import { writerOf, writersOf } from '../revisions/revision-parts.tsx';
import { Article, type ArticleContent } from './article.tsx';
import type { PrintedFacts } from './printed-facts.tsx';

export interface RevisionPage {
  document: HistoryDocument;
  access: DocumentAccess;
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
    savedBy: revision.author === null ? undefined : writersOf(revision),
    url: `${appUrl(site.webUrl, document)}@${revision.number}`,
  };
}

export function pageRevisionPage(site: Site, page: RevisionPage, source: string): AppPage {
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
        <SandboxFrame site={site} title={title} source={source} />
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

function RevisionTrail({ page: { document, access } }: { page: RevisionPage }): JSX.Element {
  return (
    <>
      <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />
      <VisibilityBadge seenBy={access.seenBy} />
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
