import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { type Addressed, comparePath, documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago, Moment } from '../../surfaces/web/pages/format.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  EmptyState,
  HiddenFields,
  PageHead,
  Tabs,
} from '../../surfaces/web/pages/parts.tsx';
import { WriterSign, writerOf } from '../revisions/revision-parts.tsx';
import type { InboxEntryDetails } from './inbox-details-service.ts';
import { INBOX_VIEWS, type InboxView } from './inbox-store.ts';
import { detailedDeedOf } from './inbox-words.ts';
import { LATER_CHOICES, type LaterChoice } from './later.ts';

export const INBOX_PATH = '/inbox';

const LABELS = {
  all: 'All',
  unread: 'Unread',
  review: 'Asked of me',
  mention: 'Mentions',
  answer: 'Answers',
  later: 'Later',
} as const satisfies Record<InboxView, string>;

const NOTHING = {
  unread: 'Nothing waits for you.',
  review: 'Nothing is asked of you.',
  mention: 'Nobody has mentioned you.',
  answer: 'There are no answers.',
  later: 'You have put nothing off.',
} as const satisfies Record<Exclude<InboxView, 'all'>, string>;

export function inboxPath(view: InboxView): string {
  return view === 'all' ? INBOX_PATH : `${INBOX_PATH}?show=${view}`;
}

/** The number of entries on a result page. */
export const INBOX_SIZE = 50;

export interface InboxPage extends Listed<InboxEntryDetails> {
  /** The owner of the inbox. */
  username: string;
  /** The time, ISO 8601. */
  now: string;
  show: InboxView;
}

/**
 * Lists what others did that concerns the reader: grouped by document, those first that wait for an
 * answer, then the newest.
 */
export function inboxPage(inbox: InboxPage): AppPage {
  const { items, total, show } = inbox;
  const [newest] = items;
  const hasUnread = items.some(({ readAt }) => readAt === null);
  return {
    title: 'Inbox',
    place: 'inbox',
    children: (
      <div class="sheet">
        <PageHead title="Inbox">
          {newest && show === 'all' && (hasUnread || total > items.length) && (
            <form method="post" action={INBOX_PATH}>
              <HiddenFields fields={{ until: String(newest.position) }} />
              <button type="submit" class="secondary small">
                Mark all as read
              </button>
            </form>
          )}
        </PageHead>
        <Tabs
          label="What to show"
          tabs={INBOX_VIEWS.map((each) => ({
            href: inboxPath(each),
            label: LABELS[each],
            isHere: each === show,
          }))}
        />
        {items.length === 0 && show !== 'all' && <p class="aside">{NOTHING[show]}</p>}
        {items.length === 0 && show === 'all' && (
          <EmptyState title="Nothing waits for you.">
            <p>
              What others do with your documents, and with those that you write or comment on,
              appears here. A document’s menu has <strong>Notifications</strong>.
            </p>
          </EmptyState>
        )}
        {groupsOf(items).map((entries) => (
          <Group inbox={inbox} entries={entries} />
        ))}
        <Pager
          label="Pages of the inbox"
          list={inbox}
          size={INBOX_SIZE}
          path={(number) =>
            `${INBOX_PATH}?${new URLSearchParams({ ...(show !== 'all' && { show }), page: `${number}` })}`
          }
        />
      </div>
    ),
  };
}

/** Groups entries by document. */
function groupsOf(entries: readonly InboxEntryDetails[]): InboxEntryDetails[][] {
  const groups = [...Map.groupBy(entries, ({ documentId }) => documentId).values()];
  const waits = (group: readonly InboxEntryDetails[]) =>
    group.some(({ readAt, reason }) => readAt === null && reason !== 'watching');
  return [...groups.filter(waits), ...groups.filter((group) => !waits(group))];
}

function Group(props: {
  inbox: InboxPage;
  entries: readonly InboxEntryDetails[];
}): JSX.Element | null {
  const { inbox, entries } = props;
  const [first] = entries;
  if (!first) return null;
  const title = shownTitle(first);
  const hasUnread = entries.some(({ readAt }) => readAt === null);
  const path = documentPath('read', {
    kind: first.kind,
    ownerNamespace: first.owner,
    name: first.name,
  });
  return (
    <div class="inbox-group" data-group>
      <header>
        <h2 dir="auto">
          <a href={path}>{title}</a>
        </h2>
        {hasUnread && <Later inbox={inbox} entry={first} />}
        {hasUnread && (
          <form method="post" action={INBOX_PATH}>
            <HiddenFields fields={{ document: first.documentId, show: inbox.show }} />
            <button
              type="submit"
              class="quiet small"
              title="Done (e)"
              aria-label={`Done with ${title}`}
              data-shortcut="e"
            >
              Done
            </button>
          </form>
        )}
      </header>
      <ol class="items">
        {entries.map((entry) => (
          <Entry inbox={inbox} entry={entry} />
        ))}
      </ol>
    </div>
  );
}

const LATER_LABELS = {
  tomorrow: 'Tomorrow morning',
  monday: 'Next Monday',
} as const satisfies Record<LaterChoice, string>;

/** Renders the menu that puts off what is unread about a document, or brings it back. */
function Later({ inbox, entry }: { inbox: InboxPage; entry: InboxEntryDetails }): JSX.Element {
  const title = shownTitle(entry);
  const fields = { document: entry.documentId, show: inbox.show };
  if (inbox.show === 'later') {
    return (
      <ButtonForm
        action={INBOX_PATH}
        fields={{ ...fields, later: 'now' }}
        label="Bring back"
        name={`Bring back ${title}`}
        class="quiet small"
      />
    );
  }
  return (
    <details class="menu inbox-later" data-menu>
      <summary
        class="quiet small"
        title="Later (s)"
        aria-label={`${title}: later`}
        data-shortcut="s"
      >
        Later
      </summary>
      <div class="menu-items">
        <form method="post" action={INBOX_PATH}>
          {/* The script says how the reader's clock differs from UTC. */}
          <HiddenFields fields={{ ...fields, offset: '0' }} />
          {LATER_CHOICES.map((choice) => (
            <button type="submit" class="menu-item" name="later" value={choice}>
              {LATER_LABELS[choice]}
            </button>
          ))}
        </form>
      </div>
    </details>
  );
}

function Entry({ inbox, entry }: { inbox: InboxPage; entry: InboxEntryDetails }): JSX.Element {
  const isUnread = entry.readAt === null;
  const document = { kind: entry.kind, ownerNamespace: entry.owner, name: entry.name };
  return (
    <li class={isUnread ? 'item inbox-entry unread' : 'item inbox-entry'} data-row>
      <WriterSign {...entry} />
      <div class="item-main">
        <a class="item-title" href={pathOf(entry, document)}>
          {writerOf(entry)} {detailedDeedOf(entry, inbox.username)}{' '}
          <span class="inbox-document" data-called={`this ${entry.kind}`} dir="auto">
            {shownTitle(entry)}
          </span>
        </a>
        {entry.suggested && (
          <p class="inbox-excerpt" dir="auto">
            {entry.suggested.removed && <del>{entry.suggested.removed}</del>}{' '}
            {entry.suggested.added && <ins>{entry.suggested.added}</ins>}
          </p>
        )}
        {entry.excerpt !== undefined && (
          <p class="inbox-excerpt" dir="auto">
            {entry.excerpt}
          </p>
        )}
        <p class="item-facts">
          <span>
            {entry.owner}/{entry.name}
          </span>
          <Ago at={entry.at} now={inbox.now} />
          {inbox.show === 'later' && entry.laterUntil !== null && (
            <span>
              Comes back <Moment at={entry.laterUntil} />
            </span>
          )}
          {isUnread && <span>Unread</span>}
        </p>
      </div>
    </li>
  );
}

/** Returns the path of the view that shows the event. */
function pathOf(
  { type, threadId, version, firstVersion }: InboxEntryDetails,
  document: Addressed,
): string {
  const path = documentPath('read', document);
  if (threadId !== null) return `${path}#thread-${threadId}`;
  const isChange = type === 'revision.created' && version !== null && version > 1;
  return isChange ? comparePath(document, (firstVersion ?? version) - 1, version) : path;
}
