import type { Context } from '../../core/context.ts';
import { appUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { EventRow } from '../../core/event/event-store.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';
import type { MailRow } from '../../core/outbox/mail-store.ts';
import { selectVisible } from '../feed/event-access.ts';
import { deedOf } from '../feed/event-words.ts';
import { type InboxRow, listInbox } from '../feed/inbox-store.ts';
import { type Composed, oneLine } from './content.tsx';
import { whoOf } from './event-content-service.ts';

/** How many of the newest unread entries a digest considers. */
const MAX_ENTRIES = 100;

/** The most documents in a digest. */
const MAX_DOCUMENTS = 20;

/**
 * Composes a digest of the newest unread inbox entries, by document.
 *
 * @returns `undefined` if nothing is new since the last digest
 */
export async function digestItems(
  context: Context,
  account: AccountRow,
  mail: MailRow,
): Promise<Composed | undefined> {
  const { read } = context.sql;
  const page = { number: 1, size: MAX_ENTRIES };
  const { items } = await listInbox(read, account.id, { onlyUnread: true }, page);
  const entries = await selectVisible(context, read, account.id, items);
  const newest = entries[0]?.position ?? 0;
  if (newest <= (mail.position ?? 0)) return undefined;
  const byDocument = [...Map.groupBy(entries, ({ documentId }) => documentId).values()];
  const [first, ...others] = byDocument as [InboxRow[], ...InboxRow[][]];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    subject: `Unread: “${shownTitle(first[0] as InboxRow)}”${more}`,
    items: byDocument.slice(0, MAX_DOCUMENTS).map((happened) => {
      const [{ owner, name, title, kind }] = happened as [InboxRow];
      const named = { kind, ownerNamespace: owner, name };
      return {
        says: `${title === null ? '' : `${oneLine(title)} — `}${owner}/${name}: ${summaryOf(happened)}.`,
        link: { label: 'Open the document', url: appUrl(context.webUrl, named) },
      };
    }),
    reason: 'You get this daily mail because you turned it on.',
    topics: ['digest'],
    threads: ['digest'],
    position: newest,
  };
}

/** Describes who did what, without duplicates, in the order that it first happened. */
function summaryOf(happened: readonly EventRow[]): string {
  const did = happened.toReversed().map((event) => `${whoOf(event)} ${deedOf(event)} it`);
  return [...new Set(did)].join(', ');
}
