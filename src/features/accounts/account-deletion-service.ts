import { FieldError, ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { audit } from '../../core/audit/audit.ts';
import { forgetOrigins } from '../../core/audit/audit-store.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { discardBlobs } from '../../core/document/blob-lifecycle.ts';
import { deleteDocumentsOf } from '../../core/document/deletion-store.ts';
import { lockFeed } from '../../core/event/feed-store.ts';
import { getOwnAccount, requireAccount } from '../../core/identity/account-service.ts';
import { isOnlyAccount } from '../../core/identity/account-store.ts';
import { requireAdmin, requireOtherAdmin } from '../../core/identity/admin.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { insertPendingOf } from '../../core/outbox/search-pending-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { releaseNamespace } from '../../core/owner/namespace-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { lockOwner } from '../../core/owner/owner-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { listFilePaths } from '../files/file-store.ts';
import { deleteOffersBy } from '../invitations/offer-store.ts';
import {
  type AccountHoldings,
  countHoldings,
  deleteAccountOwner,
  type HeldMembership,
  listHeldMemberships,
  lockAccount,
} from './account-deletion-store.ts';
import { confirmPassword } from './password-service.ts';

/** What is deleted with an account, and what blocks its deletion. */
export interface AccountDeletion extends AccountHoldings {
  organizations: string[];
  /** The organizations whose only admin is the account, which block its deletion. */
  lastAdminOf: string[];
}

/** Describes what deleting the actor's account would delete. @throws NOT_FOUND if it is gone */
export async function describeAccountDeletion(call: Call): Promise<AccountDeletion> {
  await getOwnAccount(call);
  return describe(call, call.actor.id);
}

/** Does the same as {@link describeAccountDeletion} for any user. @throws NOT_FOUND */
export async function describeUserDeletion(
  context: Context,
  username: string,
): Promise<AccountDeletion> {
  const { id } = await requireAccount(context.sql.read, username);
  return describe(context, id);
}

/**
 * Deletes the actor's account with its documents, files, tokens, sessions and access by
 * applications. Their pending invitations and secret links end. Text they wrote in others' documents
 * stays, without their name. The username stays reserved for 90 days.
 *
 * @param input.confirmation the username, case ignored
 * @param input.password ignored if the account has none
 * @throws UNPROCESSABLE naming `confirmation`, `password`, or the organizations whose only admin is
 *   the actor, or if others have accounts and the actor is the last administrator; TooManyAttempts; NOT_FOUND if the account is gone; BackEndUnavailable
 */
export async function deleteAccount(
  call: Call,
  limiter: RateLimiter,
  input: { confirmation: string; password: string },
): Promise<void> {
  const { actor } = call;
  if (parseNamespace(input.confirmation.trim()) !== actor.username) {
    throw new FieldError('UNPROCESSABLE', 'confirmation', `type “${actor.username}” to confirm.`);
  }
  await confirmPassword(call, limiter, input.password, 'password');
  await deleteUser(call, actor.username, actor.id);
}

/**
 * Deletes a user's account like {@link deleteAccount}, without asking the user.
 *
 * @param id the account that must still have this username; without it, an operator of the server or
 *   an administrator deletes it
 * @param by the administrator
 * @param onlyEmpty whether an account that still has documents stays
 * @throws NOT_FOUND; UNPROCESSABLE naming `documents`, the organizations whose only admin is the user, or if it is
 *   the last administrator's account; FORBIDDEN
 */
export async function deleteUser(
  context: Context,
  username: string,
  id?: string,
  by?: Actor,
  onlyEmpty = false,
): Promise<void> {
  const storagePaths = await changeOwned(context, username, async (tx) => {
    if (by) await requireAdmin(tx, by);
    const account = await requireAccount(tx, username);
    if (id !== undefined && account.id !== id) {
      throw new ServiceError('NOT_FOUND', 'This account no longer exists.');
    }
    // Lock the feed before the account, as the transaction that places events does. Otherwise the
    // two could deadlock.
    await lockFeed(tx);
    requireDispensable(await lockMemberships(tx, account.id));
    // The only person of an instance leaves nobody without an administrator.
    const isOnly = account.adminSince !== null && (await isOnlyAccount(tx, account.id));
    if (by || (id !== undefined && !isOnly)) await requireOtherAdmin(tx, by ?? account, account);
    if (onlyEmpty) await requireEmpty(context, tx, account.id);
    await insertPendingOf(tx, account.id);
    const { storagePaths } = await deleteDocumentsOf(tx, account.id);
    const paths = [...storagePaths, ...(await listFilePaths(tx, account.id))];
    await deleteOffersBy(tx, account.id);
    const byAdmin = by !== undefined;
    const byOperator = id === undefined && !byAdmin;
    const means = { byOperator, byAdmin };
    await queueSecurityNotice(context, tx, account.id, { what: 'deletion' }, means);
    const self = { id: account.id, username: account.username, via: VIA_WEB };
    const actor = by ?? (id === undefined ? undefined : self);
    await audit(context, tx, {
      action: 'account.deleted',
      ...(actor && { actor }),
      accountId: account.id,
      subject: account.username,
    });
    await forgetOrigins(tx, account.id);
    await deleteAccountOwner(tx, account);
    await releaseNamespace(context, tx, account.username);
    return paths;
  });
  context.wakeIndexer();
  await discardBlobs(context, storagePaths);
}

/**
 * Locks the account's organizations, so that none gains or loses an admin, and returns its
 * memberships.
 *
 * Organizations are locked before the account, the order in which joining locks them. One joined in
 * the meantime is locked after the account; if that deadlocks, the database aborts the transaction
 * and it is retried.
 */
async function lockMemberships(tx: Writer, accountId: string): Promise<HeldMembership[]> {
  const locked = new Set<string>();
  const lockAll = async (memberships: HeldMembership[]) => {
    for (const { namespace } of memberships.filter(
      (membership) => !locked.has(membership.namespace),
    )) {
      await lockOwner(tx, namespace);
      locked.add(namespace);
    }
  };
  await lockAll(await listHeldMemberships(tx, accountId));
  await lockAccount(tx, accountId);
  await lockAll(await listHeldMemberships(tx, accountId));
  return listHeldMemberships(tx, accountId);
}

function requireDispensable(memberships: HeldMembership[]): void {
  const names = lastAdminOf(memberships);
  if (names.length === 0) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    `This account is the only admin of ${names.join(', ')}. Add another admin first, or delete the organization.`,
  );
}

async function requireEmpty(context: Context, tx: Writer, accountId: string): Promise<void> {
  const { briefs, pages } = await countHoldings(tx, accountId, context.now());
  if (briefs + pages === 0) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'documents',
    'the account has documents. Hand them over first, or say that they are deleted, too.',
  );
}

async function describe(context: Context, accountId: string): Promise<AccountDeletion> {
  const [holdings, memberships] = await Promise.all([
    countHoldings(context.sql.read, accountId, context.now()),
    listHeldMemberships(context.sql.read, accountId),
  ]);
  return {
    ...holdings,
    organizations: memberships.map(({ namespace }) => namespace),
    lastAdminOf: lastAdminOf(memberships),
  };
}

function lastAdminOf(memberships: HeldMembership[]): string[] {
  return memberships
    .filter(({ role, otherAdmins }) => role === 'admin' && otherAdmins === 0)
    .map(({ namespace }) => namespace);
}
