import type { DocumentRow } from '../../core/document/document-store.ts';
import { LINK_SEGMENT } from '../../core/document/link.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout, type Viewer } from '../../surfaces/web/pages/layout.tsx';
import { LiveMarker } from '../../surfaces/web/pages/live-marker.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { Article, type ArticleContent } from '../reading/article.tsx';
import { linkedFacts } from '../reading/printed-facts.tsx';
import { MarkdownActions } from '../reading/reading-page.tsx';

/** A brief that a secret link opens, for anyone. */
export interface LinkPage extends ArticleContent {
  document: Pick<DocumentRow, 'ownerNamespace' | 'name' | 'version' | 'updatedAt'>;
  typed: string | undefined;
  viewer: Viewer;
  /** The link's. */
  secret: string;
  markdownPath: string;
  /** Where to sign in to comment, if the link allows commenting. */
  signInPath: string | undefined;
}

/** Renders a brief for a secret link, without links to its history or to other documents. */
export function renderLinkPage(site: Site, page: LinkPage): string {
  const { ownerNamespace, name, updatedAt } = page.document;
  return renderLayout({
    site,
    viewer: page.viewer,
    signInTo: `/${LINK_SEGMENT}/${encodeURIComponent(page.secret)}`,
    // “Sign in to comment” says it.
    ...(page.signInPath !== undefined && { accountActions: null }),
    title: `${page.title} · ${ownerNamespace}`,
    description: '',
    stylesheets: page.math ? ['reading.css', 'math.css'] : ['reading.css'],
    scripts: ['reading.js'],
    isLive: true,
    head: <meta name="robots" content="noindex" />,
    skipTo: 'Skip to the document',
    trail: (
      <>
        <Trail owner={ownerNamespace} name={name} title={page.title} />
        <VisibilityBadge seenBy="link" />
      </>
    ),
    actions: (
      <>
        <MarkdownActions markdownUrl={page.markdownPath} name={name} />
        {page.signInPath !== undefined && (
          <a class="action" href={page.signInPath} title="Sign in to comment">
            <Icon name="message-square" />
            <span class="label">Sign in to comment</span>
          </a>
        )}
      </>
    ),
    children: (
      <>
        <LiveMarker
          document={{ ...page.document, kind: 'brief' }}
          version={page.document.version}
          typed={page.typed}
          secret={page.secret}
        />
        <Article content={page} printed={linkedFacts(page.document)} />
      </>
    ),
    foot: (
      <p>
        Last changed <Day at={updatedAt} />
      </p>
    ),
  });
}
