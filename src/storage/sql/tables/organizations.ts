import type { Generated } from 'kysely';

/** Organizations and their members. */
export interface OrganizationTables {
  organization: OrganizationTable;
  /** A view of the memberships that count: see `second_factor_required`. */
  membership: MembershipTable;
  stored_membership: MembershipTable;
}

interface OrganizationTable {
  id: string;
  type: 'organization';
  name: string;
  members_can_create: 0 | 1;
  default_brief_permission: 'none' | 'read' | 'write';
  /** Whether its documents need an approval before they become public. */
  protected: Generated<0 | 1>;
  /** Whether who wrote unapproved words can't approve them alone. */
  two_people: Generated<0 | 1>;
  /** Whether memberships of users without a second factor don't count. */
  second_factor_required: Generated<0 | 1>;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

interface MembershipTable {
  id: string;
  organization_id: string;
  account_id: string;
  role: 'admin' | 'member';
  joined_at: string;
}
