import type { DocumentRow } from '../../../document/document-store.ts';
import { Article, type ArticleContent } from '../article.tsx';
import type { Site } from '../assets.ts';
import { Day } from '../format.tsx';
import { linkedFacts } from '../printed-facts.tsx';
import { MarkdownActions } from '../reading-page.tsx';
import { SandboxNote } from '../sandbox.tsx';
import { Trail } from '../trail.tsx';
import type { AppPage } from './app-page.tsx';
import { DiscussionPanel } from './discussion.tsx';
import type { Discussion } from './discussion-state.ts';
import { CommentsLink } from './document-actions.tsx';
import { LinkBadge } from './parts.tsx';
import { ReviewedFrame } from './reviewed-frame.tsx';

/** Shows a brief that a signed-in user opened with a secret link, with its comments. */
export function linkedBriefPage(page: {
  document: Pick<DocumentRow, 'ownerNamespace' | 'name' | 'updatedAt'>;
  content: ArticleContent;
  markdownPath: string;
  discussion: Discussion | undefined;
}): AppPage {
  const { document, content, markdownPath, discussion } = page;
  return {
    title: content.title,
    skipTo: 'Skip to the document',
    stylesheets: [
      'article.css',
      ...(discussion ? (['comments.css'] as const) : []),
      ...(content.math ? (['math.css'] as const) : []),
    ],
    scripts: ['reading.js'],
    trail: (
      <>
        <Trail owner={document.ownerNamespace} name={document.name} title={content.title} />
        <LinkBadge />
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
      <Article content={content} printed={linkedFacts(document)}>
        {discussion && <DiscussionPanel discussion={discussion} />}
      </Article>
    ),
  };
}

/** Shows an HTML page that a signed-in user opened with a secret link, with its comments. */
export function linkedHtmlPage(page: {
  site: Site;
  document: Pick<DocumentRow, 'ownerNamespace' | 'name'>;
  frame: { title: string; source: string };
  discussion: Discussion;
}): AppPage {
  const { site, document, frame, discussion } = page;
  return {
    title: frame.title,
    skipTo: 'Skip to the page',
    wholeWindow: true,
    stylesheets: ['comments.css', 'frame-comments.css'],
    trail: (
      <>
        <Trail owner={document.ownerNamespace} name={document.name} title={frame.title} />
        <LinkBadge />
        <SandboxNote owner={document.ownerNamespace} />
      </>
    ),
    actions: <CommentsLink discussion={discussion} />,
    children: (
      <>
        <h1 class="visually-hidden">{frame.title}</h1>
        <ReviewedFrame site={site} frame={frame} discussion={discussion} />
      </>
    ),
  };
}
