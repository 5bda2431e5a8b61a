import { DEFAULT_TOPICS, type EventMail, GATHER_MS, type Topic } from '../../base/schema/mail.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { type Context, later } from '../context.ts';
import { findAccountById } from '../identity/account-store.ts';
import { insertMails, listParticipants, listPreferences, type NewMail } from './mail-store.ts';
import type { SecurityEvent } from './security-notice.ts';

/** An event that is in someone's inbox. */
export interface MailableEvent {
  accountId: string;
  documentId: string;
  position: number;
  type: string;
  reason: 'mention' | 'review' | 'watching' | 'own';
  threadId: string | null;
}

/**
 * Queues mails about events, in the transaction that adds them to inboxes. Never mails users about
 * what they or their agents did.
 */
export async function queueEventMails(
  context: Context,
  tx: Writer,
  events: readonly MailableEvent[],
): Promise<void> {
  if (!context.sendsMail) return;
  const answered = events.filter(isAnswer).map(({ threadId }) => threadId as string);
  const participants = new Set(
    (await listParticipants(tx, [...new Set(answered)])).map(
      ({ threadId, accountId }) => `${threadId} ${accountId}`,
    ),
  );
  const mails = events.flatMap((event) => {
    const isPartOfIt = participants.has(`${event.threadId} ${event.accountId}`);
    const kind = mailOf(event, isPartOfIt);
    return kind ? [{ ...event, kind }] : [];
  });
  const wanted = await wantedTopics(tx, [...new Set(mails.map(({ accountId }) => accountId))]);
  const now = context.now();
  await insertMails(
    tx,
    mails
      .filter(({ accountId, kind }) => wanted(accountId, kind))
      .map(({ accountId, documentId, position, kind }) => ({
        id: context.newId(),
        accountId,
        kind,
        documentId,
        position,
        createdAt: now,
        dueAt: later(now, GATHER_MS),
      })),
  );
}

function isAnswer({ type, reason, threadId }: MailableEvent): boolean {
  return reason === 'watching' && type === 'comment.added' && threadId !== null;
}

/** @param isPartOfIt whether the account opened the thread or commented in it */
function mailOf(event: MailableEvent, isPartOfIt: boolean): EventMail | undefined {
  if (event.reason === 'mention') return 'mention';
  if (event.reason === 'review' && event.type === 'review.requested') return 'review';
  return isAnswer(event) && isPartOfIt ? 'answer' : undefined;
}

/** Queues a mail to be sent now. */
export async function queueMail(
  context: Context,
  tx: Writer,
  mail: Omit<NewMail, 'id' | 'createdAt' | 'dueAt'>,
): Promise<void> {
  const now = context.now();
  await insertMails(tx, [{ ...mail, id: context.newId(), createdAt: now, dueAt: now }]);
}

/** Queues the mail about an invitation, in the transaction that creates it. */
export async function queueInvitationMail(
  context: Context,
  tx: Writer,
  invitation: { id: string; targetId: string; to: 'document' | 'organization' },
): Promise<void> {
  if (!context.sendsMail) return;
  const { id: invitationId, targetId: accountId, to } = invitation;
  const wanted = await wantedTopics(tx, [accountId]);
  if (!wanted(accountId, 'invitation')) return;
  await queueMail(context, tx, { accountId, kind: `${to}_invitation`, invitationId });
}

/** Queues the mail that invites an address, in the transaction that creates the invitation. */
export async function queueEmailInvitation(
  context: Context,
  tx: Writer,
  { id: invitationId, sealedToken }: { id: string; sealedToken: string },
): Promise<void> {
  await queueMail(context, tx, { kind: 'email_invitation', sealedToken, invitationId });
}

/** Queues the mail that verifies an account's address, unless one is queued. */
export async function queueVerificationMail(
  context: Context,
  tx: Writer,
  accountId: string,
): Promise<void> {
  if (!context.sendsMail) return;
  await queueMail(context, tx, { accountId, kind: 'verification' });
}

/**
 * Queues the mail that tells an account's owner about something that could be an attack, in the
 * transaction that does it. An unverified address gets none, because it may be someone else's. Call
 * it before a change of the address or the deletion of the account.
 */
export async function queueSecurityNotice(
  context: Context,
  tx: Writer,
  accountId: string,
  event: SecurityEvent,
  { byOperator = false, byAdmin = false }: { byOperator?: boolean; byAdmin?: boolean } = {},
): Promise<void> {
  if (!context.sendsMail) return;
  const account = await findAccountById(tx, accountId);
  if (!account || account.emailVerifiedAt === null) return;
  const { username, email: address } = account;
  const by = { byOperator, ...(byAdmin && { byAdmin }) };
  const notice = { event, ...by, accountId, username, address, at: context.now() };
  await queueMail(context, tx, { kind: 'security', notice });
}

/** Returns a function that tells whether an account wants mails about a topic. */
export async function wantedTopics(
  db: Reader,
  accountIds: readonly string[],
): Promise<(accountId: string, topic: Topic) => boolean> {
  const chosen = new Map(
    (await listPreferences(db, accountIds)).map(({ accountId, topic, isOn }) => [
      `${accountId} ${topic}`,
      isOn,
    ]),
  );
  return (accountId, topic) => chosen.get(`${accountId} ${topic}`) ?? DEFAULT_TOPICS[topic];
}
