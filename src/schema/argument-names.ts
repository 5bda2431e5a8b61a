/** What tools call fields of services and the API; errors of uploads that a tool prepared, too. */
export const ARGUMENT_NAMES: Readonly<Record<string, string>> = {
  html: 'content',
  org: 'organization',
  inviteId: 'invitation_id',
  'If-Match': 'if_match',
  baseRevision: 'base_revision',
  expiresAt: 'expires_at',
};
