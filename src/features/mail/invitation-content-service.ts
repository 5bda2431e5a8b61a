import type { Context } from '../../core/context.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import type { MailRow } from '../../core/outbox/mail-store.ts';
import { findInvitation } from '../../core/owner/document-invitation-store.ts';
import { isExpired } from '../../core/owner/invitation-state.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { invitedPath } from '../invitations/email-invitation.ts';
import {
  type EmailInvitationRow,
  findEmailInvitation,
} from '../invitations/email-invitation-store.ts';
import { openInvitationToken } from '../invitations/sealed-invitation-service.ts';
import { findOrganizationInvitation } from '../organizations/organization-invitation-store.ts';
import { type Composed, oneLine } from './content.tsx';

const INVITED = {
  reason: 'You get this mail because someone invited you.',
  topics: ['invitation'],
} as const satisfies Partial<Composed>;

export async function documentInvitation(
  context: Context,
  mail: MailRow,
): Promise<Composed | undefined> {
  const invitation = await findInvitation(context.sql.read, mail.invitationId as string);
  if (!invitation || isExpired(invitation, context.now())) return undefined;
  return {
    ...INVITED,
    ...invites(toDocument(invitation), invitation, answerUrl(context)),
    threads: [`document-${invitation.documentId}`],
  };
}

export async function organizationInvitation(
  context: Context,
  mail: MailRow,
): Promise<Composed | undefined> {
  const id = mail.invitationId as string;
  const invitation = await findOrganizationInvitation(context.sql.read, id);
  if (!invitation || isExpired(invitation, context.now())) return undefined;
  return {
    ...INVITED,
    ...invites(
      toOrganization({ ...invitation, ownerNamespace: invitation.organizationNamespace }),
      invitation,
      answerUrl(context),
    ),
    threads: [`organization-${invitation.organizationId}`],
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
  const invitation = await findEmailInvitation(context.sql.read, mail.invitationId as string);
  if (!invitation || isExpired(invitation, context.now())) return undefined;
  const { invitedByUsername: who, email, emailKey } = invitation;
  const token = await openInvitationToken(context, mail.sealedToken as string);
  if (who === null || token === undefined) return undefined;
  const { host } = new URL(context.webUrl);
  const { subject, items } = invites(wordsOf(invitation), invitation, {
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

function wordsOf(invitation: EmailInvitationRow): Words {
  return invitation.documentId === null ? toOrganization(invitation) : toDocument(invitation);
}

/** Names what the invitation is for, as it follows "ada invited you to". */
interface Words {
  subject: string;
  sentence: string;
}

function toDocument(invitation: {
  ownerNamespace: string;
  documentName: string;
  permission: Permission;
}): Words {
  const { ownerNamespace, documentName, permission } = invitation;
  const may = { read: 'read', write: 'edit', admin: 'edit and share' }[permission];
  return {
    subject: `${may} “${documentName}”`,
    sentence: `${may} ${ownerNamespace}/${documentName}`,
  };
}

function toOrganization(invitation: {
  ownerNamespace: string;
  organizationName: string;
  role: Role;
}): Words {
  const { ownerNamespace, organizationName, role } = invitation;
  const name = oneLine(organizationName);
  const as = role === 'admin' ? 'an admin' : `a ${role}`;
  return {
    subject: `join ${name}`,
    sentence: `join the organization ${name} (${ownerNamespace}) as ${as}`,
  };
}

function invites(
  { subject, sentence }: Words,
  invitation: { invitedByUsername: string | null; expiresAt: string },
  link: { label: string; url: string },
): Pick<Composed, 'subject' | 'items'> {
  const who = `${invitation.invitedByUsername ?? 'Someone'} invited you to`;
  const until = `The invitation expires on ${invitation.expiresAt.slice(0, 10)}.`;
  return { subject: `${who} ${subject}`, items: [{ says: `${who} ${sentence}. ${until}`, link }] };
}

function answerUrl({ webUrl }: Context): { label: string; url: string } {
  return { label: 'Accept or decline', url: `${webUrl}/invitations` };
}
