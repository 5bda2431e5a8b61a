import type { JSX } from 'preact';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout, type Viewer } from '../../surfaces/web/pages/layout.tsx';
import { LinkPreview } from '../../surfaces/web/pages/link-preview.tsx';
import { LiveMarker } from '../../surfaces/web/pages/live-marker.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { PinnedBanner, type PinnedRevision } from '../revisions/revision-banner.tsx';
import { SandboxFrame, SandboxNote } from './sandbox.tsx';

/** A user's HTML page, shown in a sandbox. */
export interface FramePage {
  owner: string;
  name: string;
  /** The page's own title, else its name. */
  title: string;
  /** The absolute address. */
  url: string;
  /** The address of its HTML, raw or signed. */
  source: string;
  /** Who can see it here: anyone, or anyone with the secret link. */
  seenBy: 'anyone' | 'link';
  /** Who opened a secret link; by default, someone who is signed out. */
  viewer?: Viewer;
  /** Where to sign in to comment, if a secret link allows commenting. */
  signInPath?: string | undefined;
  /** Set for a pinned revision. */
  revision?: PinnedRevision;
  /** How the page is kept up to date; absent on public pages, which are the same for everyone. */
  live?: Parameters<typeof LiveMarker>[0];
}

/**
 * Renders a page in its frame, below a bar that names its owner. The frame's sandbox repeats the
 * render host's. Never add `allow-same-origin`.
 */
export function renderFramePage(site: Site, page: FramePage): string {
  return renderLayout({
    site,
    viewer: page.viewer ?? 'signed out',
    // “Sign in to comment” says it.
    ...(page.signInPath !== undefined && { accountActions: null }),
    ...(page.seenBy === 'anyone' && {
      signInTo: documentPath('read', { kind: 'page', ownerNamespace: page.owner, name: page.name }),
    }),
    title: `${page.title} · ${page.owner}`,
    description: describe(site, page),
    stylesheets: ['site.css'],
    head:
      page.seenBy === 'anyone' ? (
        <PublicHead site={site} page={page} />
      ) : (
        <meta name="robots" content="noindex" />
      ),
    skipTo: 'Skip to the page',
    framed: true,
    isLive: page.live !== undefined,
    trail: (
      <>
        <Trail owner={page.owner} name={page.name} title={page.title} />
        {page.seenBy === 'anyone' && <VisibilityBadge seenBy="public" />}
        {page.seenBy === 'link' && <VisibilityBadge seenBy="link" />}
        <SandboxNote owner={page.owner} />
      </>
    ),
    actions: <Actions site={site} page={page} />,
    children: (
      <>
        <h1 class="visually-hidden">{page.title}</h1>
        {page.revision && <PinnedBanner {...page.revision} />}
        {page.live && <LiveMarker {...page.live} />}
        <SandboxFrame site={site} title={page.title} source={page.source} />
      </>
    ),
  });
}

function describe(site: Site, { owner }: FramePage): string {
  return `A page by ${owner} on ${site.face.name}.`;
}

function PublicHead({ site, page }: { site: Site; page: FramePage }): JSX.Element {
  const url = page.revision?.current ?? page.url;
  return (
    <>
      <link rel="canonical" href={url} />
      <LinkPreview
        site={site}
        type="article"
        title={page.title}
        description={describe(site, page)}
        url={url}
        owner={page.owner}
        isDocument
      />
    </>
  );
}

function Actions({ site, page }: { site: Site; page: FramePage }): JSX.Element {
  return (
    <>
      {page.signInPath !== undefined && (
        <a class="action" href={page.signInPath} title="Sign in to comment">
          <Icon name="message-square" />
          <span class="label">Sign in to comment</span>
        </a>
      )}
      <a class="action" href={page.source} title="Open without the bar">
        <Icon name="external-link" />
        <span class="label">Open directly</span>
      </a>
      <button
        type="button"
        class="action needs-script"
        data-action="copy-link"
        data-link={page.url}
        title="Copy the link to this page"
      >
        <Icon name="link" />
        <span class="label">Copy link</span>
      </button>
      {site.takesReports && page.seenBy === 'anyone' && (
        <a
          class="action"
          href={documentPath('report', {
            kind: 'page',
            ownerNamespace: page.owner,
            name: page.name,
          })}
          rel="nofollow"
          title="Report this page"
        >
          <Icon name="circle-alert" />
          <span class="label">Report</span>
        </a>
      )}
    </>
  );
}
