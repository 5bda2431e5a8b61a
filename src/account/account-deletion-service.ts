import type { Actor, Context } from '../context.ts';
import { listStoragePaths } from '../document/document-store.ts';
import { deleteRevisionsOf } from '../document/revision/revision-store.ts';
import { insertPendingOf } from '../document/search/search-pending-store.ts';
import { FieldError, ServiceError } from '../errors.ts';
import { discardBlobs } from '../file/blob-lifecycle.ts';
import { listFilePaths } from '../file/file-store.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Writer } from '../storage/sql/sql.ts';
import {
  type AccountHoldings,
  countHoldings,
  deleteAccountOwner,
  listParts,
  lockAccount,
  type PartRow,
} from './account-deletion-store.ts';
import { getOwnAccount, requireAccount } from './account-service.ts';
import { parseNamespace } from './namespace.ts';
import { releaseNamespace } from './namespace-service.ts';
import { changeOwned } from './owner-service.ts';
import { lockOwner } from './owner-store.ts';
import { confirmPassword } from './password-service.ts';

/** What goes with an account, and what keeps it from going. */
export interface AccountDeletion extends AccountHoldings {
  /** Namespaces of organizations that the account leaves. */
  organizations: string[];
  /** Those among them whose last admin it is: while there are any, it cannot be deleted. */
  lastAdminOf: string[];
}

/** What deleting the actor's account would come to. @throws NOT_FOUND when it is gone */
export async function describeAccountDeletion(
  context: Context,
  actor: Actor,
): Promise<AccountDeletion> {
  await getOwnAccount(context, actor);
  return describe(context, actor.id);
}

/** {@link describeAccountDeletion} of any user. @throws NOT_FOUND */
export async function describeUserDeletion(
  context: Context,
  username: string,
): Promise<AccountDeletion> {
  const { id } = await requireAccount(context.sql.read, username);
  return describe(context, id);
}

/**
 * Deletes the actor's account with everything that is its own: documents, files, tokens, sessions,
 * applications' access. In others' documents its texts stay, without its name. The username stays
 * reserved for 90 days.
 *
 * @param input.confirmation the username, case ignored
 * @param input.password not looked at where there is none
 * @throws UNPROCESSABLE naming `confirmation`, `password`, or the organizations whose last admin the
 *   actor is; TooManyAttempts; NOT_FOUND when the account is gone; BackEndUnavailable
 */
export async function deleteAccount(
  context: Context,
  limiter: RateLimiter,
  actor: Actor,
  input: { confirmation: string; password: string },
): Promise<void> {
  if (parseNamespace(input.confirmation.trim()) !== actor.username) {
    throw new FieldError('UNPROCESSABLE', 'confirmation', `write "${actor.username}" here.`);
  }
  await confirmPassword(context, limiter, actor, input.password, 'password');
  await deleteUser(context, actor.username, actor.id);
}

/**
 * Deletes a user's account, as {@link deleteAccount} does, without asking the user.
 *
 * @param id whose the username must still be
 * @throws NOT_FOUND; UNPROCESSABLE naming the organizations whose last admin the user is
 */
export async function deleteUser(context: Context, username: string, id?: string): Promise<void> {
  const storagePaths = await changeOwned(
    context,
    username,
    async (tx) => {
      const account = await requireAccount(tx, username);
      if (id !== undefined && account.id !== id) {
        throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
      }
      requireDispensable(await lockParts(tx, account.id));
      const paths = [
        ...(await listStoragePaths(tx, account.id)),
        ...(await listFilePaths(tx, account.id)),
        ...(await deleteRevisionsOf(tx, account.id)),
      ];
      await insertPendingOf(tx, account.id);
      await deleteAccountOwner(tx, account.id);
      await releaseNamespace(context, tx, account.username);
      return paths;
    },
    { freesSpace: true },
  );
  context.wakeIndexer();
  await discardBlobs(context, storagePaths);
}

/**
 * What the account is in its organizations, which from here on neither gain nor lose an admin.
 *
 * Organizations are locked before the account, in the order that everybody has who joins one. One
 * that the account joined meanwhile is locked after it; should that be a deadlock, the database ends
 * it and all of this begins again.
 */
async function lockParts(tx: Writer, accountId: string): Promise<PartRow[]> {
  const locked = new Set<string>();
  const lockAll = async (parts: PartRow[]) => {
    for (const { namespace } of parts.filter((part) => !locked.has(part.namespace))) {
      await lockOwner(tx, namespace);
      locked.add(namespace);
    }
  };
  await lockAll(await listParts(tx, accountId));
  await lockAccount(tx, accountId);
  await lockAll(await listParts(tx, accountId));
  return listParts(tx, accountId);
}

function requireDispensable(parts: PartRow[]): void {
  const names = lastAdminOf(parts);
  if (names.length === 0) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    `This is the last admin of ${names.join(', ')}. Make somebody else an admin there first, or delete the organization.`,
  );
}

async function describe(context: Context, accountId: string): Promise<AccountDeletion> {
  const [holdings, parts] = await Promise.all([
    countHoldings(context.sql.read, accountId, context.now()),
    listParts(context.sql.read, accountId),
  ]);
  return {
    ...holdings,
    organizations: parts.map(({ namespace }) => namespace),
    lastAdminOf: lastAdminOf(parts),
  };
}

function lastAdminOf(parts: PartRow[]): string[] {
  return parts
    .filter(({ role, otherAdmins }) => role === 'admin' && otherAdmins === 0)
    .map(({ namespace }) => namespace);
}
