import type { JSX } from 'preact';
import { type Role, roleAllows } from '../../core/owner/organization-access.ts';

import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { ROLE_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm, ConfirmForm } from '../../surfaces/web/pages/parts.tsx';
import { EndingOffers } from '../invitations/ending-offers.tsx';
import { InviteForm, MenuForm, UserRow } from '../sharing/access-forms.tsx';
import type { Removal } from './member-service.ts';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';
import {
  InvitationRow,
  type PendingAddress,
  PendingAddresses,
  type PendingMember,
} from './organization-invitations-page.tsx';

export interface ListedMember {
  username: string;
  role: Role;
  joinedAt: string;
  /** `null` if the member has no second factor. */
  secondFactorAt: string | null;
}

export interface MembersPage {
  organization: OwnOrganization;
  /** The viewer's username. */
  viewer: string;
  members: Listed<ListedMember>;
  /** The newest invitations, for admins. */
  invitations?: {
    items: readonly PendingMember[];
    total: number;
    addresses: readonly PendingAddress[];
  };
  admins: number;
  /** What leaving ends for the viewer. */
  leaving: Pick<Removal, 'collaborations' | 'ending'>;
  /** The values and errors of the form that invites someone. */
  invite: { username: string; role: string; faults: Faults };
}

export function organizationMembersPage(page: MembersPage): AppPage {
  const { organization, members, invite } = page;
  const path = organizationPath(organization.namespace, 'members');
  return organizationTab({
    organization,
    tab: 'members',
    children: (
      <>
        {roleAllows(organization.role, 'invite') && (
          <InviteForm
            id="invite"
            action={path}
            menu={{ name: 'role', label: 'Role', options: ROLE_LABELS, value: invite.role }}
            username={invite.username}
            faults={invite.faults}
          />
        )}
        <ul class="items">
          {members.items.map((member) => (
            <MemberRow page={page} member={member} />
          ))}
        </ul>
        <Pager
          label="Pages of members"
          list={members}
          path={(number) => `${path}?page=${number}`}
        />
        <PendingSection page={page} />
        <LeaveSection page={page} />
      </>
    ),
  });
}

/** Lists pending invitations: separate from members, so that they show on every result page. */
function PendingSection({ page }: { page: MembersPage }): JSX.Element | null {
  const { organization, invitations } = page;
  if (!invitations) return null;
  const { namespace } = organization;
  const { items, total, addresses } = invitations;
  if (total === 0 && addresses.length === 0) return null;
  return (
    <section class="section" aria-labelledby="pending">
      <h2 id="pending">Pending invitations</h2>
      <ul class="items">
        {items.map((invitation) => (
          <InvitationRow namespace={namespace} invitation={invitation} />
        ))}
        <PendingAddresses namespace={namespace} addresses={addresses} />
      </ul>
      {total > items.length && (
        <p class="aside">
          <a href={organizationPath(namespace, 'invitations')}>All {total} invitations</a>
        </p>
      )}
    </section>
  );
}

function MemberRow({ page, member }: { page: MembersPage; member: ListedMember }): JSX.Element {
  const { organization, admins } = page;
  const { username, role, joinedAt, secondFactorAt } = member;
  const path = organizationPath(organization.namespace, 'members');
  const isViewer = username === page.viewer;
  const isLastAdmin = role === 'admin' && admins === 1;
  const facts = (
    <>
      <span>
        Joined <Day at={joinedAt} />
      </span>
      {secondFactorAt === null && roleAllows(organization.role, 'changeSettings') && (
        <span>No second factor</span>
      )}
      {isLastAdmin && roleAllows(organization.role, 'changeRole') && (
        <span>Only admin. Add another to change this.</span>
      )}
    </>
  );
  if (!roleAllows(organization.role, 'changeRole') || isLastAdmin) {
    return (
      <UserRow username={username} isViewer={isViewer} facts={facts}>
        <span class="role">{ROLE_LABELS[role]}</span>
      </UserRow>
    );
  }
  return (
    <UserRow username={username} isViewer={isViewer} facts={facts}>
      <MenuForm
        action={`${path}/role`}
        fields={{ username, from: role }}
        name="role"
        label={`Role of ${username}`}
        options={ROLE_LABELS}
        value={role}
      />
      {!isViewer && (
        <a
          class="quiet"
          href={`${path}/remove?username=${username}`}
          aria-label={`Remove ${username}`}
          data-dialog
        >
          Remove
        </a>
      )}
    </UserRow>
  );
}

function LeaveSection({ page }: { page: MembersPage }): JSX.Element {
  const { namespace, name, role } = page.organization;
  const { collaborations, ending } = page.leaving;
  const isLastAdmin = role === 'admin' && page.admins === 1;
  return (
    <section class="section" aria-labelledby="leave">
      <h2 id="leave">Leave {name}</h2>
      {isLastAdmin ? (
        <p class="aside">
          You’re its only admin. Add another admin first, or{' '}
          <a href={organizationPath(namespace, 'settings')}>delete the organization</a>.
        </p>
      ) : (
        <>
          <p class="aside">
            You’ll lose access to its documents, except public ones.{' '}
            {collaborations > 0 &&
              `You’ll no longer be a collaborator on ${countedDocuments(collaborations)}, including any you created. The documents stay. `}
            To rejoin, you’ll need a new invitation.
          </p>
          <EndingOffers maker={undefined} offers={ending} />
          <ButtonForm
            action={`${organizationPath(namespace)}/leave`}
            label="Leave organization"
            class="danger"
          />
        </>
      )}
    </section>
  );
}

/** Asks for confirmation before a member is removed. */
export function removeMemberPage(removal: Removal & { organization: OwnOrganization }): AppPage {
  const { organization, username, role, collaborations, ending } = removal;
  const path = organizationPath(organization.namespace, 'members');
  const title = `Remove ${username}?`;
  return dialogScreen({
    title,
    children: (
      <>
        <p>
          <strong>{username}</strong> will lose access to the documents of {organization.name},
          except public ones.{' '}
          {collaborations > 0 &&
            `${username} will no longer be a collaborator on ${countedDocuments(collaborations)}, including any they created. The documents stay, and admins manage them. `}
          To give access again, send a new invitation.
        </p>
        <EndingOffers maker={username} offers={ending} />
        <ConfirmForm
          action={`${path}/remove`}
          fields={{ username, role }}
          label={`Remove ${username}`}
          back={path}
        />
      </>
    ),
  });
}

function countedDocuments(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}
