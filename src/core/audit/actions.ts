/** What the audit trail tells of, and how. Sorted by name. */
export const AUDIT_ACTIONS = {
  'account.admin_granted': 'made an administrator of the instance',
  'account.admin_revoked': 'no longer an administrator of the instance',
  'account.disabled': 'disabled an account',
  'account.enabled': 'enabled an account',
  'account.second_factor_reset': 'removed all second factors of an account',
  'codes.turned_off': 'turned one-time codes off',
  'codes.turned_on': 'turned one-time codes on',
  'organization.second_factor_changed': 'changed whether an organization requires a second factor',
  'passkey.added': 'added a passkey',
  'passkey.removed': 'removed a passkey',
  'provider.linked': 'linked an account to a sign-in at the provider',
  'provider.unlinked': 'removed the link of an account to a sign-in at the provider',
  'recovery_code.used': 'used a recovery code',
  'recovery_codes.made': 'made new recovery codes',
  'second_factor.failed': 'gave a wrong second factor',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
