/** What the audit trail tells of, and how. Sorted by name. */
export const AUDIT_ACTIONS = {
  'account.access_revoked': 'revoked all tokens and disconnected all apps of an account',
  'account.admin_granted': 'made an administrator of the instance',
  'account.admin_revoked': 'no longer an administrator of the instance',
  'account.created': 'created an account',
  'account.deleted': 'deleted an account',
  'account.disabled': 'disabled an account',
  'account.email_changed': 'changed the email address of an account',
  'account.email_verified': 'marked the email address of an account as verified',
  'account.enabled': 'enabled an account',
  'account.renamed': 'renamed an account',
  'account.reset_link': 'made a link to a new password',
  'account.sessions_ended': 'ended all sessions of an account',
  'account.unlocked': 'forgot failed sign-ins to an account',
  'document.reports_closed': 'closed the reports of a document',
  'document.takedown_ended': 'restored a document that was taken down',
  'document.taken_down': 'took a document down',
  'invitation.sign_up_created': 'invited somebody to sign up',
  'invitation.sign_up_revoked': 'revoked an invitation to sign up',
  'organization.admin_appointed': 'made somebody an admin of an organization without admins',
  'work.retried': 'tried failed mails or deliveries again',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
