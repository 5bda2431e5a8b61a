import type { JSX } from 'preact';
import type { Role } from '../../../organization/roles.ts';
import { organizationPath } from '../../app/addresses.ts';
import type { Faults } from '../../form.ts';
import { Day } from '../words.tsx';
import type { AppPage } from './app-page.tsx';
import { ROLE_LABELS } from './level-words.ts';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';
import { type Listed, Pager } from './pager.tsx';
import { ButtonForm } from './parts.tsx';
import { InviteForm, MenuForm, PersonRow } from './people.tsx';

/** A member of an organization. */
export interface ListedMember {
  username: string;
  role: Role;
  /** ISO 8601. */
  joinedAt: string;
}

export interface MembersPage {
  organization: OwnOrganization;
  /** The username of whoever looks. */
  viewer: string;
  members: Listed<ListedMember>;
  /** How many of all members are admins. */
  admins: number;
  /** What was sent to invite somebody, and what is wrong with it. */
  invite: { username: string; role: string; faults: Faults };
}

/** Who belongs to an organization. */
export function organizationMembersPage(page: MembersPage): AppPage {
  const { organization, members, invite } = page;
  const path = organizationPath(organization.namespace, 'members');
  return organizationTab({
    organization,
    tab: 'members',
    children: (
      <>
        {organization.role === 'admin' && (
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
        <LeaveSection page={page} />
      </>
    ),
  });
}

function MemberRow({ page, member }: { page: MembersPage; member: ListedMember }): JSX.Element {
  const { organization, admins } = page;
  const { username, role, joinedAt } = member;
  const path = organizationPath(organization.namespace, 'members');
  const isViewer = username === page.viewer;
  const isLastAdmin = role === 'admin' && admins === 1;
  const facts = (
    <>
      <span>
        Since <Day at={joinedAt} />
      </span>
      {isLastAdmin && organization.role === 'admin' && (
        <span>the only admin, so this role stays until somebody else is one</span>
      )}
    </>
  );
  if (organization.role !== 'admin' || isLastAdmin) {
    return (
      <PersonRow username={username} isViewer={isViewer} facts={facts}>
        <span class="role">{ROLE_LABELS[role]}</span>
      </PersonRow>
    );
  }
  return (
    <PersonRow username={username} isViewer={isViewer} facts={facts}>
      <MenuForm
        action={`${path}/role`}
        fields={{ username, from: role }}
        name="role"
        label={`Role of ${username}`}
        options={ROLE_LABELS}
        value={role}
      />
      {!isViewer && (
        <ButtonForm
          action={`${path}/remove`}
          fields={{ username, role }}
          label="Remove"
          name={`Remove ${username}`}
          class="quiet"
        />
      )}
    </PersonRow>
  );
}

function LeaveSection({ page }: { page: MembersPage }): JSX.Element {
  const { namespace, name, role } = page.organization;
  const isLastAdmin = role === 'admin' && page.admins === 1;
  return (
    <section class="section" aria-labelledby="leave">
      <h2 id="leave">Leave {name}</h2>
      {isLastAdmin ? (
        <p class="aside">
          You are its only admin, and an organization always has one. Make somebody else an admin
          first, or <a href={organizationPath(namespace, 'settings')}>delete the organization</a>.
        </p>
      ) : (
        <>
          <p class="aside">
            You will no longer see its internal documents. What you were invited to by name stays
            open to you. To come back, you need a new invitation.
          </p>
          <ButtonForm
            action={`${organizationPath(namespace)}/leave`}
            label="Leave the organization"
            class="danger"
          />
        </>
      )}
    </section>
  );
}
