import type { ComponentChildren } from 'preact';
import {
  type DefaultBriefPermission,
  type Role,
  roleAllows,
} from '../../core/owner/organization-access.ts';

import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { PageHead, Tabs } from '../../surfaces/web/pages/parts.tsx';

/** An organization, as a member sees it. */
export interface OwnOrganization {
  namespace: string;
  name: string;
  role: Role;
  membersCanCreate: boolean;
  defaultBriefPermission: DefaultBriefPermission;
  secondFactorRequired: boolean;
}

export type OrganizationTab = 'documents' | 'members' | 'invitations' | 'trash' | 'settings';

const TABS = [
  { tab: 'documents', label: 'Documents', needed: undefined },
  { tab: 'members', label: 'Members', needed: 'seeMembers' },
  { tab: 'invitations', label: 'Invitations', needed: 'invite' },
  { tab: 'trash', label: 'Trash', needed: 'seeTrash' },
  { tab: 'settings', label: 'Settings', needed: undefined },
] as const;

export function organizationTab(props: {
  organization: OwnOrganization;
  tab: OrganizationTab;
  /** Buttons and links beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}): AppPage {
  const { organization, tab } = props;
  const { namespace, name, role } = organization;
  const tabs = TABS.filter(({ needed }) => needed === undefined || roleAllows(role, needed));
  const here = TABS.find((one) => one.tab === tab)?.label;
  return {
    title: tab === 'documents' ? name : `${here} of ${name}`,
    place: { organization: namespace },
    trail: <span class="here">{namespace}</span>,
    children: (
      <div class="sheet">
        <PageHead title={name}>{props.actions}</PageHead>
        <Tabs
          label={`Parts of ${name}`}
          tabs={tabs.map((one) => ({
            href: pathOfTab(namespace, one.tab),
            label: one.label,
            isHere: one.tab === tab,
          }))}
        />
        {props.children}
      </div>
    ),
  };
}

/** Shows a tab that the member's role can't open, and says so. */
export function closedTab(organization: OwnOrganization, tab: OrganizationTab): AppPage {
  return organizationTab({
    organization,
    tab,
    children: (
      <p class="aside">
        Only admins of {organization.name} can see this.{' '}
        <a href={organizationPath(organization.namespace, 'members')}>Members</a> lists them.
      </p>
    ),
  });
}

function pathOfTab(namespace: string, tab: OrganizationTab): string {
  return tab === 'documents' ? organizationPath(namespace) : organizationPath(namespace, tab);
}
