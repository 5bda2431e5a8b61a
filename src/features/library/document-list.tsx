import type { ComponentChildren, JSX } from 'preact';
import { presentPermissions } from '../../core/document/access-rules.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { type DocumentAct, documentPath, leavePath } from '../../surfaces/web/addresses.ts';
import { LEVEL_LABELS, worksFor } from '../../surfaces/web/pages/access-labels.ts';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import type { ListedState } from '../discussion/listed-states-service.ts';
import { LabelChips } from '../labels/label-chips.tsx';
import { PinItem } from '../pins/pin-form.tsx';
import { ReviewMark } from '../reviews/review-page.tsx';
import { AgentMark } from '../revisions/revision-parts.tsx';
import type { LibraryItem } from './library-service.ts';

/** Lists documents, one per row. The whole row is a link to the document. */
export function DocumentList<Item extends LibraryItem>(props: {
  documents: readonly Item[];
  /** The time, ISO 8601. */
  now: string;
  /** Of those documents that have reviews or open comments, by id. */
  states: ReadonlyMap<string, ListedState>;
  /** The address of the list of documents with a label. */
  labelHref: (label: string) => string;
  /** Whether to show the reader's level on each document. */
  levelShown?: boolean;
  /** Whether to show the owner (default); false in a list of one owner's documents. */
  ownerShown?: boolean;
  /** Whether to mark documents that are pinned to the top of this list. */
  pinShown?: boolean;
  /** Below the facts of a row. */
  below?: (document: Item) => ComponentChildren;
}): JSX.Element {
  return (
    <ul class="items" data-rows>
      {props.documents.map((document) => (
        <DocumentRow
          document={document}
          now={props.now}
          state={props.states.get(document.id)}
          labelHref={props.labelHref}
          levelShown={props.levelShown ?? false}
          ownerShown={props.ownerShown ?? true}
          pinShown={props.pinShown ?? false}
          below={props.below?.(document)}
        />
      ))}
    </ul>
  );
}

function DocumentRow(row: {
  document: LibraryItem;
  now: string;
  state: ListedState | undefined;
  labelHref: (label: string) => string;
  levelShown: boolean;
  ownerShown: boolean;
  pinShown: boolean;
  below: ComponentChildren;
}): JSX.Element {
  const { document } = row;
  const { kind, name, ownerNamespace, access, updatedAt, updatedBy, collaborators } = document;
  const title = shownTitle(document);
  const address = row.ownerShown ? `${ownerNamespace}/${name}` : name;
  return (
    <li class="item" data-row data-kind={kind}>
      <Icon name={kind === 'brief' ? 'file-text' : 'app-window'} />
      <div class="item-main">
        <a class="item-title" dir="auto" href={documentPath('read', document)}>
          {title}
        </a>
        <p class="item-facts">
          {address !== title && <span class="item-address">{address}</span>}
          <span>
            {kind === 'page' && 'Page, changed '}
            {kind === 'brief' && 'Changed '}
            <Ago at={updatedAt} now={row.now} />
            {updatedBy !== null && ` by ${updatedBy}`}
            <AgentMark {...document} />
          </span>
          {row.levelShown && document.level !== 'none' && (
            <span>{LEVEL_LABELS[document.level]}</span>
          )}
          {collaborators > 0 && (
            <span>{collaborators === 1 ? '1 collaborator' : `${collaborators} collaborators`}</span>
          )}
          {row.state && <DiscussionFacts state={row.state} />}
        </p>
        <LabelChips labels={document.labels} hrefOf={row.labelHref} />
        {row.below}
      </div>
      <div class="item-end">
        {row.pinShown && document.isPinned && <PinnedMark />}
        <VisibilityBadge seenBy={access.seenBy} />
        <RowMenu document={document} />
      </div>
    </li>
  );
}

function DiscussionFacts({ state }: { state: ListedState }): JSX.Element {
  const { review, openThreads } = state;
  return (
    <>
      <ReviewMark state={review} />
      {openThreads > 0 && (
        <span>{openThreads === 1 ? '1 open comment' : `${openThreads} open comments`}</span>
      )}
    </>
  );
}

function PinnedMark(): JSX.Element {
  return (
    <span class="pinned" title="Pinned to the top">
      <Icon name="pin" />
      <span class="visually-hidden">Pinned to the top</span>
    </span>
  );
}

/** Renders the menu of what the reader can do with a document in a list. */
function RowMenu({ document }: { document: LibraryItem }): JSX.Element {
  const name = `More for ${shownTitle(document)}`;
  const { write } = presentPermissions(document.level);
  const { canMove, canDelete } = document;
  return (
    <details class="menu" data-menu>
      <summary class="action" title="More">
        <Icon name="ellipsis" />
        <span class="visually-hidden">{name}</span>
      </summary>
      <ul class="menu-items">
        <CopyLinkItem
          link={document.access.url}
          hint={worksFor(document.visibility, document.access)}
        />
        <RowLink document={document} act="share" icon="user-plus" label="Share" />
        <RowLink document={document} act="history" icon="history" label="History" />
        {write && <RowLink document={document} act="labels" icon="tag" label="Labels" />}
        {document.canPin && <PinItem document={document} isPinned={document.isPinned} />}
        {write && <RowLink document={document} act="rename" icon="pencil" label="Rename" />}
        {canMove && <RowLink document={document} act="move" icon="folder-input" label="Move to…" />}
        {document.isCollaborator && (
          <MenuLink href={leavePath(document)} icon="log-out" label="Leave" isDialog />
        )}
        {canDelete && <RowLink document={document} act="delete" icon="trash-2" label="Delete" />}
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
