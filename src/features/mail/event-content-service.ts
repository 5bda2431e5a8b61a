import { isOfEvent } from '../../base/schema/event.ts';
import type { EventMail } from '../../base/schema/mail.ts';
import type { Context } from '../../core/context.ts';
import { appUrl } from '../../core/document/addresses.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { EventRow } from '../../core/event/event-store.ts';
import { DEEDS_TO_YOU } from '../../core/event/event-words.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';
import type { MailRow } from '../../core/outbox/mail-store.ts';
import { listRequests } from '../../core/review/review-store.ts';
import { EVERYTHING } from '../../core/review/sight.ts';
import { findThreads } from '../../core/review/thread-store.ts';
import { listComments } from '../comments/comment-store.ts';
import { selectVisible } from '../feed/event-access.ts';
import { listUnreadAt } from '../feed/inbox-store.ts';
import { type Composed, cut, type Item, oneLine } from './content.tsx';

const SAYS: Record<EventMail, (who: string) => string> = {
  mention: (who) => `${who} ${DEEDS_TO_YOU.mention}`,
  review: (who) => `${who} ${DEEDS_TO_YOU.review}`,
  answer: (who) => `${who} replied in a thread of yours in`,
};

const REASON: Record<EventMail, string> = {
  mention: 'you were mentioned',
  review: 'you were asked for a review',
  answer: 'you commented in this thread or started it',
};

/**
 * Describes the events of a document that the account can still see and hasn't read, with comments
 * that still exist.
 */
export async function eventContent(
  context: Context,
  account: AccountRow,
  mails: readonly MailRow[],
): Promise<Composed | undefined> {
  const { read } = context.sql;
  const documentId = (mails[0] as MailRow).documentId as string;
  const document = await findDocumentById(read, documentId, account.id);
  if (!document) return undefined;
  const kinds = new Map(mails.map(({ position, kind }) => [position, kind as EventMail]));
  const unread = await listUnreadAt(read, account.id, [...kinds.keys()] as number[]);
  const events = await selectVisible(context, read, account.id, unread);
  const said = await saidIn(context, document, account, events);
  const parts = events.flatMap((event) => {
    const kind = kinds.get(event.position) as EventMail;
    const item = said(event, kind);
    return item ? [{ kind, event, item }] : [];
  });
  const [first] = parts;
  if (!first) return undefined;
  const topics = [...new Set(parts.map(({ kind }) => kind))];
  const threads = new Set(parts.map(({ event }) => event.threadId));
  const [onlyThread] = threads;
  const title = shownTitle(document);
  const address = `${document.ownerNamespace}/${document.name}`;
  return {
    // Mail programs put together only mails of one subject. A request alone is the first of its own.
    subject:
      parts.length === 1 && first.kind === 'review'
        ? `${SAYS.review(whoOf(first.event))} “${title}”`
        : `Re: ${document.title === null ? address : `${title} (${address})`}`,
    list: address,
    items: parts.map(({ item }) => item),
    reason: `You get this mail because ${topics.map((topic) => REASON[topic]).join(' and ')}.`,
    topics,
    threads: [
      `document-${documentId}`,
      ...(threads.size === 1 && onlyThread ? [`thread-${onlyThread}`] : []),
    ],
  };
}

/**
 * Returns a function that describes an event. The function returns `undefined` if the event's
 * comment or review request is gone.
 */
async function saidIn(
  { sql: { read }, webUrl }: Context,
  document: DocumentRow,
  account: AccountRow,
  events: readonly EventRow[],
): Promise<(event: EventRow, kind: EventMail) => Item | undefined> {
  const ids = [...new Set(events.flatMap(({ threadId }) => threadId ?? []))];
  const threads = new Map(
    // The account can see the events, and so their threads.
    (await findThreads(read, document.id, EVERYTHING, ids)).map((thread) => [thread.id, thread]),
  );
  const comments = await listComments(read, ids);
  const request = (await listRequests(read, document.id)).find(
    ({ accountId }) => accountId === account.id,
  );
  const url = appUrl(webUrl, document);
  const { ownerNamespace, name, title } = document;
  const address = `${ownerNamespace}/${name}`;
  const named = title === null ? address : `“${oneLine(title)}” (${address})`;
  return (event, kind) => {
    const says = `${SAYS[kind](whoOf(event) + byMeans(event))} ${named}.`;
    if (kind === 'review') {
      if (!request) return undefined;
      const link = { label: 'Open the document', url };
      return { says, quote: request.note ? cut(request.note) : undefined, link };
    }
    const { threadId } = event;
    const comment = comments.find((one) => one.threadId === threadId && isOfEvent(event, one));
    if (!comment) return undefined;
    return {
      says,
      passage: cut(threads.get(comment.threadId)?.quote ?? ''),
      quote: cut(comment.body),
      link: { label: 'Open the thread', url: `${url}#thread-${comment.threadId}` },
    };
  };
}

/** Names the authors of an event. */
export function whoOf({ author, coAuthors }: Pick<EventRow, 'author' | 'coAuthors'>): string {
  return new Intl.ListFormat('en').format([author ?? 'Someone', ...coAuthors]);
}

/** Names the application or token that acted for the author, after the author. */
function byMeans({ via, viaName }: EventRow): string {
  if (via === 'web' || viaName === null) return '';
  return ` with ${viaName}${via === 'token' ? ' (token)' : ''}`;
}
