import type { DocumentRow } from '../../core/document/document-store.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { LiveMarker } from '../../surfaces/web/pages/live-marker.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import type { Discussion } from '../comments/discussion-state.ts';
import { DiscussionPanel } from '../discussion/discussion.tsx';
import { ReviewedFrame } from '../discussion/reviewed-frame.tsx';
import { SandboxNote } from '../pages/sandbox.tsx';
import { Article, type ArticleContent } from '../reading/article.tsx';
import { CommentsLink } from '../reading/document-actions.tsx';
import { linkedFacts } from '../reading/printed-facts.tsx';
import { MarkdownActions } from '../reading/reading-page.tsx';

/** Shows a brief that a signed-in user opened with a secret link, with its comments. */
export function linkedBriefPage(page: {
  document: Pick<DocumentRow, 'ownerNamespace' | 'name' | 'version' | 'updatedAt'>;
  typed: string | undefined;
  /** The link's. */
  secret: string;
  content: ArticleContent;
  markdownPath: string;
  discussion: Discussion | undefined;
}): AppPage {
  const { document, typed, secret, content, markdownPath, discussion } = page;
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
    trail: (
      <>
        <Trail owner={document.ownerNamespace} name={document.name} title={content.title} />
        <VisibilityBadge seenBy="link" />
      </>
    ),
    actions: (
      <>
        {discussion && <CommentsLink discussion={discussion} />}
        <MarkdownActions markdownUrl={markdownPath} name={document.name} />
      </>
    ),
    foot: (
      <p>
        Last changed <Day at={document.updatedAt} />
      </p>
    ),
    children: (
      <>
        <LiveMarker
          document={{ ...document, kind: 'brief' }}
          version={document.version}
          typed={typed}
          secret={secret}
        />
        <Article content={content} printed={linkedFacts(document)}>
          {discussion && <DiscussionPanel discussion={discussion} />}
        </Article>
      </>
    ),
  };
}

/** Shows an HTML page that a signed-in user opened with a secret link, with its comments. */
export function linkedHtmlPage(page: {
  site: Site;
  document: Pick<DocumentRow, 'ownerNamespace' | 'name' | 'version'>;
  typed: string | undefined;
  /** The link's. */
  secret: string;
  frame: { title: string; source: string };
  discussion: Discussion;
}): AppPage {
  const { site, document, typed, secret, frame, discussion } = page;
  return {
    title: frame.title,
    skipTo: 'Skip to the page',
    wholeWindow: true,
    isLive: true,
    stylesheets: ['comments.css', 'frame-comments.css'],
    trail: (
      <>
        <Trail owner={document.ownerNamespace} name={document.name} title={frame.title} />
        <VisibilityBadge seenBy="link" />
        <SandboxNote owner={document.ownerNamespace} />
      </>
    ),
    actions: <CommentsLink discussion={discussion} />,
    children: (
      <>
        <h1 class="visually-hidden">{frame.title}</h1>
        <LiveMarker
          document={{ ...document, kind: 'page' }}
          version={document.version}
          typed={typed}
          secret={secret}
        />
        <ReviewedFrame site={site} frame={frame} discussion={discussion} />
      </>
    ),
  };
}
