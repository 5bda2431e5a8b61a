import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { type Addressed, comparePath, documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { EmptyState, HiddenFields, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { WriterSign, writerOf } from '../revisions/revision-parts.tsx';
import type { InboxEntryDetails } from './inbox-details-service.ts';
import { detailedDeedOf } from './inbox-words.ts';

export const INBOX_PATH = '/inbox';

/** The number of entries on a result page. */
export const INBOX_SIZE = 50;

export interface InboxPage extends Listed<InboxEntryDetails> {
  /** The owner of the inbox. */
  username: string;
  /** The time, ISO 8601. */
  now: string;
}

/** Lists what others did that concerns the reader, newest first. */
export function inboxPage(inbox: InboxPage): AppPage {
  const { items, total } = inbox;
  const [newest] = items;
  const hasUnread = items.some(({ readAt }) => readAt === null);
  return {
    title: 'Inbox',
    place: 'inbox',
    children: (
      <div class="sheet">
        <PageHead title="Inbox">
          {newest && (hasUnread || total > items.length) && (
            <form method="post" action={INBOX_PATH}>
              <HiddenFields fields={{ until: String(newest.position) }} />
              <button type="submit" class="secondary small">
                Mark all as read
              </button>
            </form>
          )}
        </PageHead>
        {items.length === 0 && (
          <EmptyState title="Nothing new">
            <p>
              What others do with your documents, and with those that you write or comment on,
              appears here. A document’s menu has <strong>Notifications</strong>.
            </p>
          </EmptyState>
        )}
        <ol class="items">
          {items.map((entry) => (
            <Entry inbox={inbox} entry={entry} />
          ))}
        </ol>
        <Pager
          label="Pages of the inbox"
          list={inbox}
          size={INBOX_SIZE}
          path={(number) => `${INBOX_PATH}?page=${number}`}
        />
      </div>
    ),
  };
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
