import type { JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { LiveMarker } from '../../surfaces/web/pages/live-marker.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { LinkedFrom } from '../backlinks/linked-from.tsx';
import type { Discussion } from '../comments/discussion-state.ts';
import { DiscussionPanel } from '../discussion/discussion.tsx';
import { ReviewedFrame } from '../discussion/reviewed-frame.tsx';
import { LabelChips } from '../labels/label-chips.tsx';
import { listAddress } from '../library/list-filter.ts';
import { SandboxFrame, SandboxNote } from '../pages/sandbox.tsx';
import { ChangesLink, ReviewBar } from '../reviews/review-bar.tsx';
import { Article, type ArticleContent } from './article.tsx';
import { CommentsLink, DocumentActions } from './document-actions.tsx';
import type { PrintedFacts } from './printed-facts.tsx';
import type { ShownDocument } from './shown-document.ts';

export function readBriefPage(
  site: Site,
  document: ShownDocument,
  content: ArticleContent,
  discussion: Discussion | undefined,
): AppPage {
  return {
    title: content.title,
    skipTo: 'Skip to the document',
    stylesheets: [
      'article.css',
      ...(discussion ? ['comments.css'] : []),
      ...(content.math ? ['math.css'] : []),
    ],
    scripts: ['reading.js'],
    isLive: true,
    trail: <DocumentTrail document={document} />,
    actions: (
      <>
        {discussion && <CommentsLink discussion={discussion} />}
        <DocumentActions site={site} document={document} />
      </>
    ),
    foot: <Colophon document={document} />,
    children: (
      <>
        <News document={document} />
        <DocumentMarker document={document} />
        <Article
          content={content}
          printed={printedFacts(site, document)}
          above={<DocumentLabels document={document} />}
          below={<LinkedFrom documents={document.linkedFrom} />}
          tasksOf={document.canTick ? document.id : undefined}
        >
          {discussion && <DiscussionPanel discussion={discussion} />}
        </Article>
      </>
    ),
  };
}

function printedFacts(site: Site, document: ShownDocument): PrintedFacts {
  const { ownerNamespace: owner, name, version, updatedAt, updatedBy } = document;
  const url = readerUrl(site.webUrl, document);
  return { owner, name, revision: version, savedAt: updatedAt, savedBy: updatedBy, url };
}

/** Shows a page in its sandbox in the app. */
export function readHtmlPage(
  site: Site,
  document: ShownDocument,
  frame: { title: string; source: string; direct: string },
  discussion: Discussion | undefined,
): AppPage {
  return {
    title: frame.title,
    skipTo: 'Skip to the page',
    wholeWindow: true,
    isLive: true,
    ...(discussion && { stylesheets: ['comments.css', 'frame-comments.css'] }),
    trail: (
      <>
        <DocumentTrail document={document} />
        <DocumentLabels document={document} />
        <SandboxNote owner={document.ownerNamespace} />
      </>
    ),
    actions: (
      <>
        {discussion && <CommentsLink discussion={discussion} />}
        <DocumentActions site={site} document={document} direct={frame.direct} />
      </>
    ),
    children: (
      <>
        <h1 class="visually-hidden">{frame.title}</h1>
        <News document={document} />
        <DocumentMarker document={document} />
        {discussion ? (
          <ReviewedFrame site={site} frame={frame} discussion={discussion} />
        ) : (
          <SandboxFrame site={site} {...frame} />
        )}
      </>
    ),
  };
}

/** Shows the state of the reviews, and what others have changed since the reader last saw the document. */
function News({ document }: { document: ShownDocument }): JSX.Element {
  const { review: bar, news } = document;
  const own = bar?.own;
  const since = own && !own.isFresh ? own.version : news?.since;
  return (
    <>
      <ReviewBar document={document} bar={bar} since={since} />
      {(!bar?.isShown || since === undefined) && <NewSinceVisit document={document} />}
    </>
  );
}

function DocumentMarker({ document }: { document: ShownDocument }): JSX.Element {
  const { version, position, typed } = document;
  return <LiveMarker document={document} version={version} position={position} typed={typed} />;
}

function NewSinceVisit({ document }: { document: ShownDocument }): JSX.Element | null {
  const { news, version } = document;
  if (!news) return null;
  const { since, changes } = news;
  return (
    <aside class="revision-banner" aria-label="New since your last visit">
      <p>
        {changes === 1 ? '1 change' : `${changes} changes`} since your last visit ·{' '}
        <ChangesLink document={document} from={since} to={version} />
      </p>
    </aside>
  );
}

/** Lists a document's labels. For insiders, each links to the owner's documents that have it. */
function DocumentLabels({ document }: { document: ShownDocument }): JSX.Element {
  const hrefOf = (label: string) => listAddress('/', {}, { label, owner: document.ownerNamespace });
  return (
    <LabelChips labels={document.marks.labels} hrefOf={document.isInsider ? hrefOf : undefined} />
  );
}

/** Renders a document's owner, title and visibility. */
function DocumentTrail({ document }: { document: ShownDocument }): JSX.Element {
  return (
    <>
      <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />
      <VisibilityBadge seenBy={document.access.seenBy} />
    </>
  );
}

function Colophon({ document }: { document: ShownDocument }): JSX.Element {
  const { updatedAt, updatedBy, sizeBytes } = document;
  return (
    <p>
      <a href={documentPath('history', document)}>
        Last changed <Day at={updatedAt} />
      </a>
      {updatedBy !== undefined && (
        <>
          {' by '}
          <a href={profilePath(updatedBy)}>{updatedBy}</a>
        </>
      )}
      {` · ${formatSize(sizeBytes)}`}
    </p>
  );
}
