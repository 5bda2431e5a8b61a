import type { Insertable } from 'kysely';
import { EVENT_MAILS, type Topic } from '../../base/schema/mail.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { PlainNotice } from './ready-text.ts';
import type { SecurityNotice } from './security-notice.ts';

/** A mail in the queue. Mails of events on one document are sent together. */
export type MailRow = Omit<Row<'mail', (typeof COLUMNS)[number]>, 'notice'> & {
  /** For a mail about the security of an account, or one whose text is ready. */
  notice: Notice | null;
};

type Notice = SecurityNotice | { plain: PlainNotice };

export type NewMail = Omit<Insertable<Tables['mail']>, 'notice' | 'attempts'> & { notice?: Notice };

const COLUMNS = [
  'id',
  'accountId',
  'kind',
  'documentId',
  'position',
  'invitationId',
  'sealedToken',
  'notice',
  'createdAt',
  'dueAt',
  'attempts',
] as const;

export async function insertMails(db: Writer, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return;
  await db
    .insertInto('mail')
    .values(
      mails.map(({ notice, ...mail }) => ({
        ...mail,
        notice: notice === undefined ? null : JSON.stringify(notice),
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
    .where('dueAt', '<=', parameter('now'))
    .where((mail) =>
      mail.or([
        mail('claimedUntil', 'is', null),
        mail('claimedUntil', '<=', parameter('now') as never),
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
    .where('dueAt', '<=', now)
    .where((mail) => mail.or([mail('claimedUntil', 'is', null), mail('claimedUntil', '<=', now)]))
    .select(['id', 'accountId', 'documentId'])
    .orderBy('dueAt')
    .orderBy('id')
    .limit(1)
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!first) return [];
  const claimed = db
    .updateTable('mail')
    .set({ claimedUntil: until })
    .where((mail) => mail.or([mail('claimedUntil', 'is', null), mail('claimedUntil', '<=', now)]))
    .returning(COLUMNS);
  const { id, accountId, documentId } = first;
  const rows = await (documentId === null
    ? claimed.where('id', '=', id)
    : claimed
        .where('accountId', '=', accountId)
        .where('documentId', '=', documentId)
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
    .where('claimedUntil', '=', until)
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
      dueAt,
      attempts,
      fault,
      claimedUntil: null,
      ...(createdAt !== undefined && { createdAt }),
      ...(position !== undefined && { position }),
    })
    .where('id', 'in', idsOf(mails))
    .where('claimedUntil', '=', until)
    .execute();
}

function idsOf(mails: readonly MailRow[]): string[] {
  return mails.map(({ id }) => id);
}

export async function deleteDigest(db: Writer, accountId: string): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('accountId', '=', accountId)
    .where('kind', '=', 'digest')
    .execute();
}

export async function listPreferences(
  db: Reader,
  accountIds: readonly string[],
): Promise<{ accountId: string; topic: Topic; isOn: boolean }[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('mail_preference')
    .where('accountId', 'in', accountIds)
    .select(['accountId', 'topic', 'isOn'])
    .execute();
  return rows.map((row) => ({ ...row, isOn: row.isOn === 1 }));
}

export async function upsertPreference(
  db: Writer,
  { accountId, topic, isOn }: { accountId: string; topic: Topic; isOn: boolean },
): Promise<void> {
  const value = isOn ? 1 : 0;
  await db
    .insertInto('mail_preference')
    .values({ accountId, topic, isOn: value })
    .onConflict((conflict) => conflict.columns(['accountId', 'topic']).doUpdateSet({ isOn: value }))
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
    .where('accountId', 'is not', null)
    .select(['id as threadId', 'accountId'])
    .union(
      db
        .selectFrom('comment')
        .where('threadId', 'in', threadIds)
        .where('accountId', 'is not', null)
        .select(['threadId', 'accountId']),
    )
    .$castTo<{ threadId: string; accountId: string }>()
    .execute();
}
