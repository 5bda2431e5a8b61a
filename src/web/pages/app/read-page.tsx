import type { JSX } from 'preact';
import type { Visibility } from '../../../document/access.ts';
import { readerUrl } from '../../../document/addresses.ts';
import type { Editor } from '../../../document/editing/editing-service.ts';
import type { Marks } from '../../../document/pin/pin-service.ts';
import type { ReviewState } from '../../../document/review/review.ts';
import type { NewSinceVisit } from '../../../document/revision/last-visit-service.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { comparePath, documentPath, type Titled } from '../../app/addresses.ts';
import { Article, type ArticleContent } from '../article.tsx';
import type { Site } from '../assets.ts';
import { Day, formatSize, profilePath } from '../format.tsx';
import { Icon, type IconName } from '../icons.tsx';
import type { PrintedFacts } from '../printed-facts.tsx';
import { SandboxFrame, SandboxNote } from '../sandbox.tsx';
import { Trail } from '../trail.tsx';
import type { AppPage } from './app-page.tsx';
import { DiscussionPanel } from './discussion.tsx';
import type { Discussion } from './discussion-state.ts';
import { EditingNow } from './editing-now.tsx';
import { LabelChips } from './label-chips.tsx';
import { listAddress } from './list-filter.ts';
import { VisibilityBadge } from './parts.tsx';
import { PinItem } from './pin-form.tsx';
import { ReviewBadge } from './review-page.tsx';

/** A document as a signed-in user sees it. */
export interface ShownDocument extends Titled {
  visibility: Visibility;
  updatedAt: string;
  /** A username; undefined when the account is gone. */
  updatedBy: string | undefined;
  sizeBytes: number;
  rights: { write: boolean; admin: boolean };
  canMove: boolean;
  /** Whether the reader can comment but not edit. */
  canOnlyPropose: boolean;
  version: number;
  /** Who else is editing it now; empty for readers who can't edit it. */
  editors: readonly Editor[];
  news: NewSinceVisit | undefined;
  /** The state of its reviews; undefined for readers who can't see them. */
  review: ReviewState | undefined;
  marks: Marks;
  /** Whether the reader's lists can have it. */
  isInsider: boolean;
}

/** A brief, rendered in the app. */
export function readBriefPage(
  site: Site,
  document: ShownDocument,
  content: ArticleContent & { math: boolean },
  discussion: Discussion | undefined,
): AppPage {
  return {
    title: content.title,
    skipTo: 'Skip to the document',
    stylesheets: [
      'article.css',
      ...(discussion ? (['comments.css'] as const) : []),
      ...(content.math ? (['math.css'] as const) : []),
    ],
    scripts: ['reading.js'],
    isKept: true,
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
        <Article
          content={content}
          printed={printedFacts(site, document)}
          above={<DocumentLabels document={document} />}
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

export function CommentsLink({ discussion }: { discussion: Discussion }): JSX.Element {
  const { length } = discussion.open;
  return (
    <a class="action comments-link" href="#comments" title="Comments">
      <Icon name="message-square" />
      <span class="label">Comments</span>
      {length > 0 && (
        <span class="count">
          {length}
          <span class="visually-hidden"> open</span>
        </span>
      )}
    </a>
  );
}

/** A page, in its sandbox in the app. */
export function readHtmlPage(
  site: Site,
  document: ShownDocument,
  frame: { title: string; source: string },
  discussion: Discussion | undefined,
): AppPage {
  return {
    title: frame.title,
    skipTo: 'Skip to the page',
    wholeWindow: true,
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
        <DocumentActions site={site} document={document} />
      </>
    ),
    children: (
      <>
        <h1 class="visually-hidden">{frame.title}</h1>
        <News document={document} />
        {discussion ? (
          <ReviewedFrame site={site} frame={frame} discussion={discussion} />
        ) : (
          <SandboxFrame {...frame} />
        )}
      </>
    ),
  };
}

/** A page in its sandbox, beside its comments. */
export function ReviewedFrame(props: {
  site: Site;
  frame: { title: string; source: string };
  discussion: Discussion;
}): JSX.Element {
  const { site, frame, discussion } = props;
  return (
    <div class="reviewed-page">
      <div class="reviewed-frame">
        {/* Takes the frame's port, so it must load first. */}
        <script src={site.assets.url('frame-port.js')} />
        <SandboxFrame {...frame} />
      </div>
      <DiscussionPanel discussion={discussion} />
    </div>
  );
}

/** Shows what others have changed since the reader last saw the document. */
function News({ document }: { document: ShownDocument }): JSX.Element | null {
  const { news, version } = document;
  if (!news) return null;
  const { since, changes } = news;
  return (
    <aside class="revision-banner" aria-label="New since your last visit">
      <p>
        {changes === 1 ? '1 change' : `${changes} changes`} since your last visit ·{' '}
        <a href={comparePath(document, since, version)}>Show</a>
      </p>
    </aside>
  );
}

/** A document's labels. Each leads to the reader's documents with it. */
function DocumentLabels({ document }: { document: ShownDocument }): JSX.Element {
  const hrefOf = (label: string) => listAddress('/', {}, { label, owner: document.ownerNamespace });
  return (
    <LabelChips labels={document.marks.labels} hrefOf={document.isInsider ? hrefOf : undefined} />
  );
}

/** A document's owner, name and visibility. */
function DocumentTrail({ document }: { document: ShownDocument }): JSX.Element {
  return (
    <>
      <Trail owner={document.ownerNamespace} here={shownTitle(document)} name={document.name} />
      <VisibilityBadge visibility={document.visibility} />
      <ReviewBadge document={document} state={document.review ?? 'none'} />
    </>
  );
}

function DocumentActions(props: { site: Site; document: ShownDocument }): JSX.Element {
  const { site, document } = props;
  const { rights, marks } = document;
  return (
    <>
      {rights.write && (
        <EditingNow document={document} editors={document.editors} place="reading" />
      )}
      {rights.write && (
        <ActionLink
          href={documentPath('edit', document)}
          icon="pencil"
          label="Edit"
          title="Edit (e)"
          shortcut="e"
        />
      )}
      {document.canOnlyPropose && (
        <ActionLink
          href={documentPath('propose', document)}
          icon="pencil"
          label="Propose changes"
          title="Propose changes (e)"
          shortcut="e"
        />
      )}
      <a
        class="action"
        href={documentPath('share', document)}
        title="Share (s)"
        data-dialog
        data-shortcut="s"
      >
        <Icon name="user-plus" />
        <span class="label">Share</span>
      </a>
      <details class="menu" data-menu>
        <summary class="action" title="More">
          <Icon name="ellipsis" />
          <span class="label">More</span>
        </summary>
        <ul class="menu-items">
          <CopyAddress site={site} document={document} />
          {document.kind === 'brief' && (
            <MenuLink
              href={documentPath('present', document)}
              icon="presentation"
              label="Present"
            />
          )}
          {document.kind === 'brief' && <MarkdownItems document={document} />}
          <MenuLink href={documentPath('history', document)} icon="history" label="History" />
          {document.review !== undefined && (
            <MenuLink
              href={documentPath('review', document)}
              icon="check"
              label="Review"
              isDialog
            />
          )}
          <MenuLink
            href={documentPath('notifications', document)}
            icon="bell"
            label="Notifications"
            isDialog
          />
          {rights.write && (
            <MenuLink href={documentPath('labels', document)} icon="tag" label="Labels" isDialog />
          )}
          {marks.canPin && <PinItem document={document} isPinned={marks.isPinned} />}
          {rights.write && (
            <MenuLink
              href={documentPath('rename', document)}
              icon="pencil"
              label="Rename"
              isDialog
            />
          )}
          {document.canMove && (
            <MenuLink
              href={documentPath('move', document)}
              icon="folder-input"
              label="Move to…"
              isDialog
            />
          )}
          {rights.admin && (
            <MenuLink
              href={documentPath('delete', document)}
              icon="trash-2"
              label="Delete"
              isDialog
            />
          )}
        </ul>
      </details>
    </>
  );
}

function CopyAddress(props: { site: Site; document: ShownDocument }): JSX.Element {
  const { site, document } = props;
  const link = readerUrl(site.webUrl, document);
  return (
    <li class="needs-script">
      <button type="button" class="menu-item" data-action="copy-text" data-text={link}>
        <Icon name="link" />
        <span class="label">Copy link</span>
      </button>
    </li>
  );
}

function MarkdownItems({ document }: { document: ShownDocument }): JSX.Element {
  const raw = documentPath('raw', document);
  return (
    <>
      <li class="needs-script">
        <button type="button" class="menu-item" data-action="copy-document" data-source={raw}>
          <Icon name="copy" />
          <span class="label">Copy Markdown</span>
        </button>
      </li>
      <li>
        <a class="menu-item" href={`${raw}?download`}>
          <Icon name="download" />
          <span>Download Markdown</span>
        </a>
      </li>
    </>
  );
}

function MenuLink(link: {
  href: string;
  icon: IconName;
  label: string;
  /** Whether it opens as a dialog over the document. */
  isDialog?: boolean;
}): JSX.Element {
  return (
    <li>
      <a class="menu-item" href={link.href} data-dialog={link.isDialog ? '' : undefined}>
        <Icon name={link.icon} />
        <span>{link.label}</span>
      </a>
    </li>
  );
}

function ActionLink(link: {
  href: string;
  icon: IconName;
  label: string;
  title: string;
  shortcut: string;
}): JSX.Element {
  return (
    <a class="action" href={link.href} title={link.title} data-shortcut={link.shortcut}>
      <Icon name={link.icon} />
      <span class="label">{link.label}</span>
    </a>
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
