import { invalidArgument } from './arguments.ts';
import { OptionalText } from './optional-text.ts';

/** Returns a namespace as it is, for one that may be written as people are called: `@ada`. */
export function namespaceOf(called: string): string {
  return called.trim().replace(/^@/, '');
}

/** The arguments that name someone with access or to invite, or a pending invitation. */
export const UsernameArgument = OptionalText({
  description: 'Or an email address to invite; or give invitation_id.',
});
export const InvitationArgument = OptionalText({ description: 'A pending invitation.' });

/** Who a call is about. */
export type Target = { username: string } | { email: string } | { invitationId: string };

/**
 * Returns who a call is about. `@ben` is the user `ben`.
 *
 * @throws BAD_REQUEST unless exactly one of the two arguments is given
 */
export function personOrInvitation(input: { username?: string; invitation_id?: string }): Target {
  const { username, invitation_id: invitationId } = input;
  if (username !== undefined && invitationId === undefined) {
    const name = namespaceOf(username);
    return name.includes('@') ? { email: name } : { username: name };
  }
  if (username === undefined && invitationId !== undefined) return { invitationId };
  throw invalidArgument('username', 'give either this or invitation_id');
}

/** The error for an address where a user or an invitation is needed. */
export function notByAddress(): Error {
  return invalidArgument('username', 'is an address: to cancel its invitation, give invitation_id');
}
