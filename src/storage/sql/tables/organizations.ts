import type { Generated } from 'kysely';

export interface OrganizationTables {
  organization: OrganizationTable;
  /** A view of the memberships that count: see `secondFactorRequired`. */
  membership: MembershipTable;
  stored_membership: MembershipTable;
}

interface OrganizationTable {
  id: string;
  type: 'organization';
  name: string;
  membersCanCreate: 0 | 1;
  defaultBriefPermission: 'none' | 'read' | 'write';
  /** Whether its documents need an approval before they become public. */
  protected: Generated<0 | 1>;
  /** Whether who wrote unapproved words can't approve them alone. */
  twoPeople: Generated<0 | 1>;
  /** Whether memberships of users without a second factor don't count. */
  secondFactorRequired: Generated<0 | 1>;
  createdBy: string | null;
  createdAt: string;
  updatedAt: string;
}

interface MembershipTable {
  id: string;
  organizationId: string;
  accountId: string;
  role: 'admin' | 'member';
  joinedAt: string;
}
