/** Bytes of the token in an invitation's link: 192 bits, written as 32 characters of base64url. */
export const INVITATION_TOKEN_BYTES = 24;

/** Pending invitations of one document or organization to addresses. */
export const MAX_EMAIL_INVITATIONS = 50;

/** First path segment of the links in mailed invitations. No one can have it as namespace. */
export const INVITED_SEGMENT = 'invited';

/** Returns the path of a mailed invitation's link. */
export function invitedPath(token: string): string {
  return `/${INVITED_SEGMENT}/${token}`;
}

/** Returns the token in a link's path; `undefined` if the path is another. */
export function tokenOfInvitedPath(path: string): string | undefined {
  const [, token] = /^\/invited\/([\w-]{32})$/.exec(path) ?? [];
  return token;
}

/** Whether a text has the form of a token. Others cost no query. */
export function isInvitationToken(text: string): boolean {
  return tokenOfInvitedPath(invitedPath(text)) !== undefined;
}
