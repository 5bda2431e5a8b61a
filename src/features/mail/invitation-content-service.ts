import type { Context } from '../../core/context.ts';
import { openSecrets } from '../../core/identity/sealed-secret-service.ts';
import type { MailRow } from '../../core/outbox/mail-store.ts';
import { INVITED_AS } from '../../surfaces/web/pages/access-labels.ts';
import { invitedPath } from '../invitations/invitation-link.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import { findInvitation, type Invitation } from '../invitations/invitation-store.ts';
import { type Composed, oneLine } from './content.tsx';

/**
 * Composes the invitation of a user.
 *
 * @returns `undefined` if it is no longer pending or has expired
 */
export async function userInvitation(
  context: Context,
  mail: MailRow,
): Promise<Composed | undefined> {
  const invitation = await findPending(context, mail);
  if (!invitation) return undefined;
  const link = { label: 'Accept or decline', url: `${context.webUrl}/invitations` };
  const place =
    invitation.documentId === null
      ? `organization-${invitation.organizationId}`
      : `document-${invitation.documentId}`;
  return {
    reason: 'You get this mail because someone invited you.',
    topics: ['invitation'],
    ...invites(invitation, link),
    threads: [place],
  };
}

/**
 * Composes the invitation of an address.
 *
 * @returns `undefined` if it is no longer pending or has expired, the inviter's account is gone, or
 *   the token can't be opened
 */
export async function emailInvitation(
  context: Context,
  mail: MailRow,
): Promise<(Omit<Composed, 'topics'> & { email: string; emailKey: string }) | undefined> {
  const invitation = await findPending(context, mail);
  if (!invitation || invitation.email === null) return undefined;
  const { invitedByUsername: who, email, emailKey } = invitation;
  const [token] = await openSecrets(context, 'mailed invitation', [mail.sealedToken]);
  if (who === null || token === undefined) return undefined;
  const { host } = new URL(context.webUrl);
  const { subject, items } = invites(invitation, {
    label: 'Open the invitation',
    url: `${context.webUrl}${invitedPath(token)}`,
  });
  const account = `You need an account on ${host}. You can create one from the link.`;
  return {
    subject,
    email,
    emailKey,
    items: items.map((item) => ({ ...item, says: `${item.says} ${account}` })),
    reason: `${who} entered your address on ${host}. If you don’t know ${who}, ignore this mail.`,
    threads: [`invitation-${invitation.id}`],
  };
}

async function findPending(
  context: Context,
  { invitationId }: MailRow,
): Promise<Invitation | undefined> {
  const found = await findInvitation(context.sql.read, invitationId as string);
  return found && isExpired(found, context.now()) ? undefined : found;
}

/** Names what the invitation is for, as it follows "ada invited you to". */
function wordsOf(invitation: Invitation): { subject: string; sentence: string } {
  const { ownerNamespace } = invitation;
  if (invitation.documentId === null) {
    const name = oneLine(invitation.organizationName);
    const as = INVITED_AS[invitation.level];
    return {
      subject: `join ${name}`,
      sentence: `join the organization ${name} (${ownerNamespace}) as ${as}`,
    };
  }
  const { documentName, level } = invitation;
  const may = { read: 'read', write: 'edit', admin: 'edit and share' }[level];
  return {
    subject: `${may} “${documentName}”`,
    sentence: `${may} ${ownerNamespace}/${documentName}`,
  };
}

function invites(
  invitation: Invitation,
  link: { label: string; url: string },
): Pick<Composed, 'subject' | 'items'> {
  const { subject, sentence } = wordsOf(invitation);
  const who = `${invitation.invitedByUsername ?? 'Someone'} invited you to`;
  const until = `The invitation expires on ${invitation.expiresAt.slice(0, 10)}.`;
  return { subject: `${who} ${subject}`, items: [{ says: `${who} ${sentence}. ${until}`, link }] };
}
