/** Bytes of the token in an invitation's link: 192 bits, written as 32 characters of base64url. */
export const INVITATION_TOKEN_BYTES = 24;

/** The most pending invitations of one document or organization to addresses. */
export const MAX_INVITED_ADDRESSES = 50;

/** The first path segment of links in mailed invitations. It can't be a namespace. */
export const INVITED_SEGMENT = 'invited';

/** Returns the path of a mailed invitation's link. */
export function invitedPath(token: string): string {
  return `/${INVITED_SEGMENT}/${token}`;
}

/** Returns the token in a link's path; `undefined` for any other path. */
export function tokenOfInvitedPath(path: string): string | undefined {
  const [, token] = /^\/invited\/([\w-]{32})$/.exec(path) ?? [];
  return token;
}

/** Tells whether a text has the form of a token. Other texts cost no query. */
export function isInvitationToken(text: string): boolean {
  return tokenOfInvitedPath(invitedPath(text)) !== undefined;
}
