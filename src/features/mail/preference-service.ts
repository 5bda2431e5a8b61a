import { DIGEST_EVERY_MS, TOPICS, type Topic } from '../../base/schema/mail.ts';
import { type Call, type Context, later } from '../../core/context.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { listKeys } from '../../core/identity/key-store.ts';
import { deleteDigest, insertMails, upsertPreference } from '../../core/outbox/mail-store.ts';
import { wantedTopics } from '../../core/outbox/queue-service.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { lockAccount } from '../accounts/account-deletion-store.ts';
import { readUnsubscribeToken, type Unsubscription } from './unsubscribe-token.ts';

/** Lists the topics that the actor wants mailed. */
export async function getWantedTopics(call: Call): Promise<Topic[]> {
  const wanted = await wantedTopics(call.sql.read, [call.actor.id]);
  return TOPICS.filter((topic) => wanted(call.actor.id, topic));
}

/** Sets the topics that are mailed to the actor. */
export async function setWantedTopics(call: Call, topics: readonly Topic[]): Promise<void> {
  await call.sql.transaction(async (tx) => {
    for (const topic of TOPICS) {
      await choose(call, tx, { accountId: call.actor.id, topic, isOn: topics.includes(topic) });
    }
  });
}

async function choose(
  context: Context,
  tx: Writer,
  choice: { accountId: string; topic: Topic; isOn: boolean },
): Promise<void> {
  const { accountId, topic, isOn } = choice;
  await upsertPreference(tx, choice);
  if (topic !== 'digest') return;
  if (!isOn) return deleteDigest(tx, accountId);
  const now = context.now();
  await insertMails(tx, [
    {
      id: context.newId(),
      accountId,
      kind: 'digest',
      position: 0,
      createdAt: now,
      dueAt: later(now, DIGEST_EVERY_MS),
    },
  ]);
}

/**
 * Returns what an unsubscribe link turns off; `undefined` if the link is invalid or the account is
 * gone.
 */
export async function findUnsubscription(
  context: Context,
  token: string,
): Promise<(Unsubscription & { username: string }) | undefined> {
  const keys = await listKeys(context.sql.read, 'cookie');
  const found = readUnsubscribeToken(
    token,
    keys.map(({ secret }) => secret),
  );
  const account = found && (await findAccountById(context.sql.read, found.accountId));
  return account && { ...found, username: account.username };
}

/**
 * Turns off what an unsubscribe link names.
 *
 * @returns `undefined` if the link is invalid or the account is gone
 */
export async function unsubscribe(
  context: Context,
  token: string,
): Promise<Unsubscription | undefined> {
  const found = await findUnsubscription(context, token);
  if (!found) return undefined;
  const { accountId, topics } = found;
  return context.sql.transaction(async (tx) => {
    // The account may be deleted at the same time.
    await lockAccount(tx, accountId);
    if (!(await findAccountById(tx, accountId))) return undefined;
    for (const topic of topics) await choose(context, tx, { accountId, topic, isOn: false });
    return found;
  });
}
