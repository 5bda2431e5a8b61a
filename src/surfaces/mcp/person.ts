import { invalidArgument } from './arguments.ts';
import { OptionalText } from './optional-text.ts';

/** The arguments that name a user with access, or a pending invitation. */
export const UsernameArgument = OptionalText({ description: 'Give this or invitation_id.' });
export const InvitationArgument = OptionalText({ description: 'A pending invitation.' });

/** Returns the one of the two that is given. @throws BAD_REQUEST if none or both are */
export function personOrInvitation(input: {
  username?: string;
  invitation_id?: string;
}): { username: string } | { invitationId: string } {
  const { username, invitation_id: invitationId } = input;
  if (username !== undefined && invitationId === undefined) return { username };
  if (username === undefined && invitationId !== undefined) return { invitationId };
  throw invalidArgument('username', 'give either this or invitation_id');
}
