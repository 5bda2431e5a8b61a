/**
 * The argument names that MCP tools use for fields of services and the API. Errors of uploads
 * prepared by a tool use them too.
 */
export const ARGUMENT_NAMES: Readonly<Record<string, string>> = {
  html: 'content',
  org: 'organization',
  inviteId: 'invitation_id',
  'If-Match': 'if_match',
  baseRevision: 'base_revision',
  expiresAt: 'expires_at',
};
