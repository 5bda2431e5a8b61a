import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { mapPage, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { emailKey } from '../../base/text/email-address.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { requireEmail } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { openSecrets, sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { queuePlainNotice } from '../../core/outbox/plain-notice.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { INVITATION_TOKEN_BYTES, isInvitationToken } from '../invitations/invitation-link.ts';
import { recentlyExpiredAt } from '../invitations/invitation-state.ts';
import { requirePasswords } from './reset-service.ts';
import {
  deleteExpiredInvitations,
  deleteSignUpInvitation,
  findUsableInvitation,
  insertSignUpInvitation,
  listOpenInvitations,
  type SignUpInvitationRow,
} from './sign-up-invitation-store.ts';

/** An invitation with its link; `null` if that was mailed, or can't be shown again. */
export type ShownSignUpInvitation = SignUpInvitationRow & { url: string | null };

/** Returns the path of an invitation's link. */
export function signUpPath(token: string): string {
  return `/sign-up/with/${token}`;
}

/**
 * Invites an address to sign up, once, also while sign-ups are closed: by mail, which proves the
 * address, or, if the server sends none, with a link to pass on.
 *
 * @param actor who does it; without one, an operator's command
 * @throws FORBIDDEN; BAD_REQUEST naming `email`; UNPROCESSABLE if the server accepts no passwords,
 *   because an account made with the link would need one
 */
export async function createSignUpInvitation(
  context: Context,
  actor: Actor | undefined,
  address: string,
): Promise<ShownSignUpInvitation> {
  if (actor) await requireAdmin(context.sql.read, actor);
  requirePasswords(context);
  const email = requireEmail(address);
  const token = randomBytes(INVITATION_TOKEN_BYTES).toString('base64url');
  const sealed = context.sendsMail ? null : await sealSecret(context, 'sign-up link', token);
  const createdAt = context.now();
  const expiresAt = later(createdAt, context.invitationLifetimeMs);
  const created = { id: context.newId(), createdBy: actor?.id ?? null, createdAt, expiresAt };
  const row = { ...created, sealedToken: sealed, email };
  return context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    await insertSignUpInvitation(tx, { ...row, tokenHash: hashSecret(token) });
    await deleteExpiredInvitations(tx, recentlyExpiredAt(createdAt).after);
    if (context.sendsMail) {
      await queuePlainNotice(context, tx, {
        username: '',
        address: email,
        subject: 'You are invited to create an account',
        says: [
          `${actor ? `${actor.username} invites` : 'An administrator invites'} you to create an account at ${context.webUrl}. The invitation works once and expires on ${expiresAt.slice(0, 10)}.`,
        ],
        link: { label: 'Create an account', path: signUpPath(token) },
        reason: 'You get this mail because an administrator entered your address.',
      });
    }
    // Not whose: entries have no addresses.
    await audit(context, tx, {
      action: 'invitation.sign_up_created',
      ...(actor && { actor }),
      detail: { by: 'address', expiresAt },
    });
    const url = context.sendsMail ? null : context.webUrl + signUpPath(token);
    return { ...row, createdByUsername: actor?.username ?? null, url };
  });
}

/** Lists the invitations that can still be used, with their links. @throws FORBIDDEN */
export async function listSignUpInvitations(
  context: Context,
  actor: Actor | undefined,
  page: PageRequest,
): Promise<Page<ShownSignUpInvitation>> {
  const { read } = context.sql;
  if (actor) await requireAdmin(read, actor);
  const found = await listOpenInvitations(read, context.now(), page);
  const sealed = found.items.map(({ sealedToken }) => sealedToken);
  const tokens = await openSecrets(context, 'sign-up link', sealed);
  const urls = new Map(
    found.items.map(({ id }, at) => {
      const token = tokens[at];
      return [id, token === undefined ? null : context.webUrl + signUpPath(token)];
    }),
  );
  return mapPage(found, (row) => ({ ...row, url: urls.get(row.id) ?? null }));
}

/** Ends an invitation. @throws FORBIDDEN, NOT_FOUND */
export async function revokeSignUpInvitation(
  context: Context,
  actor: Actor | undefined,
  id: string,
): Promise<void> {
  if (actor) await requireAdmin(context.sql.read, actor);
  await context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    if (!(await deleteSignUpInvitation(tx, normaliseId(id)))) {
      throw new FieldError('NOT_FOUND', 'id', 'there is no such invitation.');
    }
    await audit(context, tx, {
      action: 'invitation.sign_up_revoked',
      ...(actor && { actor }),
      detail: { by: 'address' },
    });
  });
}

/** Finds the invitation of a link, for everyone who has the link; `undefined` if it can't be used. */
export async function findInvitationToSignUp(
  context: Context,
  token: string,
  db: Reader = context.sql.read,
): Promise<SignUpInvitationRow | undefined> {
  if (!isInvitationToken(token)) return undefined;
  return findUsableInvitation(db, { tokenHash: hashSecret(token), now: context.now() });
}

/**
 * Uses an invitation up for an account, in the transaction that creates the account.
 *
 * @returns whether it proves the account's address
 * @throws UNPROCESSABLE if it can't be used any more; naming `email` if it is for another address
 */
export async function useSignUpInvitation(
  context: Context,
  tx: Writer,
  { token, email }: { token: string; email: string },
): Promise<boolean> {
  const found = await findInvitationToSignUp(context, token, tx);
  if (found && emailKey(found.email) !== emailKey(email)) {
    throw new FieldError('UNPROCESSABLE', 'email', `must be ${found.email}, which was invited.`);
  }
  // Of two at once, only one deletes it.
  if (found && (await deleteSignUpInvitation(tx, found.id))) return found.sealedToken === null;
  throw new ServiceError(
    'UNPROCESSABLE',
    'This invitation was used, has expired or was revoked. Ask for another.',
  );
}
