import type { JSX } from 'preact';
import {
  type DocumentAct,
  documentPath,
  pathWithShown,
  takeDownPath,
} from '../../surfaces/web/addresses.ts';
import { worksFor } from '../../surfaces/web/pages/access-labels.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuGroup, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import type { Discussion } from '../comments/discussion-state.ts';
import { PinItem } from '../pins/pin-form.tsx';
import { ReviewAction } from '../reviews/review-page.tsx';
import type { ShownDocument } from './shown-document.ts';

/** Renders the reader's actions for a document: buttons in the bar, and a menu with the rest. */
export function DocumentActions(props: {
  site: Site;
  document: ShownDocument;
  /** The address of a page's HTML, without the bar. */
  direct?: string;
}): JSX.Element {
  const { document, direct } = props;
  const { rights, access } = document;
  return (
    <>
      {document.review !== undefined && (
        <ReviewAction document={document} state={document.review.state} />
      )}
      <ActionLink
        document={document}
        act="share"
        icon="user-plus"
        label="Share"
        shortcut="s"
        isDialog
      />
      {rights.write && (
        <ActionLink document={document} act="edit" icon="pencil" label="Edit" shortcut="e" />
      )}
      {document.canOnlyPropose && (
        <ActionLink
          document={document}
          act="propose"
          icon="pencil"
          label="Propose changes"
          shortcut="e"
        />
      )}
      <details class="menu" data-menu>
        <summary class="action" title="More">
          <Icon name="ellipsis" />
          <span class="label">More</span>
        </summary>
        <ul class="menu-items">
          <CopyLinkItem link={access.url} hint={worksFor(document.visibility, access)} />
          <MoreItems site={props.site} document={document} direct={direct} />
        </ul>
      </details>
    </>
  );
}

function MoreItems(props: {
  site: Site;
  document: ShownDocument;
  direct: string | undefined;
}): JSX.Element {
  const { site, document, direct } = props;
  const { rights, marks, kind } = document;
  const link = (act: DocumentAct, icon: IconName, label: string) => (
    <MenuLink href={documentPath(act, document)} icon={icon} label={label} />
  );
  const dialog = (act: DocumentAct, icon: IconName, label: string) => (
    <MenuLink href={documentPath(act, document)} icon={icon} label={label} isDialog />
  );
  return (
    <>
      {link('history', 'history', 'History')}
      {kind === 'brief' && document.isInsider && <WhoWroteItem />}
      {kind === 'brief' && <MarkdownItems document={document} />}
      {direct !== undefined && (
        <MenuLink href={direct} icon="external-link" label="Open without the bar" />
      )}
      <MenuGroup label="For you" />
      {dialog('notifications', 'bell', 'Notifications')}
      {marks.canPin && <PinItem document={document} isPinned={marks.isPinned} />}
      {site.takesReports &&
        document.visibility === 'public' &&
        !rights.admin &&
        dialog('report', 'circle-alert', 'Report')}
      {(rights.write || document.canMove || document.canDelete) && <MenuGroup label="Manage" />}
      {rights.write && dialog('labels', 'tag', 'Labels')}
      {rights.write && dialog('rename', 'pencil', 'Rename')}
      {document.canMove && dialog('move', 'folder-input', 'Move to…')}
      {document.canDelete && dialog('delete', 'trash-2', 'Delete')}
      {document.canTakeDown && (
        <>
          <MenuGroup label="This instance" />
          <MenuLink href={takeDownPath(document)} icon="shield" label="Take down" isDialog />
        </>
      )}
    </>
  );
}

/** Links to the comments, with the number of open ones. */
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

/** Marks who wrote what in the text (`features/authorship/client/who-wrote.ts`). */
function WhoWroteItem(): JSX.Element {
  return (
    <li class="needs-script">
      <button type="button" class="menu-item" data-action="who-wrote" data-shortcut="w">
        <Icon name="users" />
        <span class="label">Who wrote this</span>
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
      <MenuLink href={`${raw}?download`} icon="download" label="Download Markdown" />
    </>
  );
}

/** Renders a link in the bar to a screen about the document. */
function ActionLink(link: {
  document: ShownDocument;
  act: DocumentAct;
  icon: IconName;
  label: string;
  shortcut: string;
  /** Whether it opens as a dialog over the document. */
  isDialog?: boolean;
}): JSX.Element {
  return (
    <a
      class="action"
      href={
        link.act === 'share'
          ? pathWithShown('share', link.document)
          : documentPath(link.act, link.document)
      }
      title={`${link.label} (${link.shortcut})`}
      data-dialog={link.isDialog ? '' : undefined}
      data-shortcut={link.shortcut}
    >
      <Icon name={link.icon} />
      <span class="label">{link.label}</span>
    </a>
  );
}
