import type { Generated } from 'kysely';

/** What organizations allow. */
export interface PolicyTables {
  organization_policy: OrganizationPolicyTable;
  stopped_collaborator: StoppedCollaboratorTable;
}

/** The policies of an organization; without a row, everything is allowed. */
interface OrganizationPolicyTable {
  organization_id: string;
  link_makers: 'sharers' | 'members' | 'admins' | 'nobody';
  outside_inviters: 'sharers' | 'admins' | 'nobody';
  public_documents: 0 | 1;
  token_holders: Generated<'anyone' | 'members' | 'admins' | 'nobody'>;
  app_users: Generated<'anyone' | 'members' | 'admins' | 'nobody'>;
  program_days: number | null;
}

/** Someone who isn't a member, and would collaborate on a document if its organization allowed it. */
interface StoppedCollaboratorTable {
  id: string;
  document_id: string;
  account_id: string;
  permission: 'read' | 'write' | 'admin';
  added_at: string;
}
