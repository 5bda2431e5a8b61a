/** What the audit trail tells of, and how. Sorted by name. */
export const AUDIT_ACTIONS = {
  'account.admin_granted': 'made an administrator of the instance',
  'account.admin_revoked': 'no longer an administrator of the instance',
  'account.disabled': 'disabled an account',
  'account.enabled': 'enabled an account',
  'document.reports_closed': 'closed the reports of a document',
  'document.taken_down': 'took a document down',
  'document.takedown_ended': 'restored a document that was taken down',
  'invitation.sign_up_created': 'invited somebody to sign up',
  'invitation.sign_up_revoked': 'revoked an invitation to sign up',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
