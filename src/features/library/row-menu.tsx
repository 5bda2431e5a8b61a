import type { JSX } from 'preact';
import { presentPermissions } from '../../core/document/access-rules.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { type DocumentAct, documentPath, leavePath } from '../../surfaces/web/addresses.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { PinItem } from '../pins/pin-form.tsx';
import type { LibraryItem } from './library-service.ts';

/** Renders the menu of what the reader can do with a document in a list. */
export function RowMenu(row: { document: LibraryItem; webUrl: string }): JSX.Element {
  const { document } = row;
  const name = `More for ${shownTitle(document)}`;
  const { write, admin } = presentPermissions(document.level);
  const canMove = admin && (document.ownerType === 'organization' || !document.isCollaborator);
  return (
    <details class="menu" data-menu>
      <summary class="action" title="More">
        <Icon name="ellipsis" />
        <span class="visually-hidden">{name}</span>
      </summary>
      <ul class="menu-items">
        <CopyLinkItem link={readerUrl(row.webUrl, document)} />
        <RowLink document={document} act="share" icon="user-plus" label="Share" />
        <RowLink document={document} act="history" icon="history" label="History" />
        {write && <RowLink document={document} act="labels" icon="tag" label="Labels" />}
        {document.canPin && <PinItem document={document} isPinned={document.isPinned} />}
        {write && <RowLink document={document} act="rename" icon="pencil" label="Rename" />}
        {canMove && <RowLink document={document} act="move" icon="folder-input" label="Move to…" />}
        {document.isCollaborator && (
          <MenuLink href={leavePath(document)} icon="log-out" label="Leave" isDialog />
        )}
        {admin && <RowLink document={document} act="delete" icon="trash-2" label="Delete" />}
      </ul>
    </details>
  );
}

function RowLink(link: {
  document: LibraryItem;
  act: DocumentAct;
  icon: IconName;
  label: string;
}): JSX.Element {
  return (
    <MenuLink
      href={documentPath(link.act, link.document)}
      icon={link.icon}
      label={link.label}
      isDialog={link.act !== 'history'}
    />
  );
}
