import type { JSX } from 'preact';
import { presentPermissions } from '../../../document/access.ts';
import { readerUrl } from '../../../document/addresses.ts';
import type { LibraryItem } from '../../../document/library-service.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { type DocumentAct, documentPath, leavePath } from '../../app/addresses.ts';
import { Icon, type IconName } from '../icons.tsx';
import { PinItem } from './pin-form.tsx';

/** What the reader can do with a document in a list. */
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
        <li class="needs-script">
          <button
            type="button"
            class="menu-item"
            data-action="copy-text"
            data-text={readerUrl(row.webUrl, document)}
          >
            <Icon name="link" />
            <span class="label">Copy link</span>
          </button>
        </li>
        <RowLink document={document} act="share" icon="user-plus" label="Share" />
        <RowLink document={document} act="history" icon="history" label="History" />
        {write && <RowLink document={document} act="labels" icon="tag" label="Labels" />}
        {document.canPin && <PinItem document={document} isPinned={document.isPinned} />}
        {write && <RowLink document={document} act="rename" icon="pencil" label="Rename" />}
        {canMove && <RowLink document={document} act="move" icon="folder-input" label="Move to…" />}
        {document.isCollaborator && (
          <li>
            <a class="menu-item" href={leavePath(document)} data-dialog>
              <Icon name="log-out" />
              <span>Leave</span>
            </a>
          </li>
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
    <li>
      <a
        class="menu-item"
        href={documentPath(link.act, link.document)}
        data-dialog={link.act === 'history' ? undefined : ''}
      >
        <Icon name={link.icon} />
        <span>{link.label}</span>
      </a>
    </li>
  );
}
