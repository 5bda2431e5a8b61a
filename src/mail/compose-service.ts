import { type AccountRow, findAccountById } from '../account/account-store.ts';
import { loadAuthorizationKeys } from '../authorization/key-service.ts';
import type { Context } from '../context.ts';
import { findInvitation } from '../document/sharing/document-invitation-store.ts';
import { isExpired } from '../invitation/invitation.ts';
import { findOrganizationInvitation } from '../organization/organization-invitation-store.ts';
import { type Composed, type Content, type Item, oneLine, toHtml, toText } from './content.tsx';
import { digestItems } from './digest-service.ts';
import { eventContent } from './event-content-service.ts';
import { TOPIC_OF, TOPICS, type Topic } from './mail.ts';
import type { MailRow } from './mail-store.ts';
import { wantedTopics } from './queue-service.ts';
import { unsubscribeToken } from './unsubscribe-token.ts';
import { VERIFY_WITHIN_MS, verificationToken } from './verification-token.ts';

/** A mail that is ready to send. */
export interface Letter {
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  /** The same for each attempt, so that a mail server can recognize a duplicate. */
  id: string;
  /** What it is about, so that mail programs group related mails. */
  threads: readonly string[];
  /** Absent in a mail that its recipient requested. */
  unsubscribeUrl?: string;
  /** The position of the last event that a digest reports. */
  position?: number;
}

/**
 * Composes one mail from queued ones. Checks again that the account wants it, can read what it is
 * about, and hasn't read it yet.
 *
 * @returns `undefined` if nothing is left to report
 */
export async function composeMail(
  context: Context,
  mails: readonly MailRow[],
): Promise<Letter | undefined> {
  const { read } = context.sql;
  const [first] = mails;
  const account = first && (await findAccountById(read, first.accountId));
  if (!account || account.disabledAt !== null) return undefined;
  if (first.kind === 'verification') return verificationLetter(context, account, first);
  // An unverified address may be someone else's.
  if (account.emailVerifiedAt === null) return undefined;
  const isWanted = await wantedTopics(read, [account.id]);
  const wanted = mails.filter(
    ({ kind }) => kind !== 'verification' && isWanted(account.id, TOPIC_OF[kind]),
  );
  const composed = wanted.length > 0 ? await compose(context, account, wanted) : undefined;
  if (!composed) return undefined;
  const { subject, items, reason, topics, threads, position } = composed;
  const token = await unsubscribeTokenFor(context, account.id, topics);
  const content = {
    ...{ subject: oneLine(subject), items, reason },
    settingsUrl: `${context.webUrl}/settings/notifications`,
    unsubscribeUrl: `${context.webUrl}/unsubscribe/${token}`,
  };
  return {
    to: { name: account.username, address: account.email },
    ...{ subject: content.subject, text: toText(content), html: toHtml(content) },
    // A digest's row stays, so its id alone would be the same for all its mails.
    id: [(mails.at(-1) as MailRow).id, ...(position === undefined ? [] : [position])].join('-'),
    ...{ threads, unsubscribeUrl: content.unsubscribeUrl },
    ...(position !== undefined && { position }),
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
  const token = verificationToken({ accountId, email, expiresAt }, secret);
  const content: Content = {
    subject: 'Verify your email address',
    items: [
      {
        says: `The account ${username} was given this address. Verify it to get notifications by email. The link works for a day.`,
        link: { label: 'Verify address', url: `${context.webUrl}/verify/${token}` },
      },
    ],
    reason: 'If this isn’t your account, ignore this mail.',
    settingsUrl: `${context.webUrl}/settings/notifications`,
  };
  return {
    to: { name: username, address: email },
    ...{ subject: content.subject, text: toText(content), html: toHtml(content) },
    ...{ id, threads: [`account-${accountId}`] },
  };
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
      return documentInvitation(context, first);
    case 'organization_invitation':
      return organizationInvitation(context, first);
    case 'digest':
      return digestItems(context, account, first);
    default:
      return eventContent(context, account, mails);
  }
}

const INVITED = {
  reason: 'You get this mail because someone invited you.',
  topics: ['invitation'],
} as const satisfies Partial<Composed>;

async function documentInvitation(context: Context, mail: MailRow): Promise<Composed | undefined> {
  const invitation = await findInvitation(context.sql.read, mail.invitationId as string);
  if (!invitation || isExpired(invitation, context.now())) return undefined;
  const { invitedByUsername, ownerNamespace, documentName, permission } = invitation;
  const who = invitedByUsername ?? 'Someone';
  const may = { read: 'read', write: 'edit', admin: 'edit and share' }[permission];
  return {
    ...INVITED,
    subject: `${who} invited you to ${may} “${documentName}”`,
    items: [
      invitationItem(
        context,
        `${who} invited you to ${may} ${ownerNamespace}/${documentName}.`,
        invitation,
      ),
    ],
    threads: [`document-${invitation.documentId}`],
  };
}

async function organizationInvitation(
  context: Context,
  mail: MailRow,
): Promise<Composed | undefined> {
  const id = mail.invitationId as string;
  const invitation = await findOrganizationInvitation(context.sql.read, id);
  if (!invitation || isExpired(invitation, context.now())) return undefined;
  const { invitedByUsername, organizationName, organizationNamespace, role } = invitation;
  const who = invitedByUsername ?? 'Someone';
  const as = role === 'admin' ? 'an admin' : `a ${role}`;
  const name = oneLine(organizationName);
  return {
    ...INVITED,
    subject: `${who} invited you to join ${name}`,
    items: [
      invitationItem(
        context,
        `${who} invited you to join the organization ${name} (${organizationNamespace}) as ${as}.`,
        invitation,
      ),
    ],
    threads: [`organization-${invitation.organizationId}`],
  };
}

function invitationItem(
  { webUrl }: Context,
  says: string,
  { expiresAt }: { expiresAt: string },
): Item {
  return {
    says: `${says} The invitation expires on ${expiresAt.slice(0, 10)}.`,
    link: { label: 'Accept or decline', url: `${webUrl}/invitations` },
  };
}
