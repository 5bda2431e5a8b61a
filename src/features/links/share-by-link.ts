import type { Call } from '../../core/context.ts';
import { LINK_ACCESS } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { findHiddenThreads } from '../../core/review/opening-service.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { presentLink } from './link-schema.ts';
import { createLink, revokeLink, revokeLinks } from './link-service.ts';

/** The arguments of a call that is about secret links. */
interface LinkArguments {
  anyone?: boolean;
  link_id?: string;
  username?: string;
  invitation_id?: string;
  permission: string;
  expires_at?: string;
  password?: string;
  note?: string;
}

/**
 * Creates a secret link (`anyone`), or revokes one (`link_id`) or all (`anyone` with `none`).
 *
 * @throws InvalidArguments for arguments that don't go together; errors of the services
 */
export async function shareByLink(
  call: Call,
  ref: DocumentRef,
  {
    anyone,
    link_id: linkId,
    permission,
    expires_at: expiresAt,
    password,
    note,
    ...people
  }: LinkArguments,
) {
  const isOfPeople = (people.username ?? people.invitation_id) !== undefined;
  if (isOfPeople || (anyone && linkId !== undefined)) {
    throw invalidArgument(
      'username',
      'give only one of username, invitation_id, anyone and link_id',
    );
  }
  const isRevoked = permission === 'none';
  if (isRevoked && (expiresAt ?? password ?? note) !== undefined) {
    throw invalidArgument(
      'permission',
      'must be read or comment with expires_at, password or note',
    );
  }
  if (linkId !== undefined) {
    if (!isRevoked) {
      throw invalidArgument('permission', 'must be none with link_id. A link can only be revoked');
    }
    await revokeLink(call, ref, linkId);
    return { summary: 'The link no longer works.', data: { outcome: 'link_revoked' } };
  }
  if (isRevoked) {
    const count = await revokeLinks(call, ref);
    return { summary: `Links revoked: ${count}.`, data: { outcome: 'links_revoked' } };
  }
  const access = LINK_ACCESS.find((one) => one === permission);
  if (!access) throw invalidArgument('permission', `must be ${LINK_ACCESS.join(', ')} or none`);
  const created = await createLink(call, ref, { access, expiresAt, password, note });
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'share');
  const hidden = await findHiddenThreads(call, document);
  const threads = hidden ? ` Earlier threads that its readers don’t see: ${hidden.count}.` : '';
  return {
    summary: `Anyone with this link can open the document.${threads}`,
    data: { outcome: 'link_created', link: presentLink(created) },
  };
}
