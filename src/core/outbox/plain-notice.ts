import { emailKey } from '../../base/text/email-address.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import type { Context } from '../context.ts';
import { findAccountById } from '../identity/account-store.ts';
import { queueMail } from './queue-service.ts';
import type { PlainNotice } from './ready-text.ts';

/** Queues a mail to an address, in the transaction that it tells of. */
export async function queuePlainNotice(
  context: Context,
  tx: Writer,
  notice: PlainNotice,
): Promise<void> {
  if (!context.sendsMail) return;
  await queueMail(context, tx, { kind: 'security', notice: { plain: notice } });
}

/**
 * Queues a mail to users whose address is verified and whose account isn't disabled. Others get none.
 */
export async function queueNoticeTo(
  context: Context,
  tx: Writer,
  accountIds: readonly string[],
  notice: Omit<PlainNotice, 'username' | 'address'>,
): Promise<void> {
  if (!context.sendsMail) return;
  const told = new Set<string>();
  for (const id of accountIds) {
    const account = await findAccountById(tx, id);
    if (!account || account.emailVerifiedAt === null || account.disabledAt !== null) continue;
    const { username, email: address } = account;
    if (told.has(emailKey(address))) continue;
    told.add(emailKey(address));
    await queuePlainNotice(context, tx, { ...notice, username, address });
  }
}
