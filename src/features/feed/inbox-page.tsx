import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { type Addressed, comparePath, documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { EmptyState, HiddenFields, PageHead, Tabs } from '../../surfaces/web/pages/parts.tsx';
import { WriterSign, writerOf } from '../revisions/revision-parts.tsx';
import type { InboxEntryDetails } from './inbox-details-service.ts';
import { detailedDeedOf } from './inbox-words.ts';

export const INBOX_PATH = '/inbox';

/** What can be shown: everything, what is unread, requests for reviews, or mentions. */
export const INBOX_VIEWS = ['all', 'unread', 'review', 'mention'] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

const LABELS = {
  all: 'All',
  unread: 'Unread',
  review: 'Asked of me',
  mention: 'Mentions',
} as const satisfies Record<InboxView, string>;

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
        {items.length === 0 && show !== 'all' && <p class="aside">Nothing waits for you here.</p>}
        {items.length === 0 && show === 'all' && (
          <EmptyState title="Nothing new">
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

function Entry({ inbox, entry }: { inbox: InboxPage; entry: InboxEntryDetails }): JSX.Element {
  const isUnread = entry.readAt === null;
  const document = { kind: entry.kind, ownerNamespace: entry.owner, name: entry.name };
  return (
    <li class={isUnread ? 'item inbox-entry unread' : 'item inbox-entry'} data-row>
      <WriterSign {...entry} />
      <div class="item-main">
        <a class="item-title" href={pathOf(entry, document)}>
          {writerOf(entry)} {detailedDeedOf(entry, inbox.username)}{' '}
          <span class="inbox-document" dir="auto">
            {shownTitle(entry)}
          </span>
        </a>
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
