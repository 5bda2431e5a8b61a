import {
  type MailKind,
  type PlainMail,
  TOPIC_OF,
  TOPICS,
  type Topic,
} from '../../base/schema/mail.ts';
import { parseEmailAddress } from '../../base/text/email-address.ts';
import type { Context } from '../../core/context.ts';
import { appUrl } from '../../core/document/addresses.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { EventRow } from '../../core/event/event-store.ts';
import { deedOf } from '../../core/event/event-words.ts';
import { type AccountRow, findAccountById } from '../../core/identity/account-store.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import type { MailRow } from '../../core/outbox/mail-store.ts';
import { wantedTopics } from '../../core/outbox/queue-service.ts';
import type { PlainNotice } from '../../core/outbox/ready-text.ts';
import {
  ifUnexpected,
  noticeText,
  type SecurityNotice,
} from '../../core/outbox/security-notice.ts';
import { accountLinkToken, RESET_WITHIN_MS, VERIFY_WITHIN_MS } from '../accounts/account-link.ts';
import { findPasswordById } from '../accounts/password-store.ts';
import { resetState } from '../accounts/reset-service.ts';
import { selectVisible } from '../feed/event-access.ts';
import { type InboxRow, listInbox } from '../feed/inbox-store.ts';
import { addressHash, addressToken } from './address-token.ts';
import { type Composed, type Content, cut, oneLine, toHtml, toText } from './content.tsx';
import { eventContent, whoOf } from './event-content-service.ts';
import { emailInvitation, userInvitation } from './invitation-content-service.ts';
import { unsubscribeToken } from './unsubscribe-token.ts';
import { isUnsubscribed } from './unsubscribed-address-store.ts';

/** How many of the newest unread entries a digest considers. */
const MAX_ENTRIES = 100;

/** The most documents in a digest. */
const MAX_DOCUMENTS = 20;

/**
 * Composes a digest of the newest unread inbox entries, by document.
 *
 * @returns `undefined` if nothing is new since the last digest
 */
async function digestItems(
  context: Context,
  account: AccountRow,
  mail: MailRow,
): Promise<Composed | undefined> {
  const { read } = context.sql;
  const page = { number: 1, size: MAX_ENTRIES };
  const { items } = await listInbox(read, account.id, { view: 'unread', now: context.now() }, page);
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

/** A mail that is ready to send. */
export interface Letter {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  /** The same for each attempt, so that a mail server can recognize a duplicate. */
  id: string;
  /** Ids of what it is about, by which mail programs group related mails. */
  threads: readonly string[];
  /** The owner and name of the document that it is about, if it is about one. */
  list?: string;
  /** Absent in mails that verify an address, and in those about the security of an account. */
  unsubscribeUrl?: string;
  /** The position of the last event that a digest reports. */
  position?: number;
}

/**
 * Composes one mail from queued ones. Checks again that the account wants it, can read what it is
 * about, and hasn't read it yet.
 *
 * @returns `undefined` if nothing is left to report, or the address, stored by an earlier version,
 *   isn't one that mail is sent to (see {@link parseEmailAddress})
 */
export async function composeMail(
  context: Context,
  mails: readonly MailRow[],
): Promise<Letter | undefined> {
  const letter = await letterOf(context, mails);
  if (!letter) return undefined;
  const address = parseEmailAddress(letter.to.address);
  return address === undefined ? undefined : { ...letter, to: { ...letter.to, address } };
}

async function letterOf(context: Context, mails: readonly MailRow[]): Promise<Letter | undefined> {
  const { read } = context.sql;
  const [first] = mails;
  if (first?.kind === 'email_invitation') return invitationLetter(context, first);
  const notice = first?.notice;
  if (first && notice) {
    return 'plain' in notice
      ? plainLetter(context, first, notice.plain)
      : securityLetter(context, first, notice);
  }
  const account = first && (await findAccountById(read, first.accountId as string));
  if (!account || account.disabledAt !== null) return undefined;
  if (first.kind === 'verification') return verificationLetter(context, account, first);
  // An unverified address may be someone else's.
  if (account.emailVerifiedAt === null) return undefined;
  const isWanted = await wantedTopics(read, [account.id]);
  const wanted = mails.filter(({ kind }) =>
    isWanted(account.id, TOPIC_OF[kind as Exclude<MailKind, PlainMail>]),
  );
  const composed = wanted.length > 0 ? await compose(context, account, wanted) : undefined;
  if (!composed) return undefined;
  const { subject, items, reason, topics, threads, list, position } = composed;
  const token = await unsubscribeTokenFor(context, account.id, topics);
  const content = {
    subject: oneLine(subject),
    items,
    reason,
    settingsUrl: `${context.webUrl}/settings/notifications`,
    unsubscribeUrl: `${context.webUrl}/unsubscribe/${token}`,
  };
  return {
    to: { name: account.username, address: account.email },
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    // One row serves all digests of an account, so its id alone doesn't identify a mail.
    id: [(mails.at(-1) as MailRow).id, ...(position === undefined ? [] : [position])].join('-'),
    threads,
    ...(list !== undefined && { list }),
    unsubscribeUrl: content.unsubscribeUrl,
    ...(position !== undefined && { position }),
  };
}

/** Composes the invitation of an address, unless the address has unsubscribed. */
async function invitationLetter(context: Context, mail: MailRow): Promise<Letter | undefined> {
  const composed = await emailInvitation(context, mail);
  if (!composed) return undefined;
  const { email, emailKey, subject, items, reason, threads } = composed;
  const hash = addressHash(emailKey);
  if (await isUnsubscribed(context.sql.read, hash)) return undefined;
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  const unsubscribeUrl = `${context.webUrl}/unsubscribe/address/${addressToken(hash, secret)}`;
  const content: Content = { subject: oneLine(subject), items, reason, unsubscribeUrl };
  return {
    to: { name: '', address: email },
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    id: mail.id,
    threads,
    unsubscribeUrl,
  };
}

/** @returns `undefined` if the address has been verified since */
async function verificationLetter(
  context: Context,
  { id: accountId, username, email, emailVerifiedAt }: AccountRow,
  { id }: MailRow,
): Promise<Letter | undefined> {
  if (emailVerifiedAt !== null) return undefined;
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  const expiresAt = Date.parse(context.now()) + VERIFY_WITHIN_MS;
  const token = accountLinkToken('verify-email', { accountId, state: email, expiresAt }, secret);
  const content: Content = {
    subject: 'Verify your email address',
    items: [
      {
        says: `This address was added to the account ${username}. Verify it to get notifications by email. The link works for a day.`,
        link: { label: 'Verify address', url: `${context.webUrl}/verify/${token}` },
      },
    ],
    reason: 'If this isn’t your account, ignore this mail.',
    settingsUrl: `${context.webUrl}/settings/notifications`,
  };
  return {
    to: { name: username, address: email },
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    id,
    threads: [`account-${accountId}`],
  };
}

/** Composes a mail that only shows that mail arrives. */
export function testLetter(context: Context, to: { name: string; address: string }): Letter {
  const content: Content = {
    subject: 'Test mail',
    items: [{ says: `This server, ${context.webUrl}, can send mail to you.` }],
    reason: 'You get this mail because you asked for it under Administration.',
  };
  return {
    to,
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    id: context.newId(),
    threads: ['test'],
  };
}

/** Composes a mail about the security of an account, whatever has become of the account since. */
async function securityLetter(
  context: Context,
  { id }: MailRow,
  notice: SecurityNotice,
): Promise<Letter | undefined> {
  const { subject, says, advice, link: linked } = noticeText(notice);
  const isReset = notice.event.what === 'reset';
  const resetPath = isReset ? await resetPathOf(context, notice) : undefined;
  // The link can no longer be used, or never could.
  if (isReset && !resetPath) return undefined;
  const link = linked && { label: linked.label, url: context.webUrl + (resetPath ?? linked.path) };
  const content: Content = {
    subject: oneLine(subject),
    items: [
      { says: oneLine(says), ...(link && isReset && { link }) },
      { says: `${ifUnexpected(notice)}, ${advice}.`, ...(link && !isReset && { link }) },
    ],
    reason: 'You get this mail because it is about the security of your account.',
  };
  return {
    to: { name: notice.username, address: notice.address },
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    id,
    threads: [`account-${notice.accountId}`],
  };
}

/** Composes a mail whose text was ready when it was queued. */
function plainLetter(
  { webUrl }: Context,
  { id }: MailRow,
  { username, address, subject, says, quote, link, reason }: PlainNotice,
): Letter {
  const last = says.length - 1;
  const content: Content = {
    subject: oneLine(subject),
    items: says.map((each, index) => ({
      says: oneLine(each),
      ...(index === last && {
        quote: quote && cut(quote),
        ...(link && { link: { label: link.label, url: webUrl + link.path } }),
      }),
    })),
    reason,
  };
  return {
    to: { name: username, address },
    subject: content.subject,
    text: toText(content),
    html: toHtml(content),
    id,
    threads: [id],
  };
}

/** The link is made when the mail is sent, so that it is stored nowhere. */
async function resetPathOf(
  context: Context,
  { accountId, address }: SecurityNotice,
): Promise<string | undefined> {
  const account = await findPasswordById(context.sql.read, accountId);
  if (!account?.passwordHash || account.disabledAt !== null) return undefined;
  if (account.email !== address) return undefined;
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  const expiresAt = Date.parse(context.now()) + RESET_WITHIN_MS;
  const link = { accountId, state: resetState(account), expiresAt };
  return `/sign-in/reset/${accountLinkToken('reset-password', link, secret)}`;
}

async function unsubscribeTokenFor(
  context: Context,
  accountId: string,
  topics: readonly Topic[],
): Promise<string> {
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  const inOrder = TOPICS.filter((topic) => topics.includes(topic));
  return unsubscribeToken({ accountId, topics: inOrder }, secret);
}

async function compose(
  context: Context,
  account: AccountRow,
  mails: readonly MailRow[],
): Promise<Composed | undefined> {
  const [first] = mails as [MailRow];
  switch (first.kind) {
    case 'document_invitation':
    case 'organization_invitation':
      return userInvitation(context, first);
    case 'digest':
      return digestItems(context, account, first);
    default:
      return eventContent(context, account, mails);
  }
}
