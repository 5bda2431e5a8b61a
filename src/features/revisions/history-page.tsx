import type { JSX } from 'preact';
import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { byWords } from '../../base/text/conflict-lines.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Verdict } from '../../core/review/review.ts';
import type { Revision } from '../../core/revision/revision.ts';
import {
  comparePath,
  documentPath,
  revisionPath,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago, formatDay } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  ConfirmForm,
  HiddenFields,
  PageHead,
} from '../../surfaces/web/pages/parts.tsx';
import { Avatar } from '../../surfaces/web/pages/person.tsx';
import { type ChangedSinceView, changedSincePage } from './changed-since-page.tsx';
import type { Sitting } from './history-service.ts';
import { describeRevision, WHAT, WriterName, WriterSign } from './revision-parts.tsx';

/** The number of revisions on a result page. */
export const HISTORY_SIZE = 50;

export interface HistoryDocument extends Titled {
  id: string;
  visibility: Visibility;
  /** The number of the current revision. */
  version: number;
}

export interface HistoryPage {
  document: HistoryDocument;
  revisions: Listed<Revision>;
  /** The same, by sitting. */
  sittings: readonly Sitting[];
  webUrl: string;
  /** The time, ISO 8601. */
  now: string;
  /** `insider`: can read every text. Others can read only pinned ones. */
  rights: { insider: boolean; write: boolean; admin: boolean; erase: boolean };
  /** Whether it needs an approval before it becomes public; only known to admins. */
  isProtected: boolean;
}

/** Lists a document's revisions by day and sitting, newest first, beside the one that is shown. */
export function historyPage(page: HistoryPage): AppPage {
  const { document, revisions, sittings, rights } = page;
  const title = `History of ${shownTitle(document)}`;
  const path = documentPath('history', document);
  const days = Map.groupBy(sittings, ({ revisions: [last] }) => formatDay(last.createdAt));
  const isBrief = document.kind === 'brief';
  return {
    title,
    stylesheets: isBrief ? ['history.css', 'article.css'] : ['history.css'],
    ...(isBrief && { scripts: ['reading.js'] }),
    children: (
      <div class="sheet history" data-history={documentPath('read', document)}>
        <PageHead title={title} address={document}>
          {rights.insider && (
            <form class="compare-picked" id={PICKED} action={path}>
              <button type="submit" class="primary small">
                Compare these
              </button>
            </form>
          )}
          <a class="secondary small" href={documentPath('read', document)}>
            Back to the {document.kind}
          </a>
        </PageHead>
        <div class="history-beside">
          <div class="history-list">
            {[...days].map(([day, ofDay]) => (
              <div class="history-day">
                <h2>{day}</h2>
                <ol class="items revisions">
                  {ofDay.map((sitting) => (
                    <Entry page={page} sitting={sitting} />
                  ))}
                </ol>
              </div>
            ))}
            <Pager
              label="Pages of the history"
              list={revisions}
              size={HISTORY_SIZE}
              path={(number) => `${path}?page=${number}`}
            />
          </div>
          <section class="history-text" aria-label="The text of then" tabIndex={-1} hidden />
        </div>
      </div>
    ),
  };
}

/** How many of those who wrote together are shown as faces. */
const MOST_FACES = 3;

/** The id of the form that compares the revisions that are selected in the list. */
const PICKED = 'compare-picked';

function Entry({ page, sitting }: { page: HistoryPage; sitting: Sitting }): JSX.Element {
  const { document, rights } = page;
  const [revision, ...earlier] = sitting.revisions;
  const { number, message, hasText, pinned, merged, mergedByWords } = revision;
  const isCurrent = number === document.version;
  const isReadable = hasText && (rights.insider || pinned || isCurrent);
  const before = (earlier.at(-1)?.number ?? number) - 1;
  return (
    <li class="item revision" data-row data-sitting={`${before + 1}-${number}`}>
      {rights.insider && hasText && (
        <input
          type="checkbox"
          name="pick"
          value={number}
          form={PICKED}
          aria-label={`Select revision ${number} to compare`}
        />
      )}
      <span class="faces">
        <WriterSign {...revision} />
        {revision.coAuthors.slice(0, MOST_FACES - 1).map((username) => (
          <Avatar username={username} />
        ))}
      </span>
      <div class="item-main">
        <Writers
          revisions={sitting.revisions}
          link={
            isReadable
              ? {
                  href: revisionPath(document, number),
                  changes: rights.insider ? `${before}-${number}` : `0-${number}`,
                }
              : undefined
          }
        />
        <p class="revision-what">{describeSitting(sitting, document.kind)}</p>
        {message !== null && <p class="revision-message">{message}</p>}
        <p class="item-facts">
          <span>Revision {number}</span>
          <Ago at={revision.createdAt} now={page.now} />
          {isCurrent && <span>Current</span>}
          {pinned && <Fact icon="pin">Pinned</Fact>}
          {sitting.reviews.map(({ author, verdict }) => (
            <Fact icon={verdict === 'approved' ? 'check' : 'message-square'}>
              {`${VERDICTS[verdict]} by ${author}`}
            </Fact>
          ))}
          {merged && (
            <Fact icon="git-merge">{`Merged with other changes${byWords(mergedByWords)}`}</Fact>
          )}
          {!hasText && <span>Text no longer stored</span>}
        </p>
        {earlier.length > 0 && (
          <details class="sitting">
            <summary>
              {earlier.length === 1 ? '1 earlier revision' : `${earlier.length} earlier revisions`}
              {revision.sitting ? ' of this sitting' : ' just before'}
            </summary>
            <ol class="items revisions">
              {earlier.map((each) => (
                <Entry
                  page={page}
                  sitting={{ revisions: [each], figures: undefined, reviews: [] }}
                />
              ))}
            </ol>
          </details>
        )}
      </div>
      <div class="item-end">
        <More page={page} revision={revision} before={before} />
      </div>
    </li>
  );
}

const VERDICTS = {
  approved: 'Approved',
  changes_requested: 'Changes requested',
} as const satisfies Record<Verdict, string>;

/** Names who wrote in a sitting: a link to its text, if that can be read. */
function Writers(props: {
  revisions: Sitting['revisions'];
  link: { href: string; changes: string } | undefined;
}): JSX.Element {
  const { revisions, link } = props;
  const [revision] = revisions;
  const writer = (
    <strong class="revision-writer">
      <WriterName {...revision} />
    </strong>
  );
  if (!link) return writer;
  return (
    <a class="item-title" href={link.href} data-changes-in={link.changes}>
      {writer}
      <span class="visually-hidden">, revision {revision.number}</span>
    </a>
  );
}

/** Says what a sitting changed: `3 paragraphs, +120 −40 words` and, if it did, the name. */
function describeSitting({ revisions, figures }: Sitting, kind: Kind): string {
  const [last] = revisions;
  if (!figures) return describeRevision(last);
  const counts = `+${figures.added} −${figures.removed}`;
  const inWords =
    kind === 'page'
      ? `${counts} ${figures.added + figures.removed === 1 ? 'line' : 'lines'} of HTML`
      : `${figures.blocks === 1 ? '1 paragraph' : `${figures.blocks} paragraphs`}, ${counts} words`;
  if (last.restoredFrom !== null) return `${describeRevision(last)}: ${inWords}`;
  const changed = [...new Set(revisions.flatMap((each) => each.changed))];
  const others = changed.filter((part) => part !== 'content');
  return [inWords, ...others.map((part) => WHAT[part])].join(', ');
}

function Fact(props: { icon: IconName; children: string }): JSX.Element {
  const [first, ...rest] = props.children.split(' ');
  return (
    <span class="revision-fact">
      {/* A line could end after the icon. */}
      <span>
        <Icon name={props.icon} /> {first}
      </span>{' '}
      {rest.join(' ')}
    </span>
  );
}

/** Renders the menu of a revision's actions, if there are any. */
function More({
  page,
  revision,
  before,
}: {
  page: HistoryPage;
  revision: Revision;
  /** The revision before its sitting. */
  before: number;
}): JSX.Element | null {
  const { document, rights, webUrl } = page;
  const { number, hasText, pinned } = revision;
  const isCurrent = number === document.version;
  const isOld = hasText && !isCurrent;
  const path = documentPath('history', document);
  const link = pinned
    ? `${readerUrl(webUrl, document)}@${number}`
    : webUrl + revisionPath(document, number);
  const hasChanges = rights.insider && before > 0 && revision.changed.includes('content');
  const items = [
    hasChanges && (
      <MenuLink
        href={comparePath(document, before, number)}
        icon="git-compare"
        label="Changes in the source"
      />
    ),
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
    isOld && rights.erase && (
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
