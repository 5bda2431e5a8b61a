import { EVENT_MAILS, type MailKind, type Topic } from '../../base/schema/mail.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { SecurityNotice } from './security-notice.ts';

/** A mail in the queue. Mails of events on one document are sent together. */
export interface MailRow {
  id: string;
  /** `null` for a mail to an address, or about the security of an account. */
  accountId: string | null;
  kind: MailKind;
  documentId: string | null;
  /** The event's position; for a digest, the position of the last event that it reported. */
  position: number | null;
  invitationId: string | null;
  /** For an invitation to an address, the sealed token of its link. */
  sealedToken: string | null;
  /** For a mail about the security of an account. */
  notice: SecurityNotice | null;
  createdAt: string;
  dueAt: string;
  attempts: number;
}

export type NewMail = Omit<MailRow, 'attempts' | 'sealedToken' | 'notice'> & {
  sealedToken?: string;
  notice?: SecurityNotice;
};

const COLUMNS = [
  'id',
  'account_id as accountId',
  'kind',
  'document_id as documentId',
  'position',
  'invitation_id as invitationId',
  'sealed_token as sealedToken',
  'notice',
  'created_at as createdAt',
  'due_at as dueAt',
  'attempts',
] as const;

export async function insertMails(db: Writer, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return;
  await db
    .insertInto('mail')
    .values(
      mails.map((mail) => ({
        id: mail.id,
        account_id: mail.accountId,
        kind: mail.kind,
        document_id: mail.documentId,
        position: mail.position,
        invitation_id: mail.invitationId,
        sealed_token: mail.sealedToken ?? null,
        notice: mail.notice === undefined ? null : JSON.stringify(mail.notice),
        created_at: mail.createdAt,
        due_at: mail.dueAt,
        claimed_until: null,
        attempts: 0,
      })),
    )
    // An account has at most one digest and one verification mail in the queue.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const due = prepared<{ now: string }, { id: string }>((db, parameter) =>
  db
    .selectFrom('mail')
    .where('due_at', '<=', parameter('now'))
    .where((mail) =>
      mail.or([
        mail('claimed_until', 'is', null),
        mail('claimed_until', '<=', parameter('now') as never),
      ]),
    )
    .select('id')
    .limit(1),
);

/** Tells whether a mail can be claimed. */
export async function hasDueMail(db: Reader, now: string): Promise<boolean> {
  return (await due(db, { now })).length > 0;
}

/**
 * Claims the mail that has been due longest, with all others about the same document to the same
 * account. No one else can claim them until `until`.
 */
export async function claimMails(
  db: Writer,
  { now, until }: { now: string; until: string },
): Promise<MailRow[]> {
  const first = await db
    .selectFrom('mail')
    .where('due_at', '<=', now)
    .where((mail) => mail.or([mail('claimed_until', 'is', null), mail('claimed_until', '<=', now)]))
    .select(['id', 'account_id as accountId', 'document_id as documentId'])
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!first) return [];
  const claimed = db
    .updateTable('mail')
    .set({ claimed_until: until })
    .where((mail) => mail.or([mail('claimed_until', 'is', null), mail('claimed_until', '<=', now)]))
    .returning(COLUMNS);
  const { id, accountId, documentId } = first;
  const rows = await (documentId === null
    ? claimed.where('id', '=', id)
    : claimed
        .where('account_id', '=', accountId)
        .where('document_id', '=', documentId)
        .where('kind', 'in', EVENT_MAILS)
  ).execute();
  return rows
    .map((row) => ({ ...row, notice: row.notice === null ? null : JSON.parse(row.notice) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Claimed mails, and when the claim ends. */
export interface Claim {
  mails: readonly MailRow[];
  until: string;
}

/** Deletes mails whose claim still holds. */
export async function deleteMails(db: Writer, { mails, until }: Claim): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('id', 'in', idsOf(mails))
    .where('claimed_until', '=', until)
    .execute();
}

/** Releases a claim. The mails are due again at `dueAt`. */
export async function releaseMails(
  db: Writer,
  { mails, until }: Claim,
  change: {
    dueAt: string;
    attempts: number;
    createdAt?: string;
    position?: number;
    fault?: string;
  },
): Promise<void> {
  const { dueAt, attempts, createdAt, position, fault = null } = change;
  await db
    .updateTable('mail')
    .set({
      due_at: dueAt,
      attempts,
      fault,
      claimed_until: null,
      ...(createdAt !== undefined && { created_at: createdAt }),
      ...(position !== undefined && { position }),
    })
    .where('id', 'in', idsOf(mails))
    .where('claimed_until', '=', until)
    .execute();
}

function idsOf(mails: readonly MailRow[]): string[] {
  return mails.map(({ id }) => id);
}

export async function deleteDigest(db: Writer, accountId: string): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'digest')
    .execute();
}

/** Lists the preferences that accounts have set. */
export async function listPreferences(
  db: Reader,
  accountIds: readonly string[],
): Promise<{ accountId: string; topic: Topic; isOn: boolean }[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('mail_preference')
    .where('account_id', 'in', accountIds)
    .select(['account_id as accountId', 'topic', 'is_on as isOn'])
    .execute();
  return rows.map((row) => ({ ...row, isOn: row.isOn === 1 }));
}

export async function upsertPreference(
  db: Writer,
  { accountId, topic, isOn }: { accountId: string; topic: Topic; isOn: boolean },
): Promise<void> {
  const is_on = isOn ? 1 : 0;
  await db
    .insertInto('mail_preference')
    .values({ account_id: accountId, topic, is_on })
    .onConflict((conflict) => conflict.columns(['account_id', 'topic']).doUpdateSet({ is_on }))
    .execute();
}

/** Lists the participants of threads: those who opened them or commented. */
export async function listParticipants(
  db: Reader,
  threadIds: readonly string[],
): Promise<{ threadId: string; accountId: string }[]> {
  if (threadIds.length === 0) return [];
  return db
    .selectFrom('thread')
    .where('id', 'in', threadIds)
    .where('account_id', 'is not', null)
    .select(['id as threadId', 'account_id as accountId'])
    .union(
      db
        .selectFrom('comment')
        .where('thread_id', 'in', threadIds)
        .where('account_id', 'is not', null)
        .select(['thread_id as threadId', 'account_id as accountId']),
    )
    .$castTo<{ threadId: string; accountId: string }>()
    .execute();
}
