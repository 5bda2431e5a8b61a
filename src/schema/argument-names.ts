/**
 * The names that agents use for fields of services and the API. Both the tools and the uploads that they
 * prepare name fields so.
 */
export const ARGUMENT_NAMES: Readonly<Record<string, string>> = {
  html: 'content',
  org: 'organization',
  inviteId: 'invitation_id',
  'If-Match': 'if_match',
  baseRevision: 'base_revision',
  expiresAt: 'expires_at',
};
