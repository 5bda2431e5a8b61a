import type { JSX } from 'preact';
import type { Visibility } from '../../base/schema/visibility.ts';
import { byWords } from '../../base/text/conflict-lines.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { MAX_MESSAGE } from '../../core/revision/revision-schema.ts';
import {
  comparePath,
  documentPath,
  revisionPath,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago, Stretch } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  ConfirmForm,
  FormActions,
  HiddenFields,
  PageHead,
} from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
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
          {sittingsOf(revisions.items).map((versions) =>
            versions.length > 1 ? (
              <Sitting page={page} versions={versions} />
            ) : (
              versions.map((revision) => <Entry page={page} revision={revision} />)
            ),
          )}
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

/**
 * Groups revisions, newest first, that follow one another and come from one sitting. One that has a
 * message or is pinned is the last of its group.
 */
function sittingsOf(revisions: readonly Revision[]): Revision[][] {
  const groups: Revision[][] = [];
  for (const revision of revisions) {
    const group = groups.at(-1);
    const sitting = group?.[0]?.sitting;
    const isSame = sitting != null && sitting.first === revision.sitting?.first;
    if (isSame && revision.message === null && !revision.pinned) group?.push(revision);
    else groups.push([revision]);
  }
  return groups;
}

/** Renders revisions of one sitting, which it opens to. */
function Sitting(props: { page: HistoryPage; versions: readonly Revision[] }): JSX.Element {
  const { page, versions } = props;
  const { document, rights } = page;
  const [last, first] = [versions[0] as Revision, versions.at(-1) as Revision];
  const writers = new Set(versions.flatMap(({ author, coAuthors }) => [author, ...coAuthors]));
  const coAuthors = [...writers].filter((name) => name !== null && name !== last.author);
  return (
    <li class="item revision">
      <WriterSign {...last} />
      <div class="item-main">
        <strong class="revision-writer">
          <WriterName {...last} coAuthors={coAuthors as string[]} />
        </strong>
        {last.message !== null && <p class="revision-message">{last.message}</p>}
        <p class="item-facts">
          <span>
            Revisions {first.number} to {last.number}
          </span>
          <span>
            <Stretch from={first.createdAt} to={last.createdAt} />
          </span>
          {last.number === document.version && <span>Current</span>}
          {last.pinned && <Fact icon="pin">Pinned</Fact>}
        </p>
        <details class="sitting">
          <summary>{versions.length} versions</summary>
          <ol class="items revisions">
            {versions.map((revision) => (
              <Entry page={page} revision={revision} />
            ))}
          </ol>
        </details>
      </div>
      <div class="item-end">
        {rights.insider && first.number > 1 && (
          <a
            class="quiet small"
            href={comparePath(document, first.number - 1, last.number)}
            aria-label={`Changes in revisions ${first.number} to ${last.number}`}
          >
            Changes
          </a>
        )}
      </div>
    </li>
  );
}

function Entry({ page, revision }: { page: HistoryPage; revision: Revision }): JSX.Element {
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
      </div>
      <div class="item-end">
        {hasChanges && (
          <a
            class="quiet small"
            href={comparePath(document, number - 1, number)}
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
    rights.write && revision.message === null && (
      <MenuLink href={`${path}?name=${number}`} icon="tag" label="Name this version…" />
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

/** Asks what somebody wants to say about a revision, which makes it stand out. */
export function namePage(
  document: Titled,
  { number }: Revision,
  { message, fault }: { message?: string; fault?: string },
): AppPage {
  const path = documentPath('history', document);
  return dialogScreen({
    title: `Name revision ${number}`,
    trail: <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />,
    children: (
      <form class="form" method="post" action={path}>
        <HiddenFields
          fields={{ act: 'name', document: document.id, revision: String(number) }}
        />
        <div class="field">
          <label for="version-name">What this version is</label>
          <input
            id="version-name"
            name="message"
            value={message}
            maxlength={MAX_MESSAGE}
            required
            autocomplete="off"
            aria-invalid={fault ? 'true' : undefined}
            aria-describedby={fault ? 'version-hint version-fault' : 'version-hint'}
          />
          <p class="hint" id="version-hint">
            It stands out in the history. If you can pin it, it is also pinned: everyone who can read
            the {document.kind} can then read this text at its own address.
          </p>
          {fault && (
            <p class="fault" id="version-fault">
              {fault}
            </p>
          )}
        </div>
        <FormActions label="Name this version" back={path} />
      </form>
    ),
  });
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
