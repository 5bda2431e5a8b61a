import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { mapPage, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { emailKey } from '../../base/text/email-address.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { requireEmail } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { openSecrets, sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { queuePlainNotice } from '../../core/outbox/plain-notice.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { requirePasswords } from './reset-service.ts';
import {
  deleteExpiredInvitations,
  deleteSignUpInvitation,
  findSignUpInvitation,
  findUsableInvitation,
  insertSignUpInvitation,
  listOpenInvitations,
  type SignUpInvitationRow,
  takeUse,
} from './sign-up-invitation-store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** How long an invitation can be used, by default and at most, in days. */
export const DEFAULT_DAYS = 7;
export const MAX_DAYS = 365;

export const MAX_USES = 1_000;
export const MAX_NOTE = 100;

/** Bytes of the token in a link: 192 bits, written as 32 characters of base64url. */
const TOKEN_BYTES = 24;

/** An invitation with its link; `null` if that was mailed, or can't be shown again. */
export type ShownSignUpInvitation = SignUpInvitationRow & { url: string | null };

export interface SignUpInvitationInput {
  /** The only address that can sign up with it, to which it is mailed. */
  email?: string | undefined;
  uses?: number | undefined;
  /** In days. */
  expiresIn?: number | undefined;
  /** What it is for, for administrators. */
  note?: string | undefined;
}

/** Returns the path of an invitation's link. */
export function signUpPath(token: string): string {
  return `/sign-up/with/${token}`;
}

/**
 * Creates an invitation to sign up, which works while sign-ups are closed, too. With an address, it is
 * mailed there if the server sends mail, and proves the address.
 *
 * @param actor who does it; without one, an operator's command
 * @throws FORBIDDEN; BAD_REQUEST naming `email`, `uses`, `expiresIn` or `note`; UNPROCESSABLE if the
 *   server accepts no passwords, because an account made with the link would need one
 */
export async function createSignUpInvitation(
  context: Context,
  actor: Actor | undefined,
  input: SignUpInvitationInput,
): Promise<ShownSignUpInvitation> {
  if (actor) await requireAdmin(context.sql.read, actor);
  requirePasswords(context);
  const email = input.email === undefined ? null : requireEmail(input.email);
  const uses = requireNumber('uses', input.uses ?? 1, MAX_USES);
  if (email !== null && uses !== 1) {
    throw new FieldError('BAD_REQUEST', 'uses', 'must be 1 for an address.');
  }
  const days = requireNumber('expiresIn', input.expiresIn ?? DEFAULT_DAYS, MAX_DAYS);
  const note = (input.note ?? '').trim();
  if (note.length > MAX_NOTE || !isStorableText(note)) {
    throw new FieldError('BAD_REQUEST', 'note', `must be at most ${MAX_NOTE} characters.`);
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const isMailed = email !== null && context.sendsMail;
  const sealedToken = isMailed ? null : await sealSecret(context, 'sign-up link', token);
  const id = context.newId();
  const createdAt = context.now();
  const expiresAt = later(createdAt, days * DAY_MS);
  const createdBy = actor?.id ?? null;
  const row = { id, sealedToken, email, note, uses, createdBy, createdAt, expiresAt };
  return context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    await insertSignUpInvitation(tx, { ...row, tokenHash: hashSecret(token) });
    await deleteExpiredInvitations(tx, later(createdAt, -30 * DAY_MS));
    if (isMailed) {
      await queuePlainNotice(context, tx, {
        username: '',
        address: email,
        subject: 'You are invited to create an account',
        says: [
          `${actor ? `${actor.username} invites` : 'An administrator invites'} you to create an account at ${context.webUrl}. The link works once, for ${days === 1 ? 'a day' : `${days} days`}.`,
        ],
        link: { label: 'Create an account', path: signUpPath(token) },
        reason: 'You get this mail because an administrator entered your address.',
      });
    }
    await audit(context, tx, {
      action: 'invitation.sign_up_created',
      ...(actor && { actor }),
      ...(note !== '' && { subject: note }),
      // Not whose: entries have no addresses.
      detail: { uses, expiresAt, ...(email !== null && { by: 'address' }) },
    });
    const url = isMailed ? null : context.webUrl + signUpPath(token);
    return { ...row, used: 0, createdByUsername: actor?.username ?? null, url };
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

/** Ends an invitation. Accounts that were created with it stay. @throws FORBIDDEN, NOT_FOUND */
export async function revokeSignUpInvitation(
  context: Context,
  actor: Actor | undefined,
  id: string,
): Promise<void> {
  if (actor) await requireAdmin(context.sql.read, actor);
  await context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const found = await findSignUpInvitation(tx, normaliseId(id));
    if (!found || !(await deleteSignUpInvitation(tx, found.id))) {
      throw new FieldError('NOT_FOUND', 'id', 'there is no such invitation.');
    }
    await audit(context, tx, {
      action: 'invitation.sign_up_revoked',
      ...(actor && { actor }),
      ...(found.note !== '' && { subject: found.note }),
      detail: { ...(found.email !== null && { by: 'address' }) },
    });
  });
}

/** Finds the invitation of a link, for everyone who has the link; `undefined` if it can't be used. */
export async function findInvitationToSignUp(
  context: Context,
  token: string,
  db: Reader = context.sql.read,
): Promise<SignUpInvitationRow | undefined> {
  if (!/^[\w-]{32}$/.test(token)) return undefined;
  return findUsableInvitation(db, { tokenHash: hashSecret(token), now: context.now() });
}

/**
 * Uses an invitation for an account, in the transaction that creates the account.
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
  if (!found) throw noLongerUsable();
  if (found.email !== null && emailKey(found.email) !== emailKey(email)) {
    throw new FieldError('UNPROCESSABLE', 'email', `must be ${found.email}, which was invited.`);
  }
  if (!(await takeUse(tx, { id: found.id, now: context.now() }))) throw noLongerUsable();
  return found.email !== null && found.sealedToken === null;
}

function noLongerUsable(): ServiceError {
  return new ServiceError(
    'UNPROCESSABLE',
    'This invitation was used, has expired or was revoked. Ask for another.',
  );
}

function requireNumber(field: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new FieldError('BAD_REQUEST', field, `must be a whole number from 1 to ${most}.`);
}
