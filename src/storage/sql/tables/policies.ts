import type { Generated } from 'kysely';

/** What organizations allow. */
export interface PolicyTables {
  organization_policy: OrganizationPolicyTable;
  stopped_collaborator: StoppedCollaboratorTable;
}

/** The policies of an organization; without a row, everything is allowed. */
interface OrganizationPolicyTable {
  organizationId: string;
  linkMakers: 'sharers' | 'members' | 'admins' | 'nobody';
  outsideInviters: 'sharers' | 'admins' | 'nobody';
  publicDocuments: 0 | 1;
  tokenHolders: Generated<'anyone' | 'members' | 'admins' | 'nobody'>;
  appUsers: Generated<'anyone' | 'members' | 'admins' | 'nobody'>;
  programDays: number | null;
}

/** Someone who isn't a member, and would collaborate on a document if its organization allowed it. */
interface StoppedCollaboratorTable {
  id: string;
  documentId: string;
  accountId: string;
  permission: 'read' | 'write' | 'admin';
  addedAt: string;
}
