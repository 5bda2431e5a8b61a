import type { JSX } from 'preact';
import type { Visibility } from '../../base/schema/visibility.ts';
import { byWords } from '../../base/text/conflict-lines.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Revision } from '../../core/revision/revision.ts';
import {
  comparePath,
  documentPath,
  revisionPath,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  ConfirmForm,
  HiddenFields,
  PageHead,
} from '../../surfaces/web/pages/parts.tsx';
import { type ChangedSinceView, changedSincePage } from './changed-since-page.tsx';
import { describeRevision, WriterName, WriterSign } from './revision-parts.tsx';

/** The number of revisions on a result page. */
export const HISTORY_SIZE = 50;

/** A document whose history is shown. */
export interface HistoryDocument extends Titled {
  id: string;
  visibility: Visibility;
  /** The number of the current revision. */
  version: number;
}

export interface HistoryPage {
  document: HistoryDocument;
  revisions: Listed<Revision>;
  webUrl: string;
  /** The time, ISO 8601. */
  now: string;
  /** `insider`: can read every text. Others can read only pinned ones. */
  rights: { insider: boolean; write: boolean; admin: boolean };
  /** Whether it needs an approval before it becomes public; only known to admins. */
  isProtected: boolean;
}

/** Lists a document's revisions, newest first. */
export function historyPage(page: HistoryPage): AppPage {
  const { document, revisions } = page;
  const title = `History of ${shownTitle(document)}`;
  const path = documentPath('history', document);
  return {
    title,
    children: (
      <div class="sheet">
        <PageHead title={title} address={document}>
          <a class="secondary small" href={documentPath('read', document)}>
            Back to the {document.kind}
          </a>
        </PageHead>
        <ol class="items revisions">
          {sittingsOf(revisions.items).map(([last, ...earlier]) => (
            <Entry page={page} revision={last as Revision} earlier={earlier} />
          ))}
        </ol>
        <Pager
          label="Pages of the history"
          list={revisions}
          size={HISTORY_SIZE}
          path={(number) => `${path}?page=${number}`}
        />
      </div>
    ),
  };
}

/** Groups revisions that follow one another and come from one sitting; named ones stand alone. */
function sittingsOf(revisions: readonly Revision[]): Revision[][] {
  const groups: Revision[][] = [];
  for (const revision of revisions) {
    const [last] = groups.at(-1) ?? [];
    const isSame =
      last?.sitting?.first !== undefined && last.sitting.first === revision.sitting?.first;
    if (isSame && revision.message === null && !revision.pinned) groups.at(-1)?.push(revision);
    else groups.push([revision]);
  }
  return groups;
}

function Entry({
  page,
  revision,
  earlier = [],
}: {
  page: HistoryPage;
  revision: Revision;
  /** Earlier revisions of the same sitting. */
  earlier?: readonly Revision[];
}): JSX.Element {
  const { document, rights } = page;
  const { number, message, hasText, pinned, merged, mergedByWords } = revision;
  const isCurrent = number === document.version;
  const isReadable = hasText && (rights.insider || pinned || isCurrent);
  const hasChanges = rights.insider && number > 1 && revision.changed.includes('content');
  const name = `Revision ${number}`;
  return (
    <li class="item revision">
      <WriterSign {...revision} />
      <div class="item-main">
        <strong class="revision-writer">
          <WriterName {...revision} />
        </strong>
        {message !== null && <p class="revision-message">{message}</p>}
        <p class="item-facts">
          <span>
            {isReadable ? (
              <a href={isCurrent ? documentPath('read', document) : revisionPath(document, number)}>
                {name}
              </a>
            ) : (
              name
            )}
          </span>
          <span>{describeRevision(revision)}</span>
          <Ago at={revision.createdAt} now={page.now} />
          {isCurrent && <span>Current</span>}
          {pinned && <Fact icon="pin">Pinned</Fact>}
          {merged && (
            <Fact icon="git-merge">{`Merged with other changes${byWords(mergedByWords)}`}</Fact>
          )}
          {!hasText && <span>Text no longer stored</span>}
        </p>
        {earlier.length > 0 && (
          <details class="sitting">
            <summary>
              {earlier.length === 1
                ? '1 earlier revision of this sitting'
                : `${earlier.length} earlier revisions of this sitting`}
            </summary>
            <ol class="items revisions">
              {earlier.map((each) => (
                <Entry page={page} revision={each} />
              ))}
            </ol>
          </details>
        )}
      </div>
      <div class="item-end">
        {hasChanges && (
          <a
            class="quiet small"
            href={comparePath(document, (earlier.at(-1)?.number ?? number) - 1, number)}
            aria-label={`Changes in revision ${number}`}
          >
            Changes
          </a>
        )}
        <More page={page} revision={revision} />
      </div>
    </li>
  );
}

function Fact(props: { icon: IconName; children: string }): JSX.Element {
  return (
    <span class="revision-fact">
      <Icon name={props.icon} /> {props.children}
    </span>
  );
}

/** Renders the menu of a revision's actions, if there are any. */
function More({ page, revision }: { page: HistoryPage; revision: Revision }): JSX.Element | null {
  const { document, rights, webUrl } = page;
  const { number, hasText, pinned } = revision;
  const isCurrent = number === document.version;
  const isOld = hasText && !isCurrent;
  const path = documentPath('history', document);
  const link = pinned
    ? `${readerUrl(webUrl, document)}@${number}`
    : webUrl + revisionPath(document, number);
  const items = [
    isOld && rights.insider && (
      <MenuLink
        href={comparePath(document, number, document.version)}
        icon="git-compare"
        label="Compare with current"
      />
    ),
    isOld && rights.write && (
      <RevisionForm
        path={path}
        fields={restoring(document, number)}
        icon="rotate-ccw"
        label="Restore"
      />
    ),
    rights.admin && hasText && !pinned && page.isProtected && (
      <MenuLink href={`${path}?pin=${number}`} icon="pin" label="Pin…" />
    ),
    rights.admin && (pinned || (hasText && !page.isProtected)) && (
      <RevisionForm
        path={path}
        fields={{
          act: pinned ? 'unpin' : 'pin',
          document: page.document.id,
          revision: String(number),
        }}
        icon="pin"
        label={pinned ? 'Unpin' : 'Pin'}
      />
    ),
    hasText && (rights.insider || pinned) && <CopyLinkItem link={link} />,
    isOld && rights.admin && (
      <MenuLink href={`${path}?erase=${number}`} icon="eraser" label="Erase text…" />
    ),
  ].filter(Boolean);
  if (items.length === 0) return null;
  return (
    <details class="menu" data-menu>
      <summary class="action" title={`More for revision ${number}`}>
        <Icon name="ellipsis" />
        <span class="visually-hidden">More for revision {number}</span>
      </summary>
      <ul class="menu-items">{items}</ul>
    </details>
  );
}

function RevisionForm(props: {
  path: string;
  fields: Readonly<Record<string, string>>;
  icon: IconName;
  label: string;
}): JSX.Element {
  return (
    <li>
      <form method="post" action={props.path}>
        <HiddenFields fields={props.fields} />
        <button type="submit" class="menu-item">
          <Icon name={props.icon} />
          <span>{props.label}</span>
        </button>
      </form>
    </li>
  );
}

/** Returns the fields of the form that restores a revision over the current one, as shown. */
export function restoring({ id, version }: { id: string; version: number }, number: number) {
  return { act: 'restore', document: id, revision: String(number), over: String(version) };
}

/** Shows what has changed since a revision was to be restored, and offers to restore it again. */
export function changedRestorePage(view: ChangedSinceView, number: number): AppPage {
  const { document, current: version } = view;
  return changedSincePage(
    view,
    <ButtonForm
      action={documentPath('history', document)}
      fields={restoring({ id: document.id, version }, number)}
      label={`Restore revision ${number} over revision ${version}`}
      class="primary"
    />,
  );
}

/** Asks for confirmation before a text of a protected document is pinned. */
export function pinPage(document: Titled, { number }: Revision): AppPage {
  const title = `Pin revision ${number}?`;
  const path = documentPath('history', document);
  return {
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title}>
          <a class="quiet small" href={revisionPath(document, number)}>
            Read it first
          </a>
        </PageHead>
        <p>
          This {document.kind} is protected. Everyone who can read it, or will be able to once it is
          public, can then read this text at its own address, even if no one has approved it.
        </p>
        <ConfirmForm
          action={path}
          fields={{ act: 'pin', document: document.id, revision: String(number) }}
          label="Pin this text"
          back={path}
        />
      </div>
    ),
  };
}
