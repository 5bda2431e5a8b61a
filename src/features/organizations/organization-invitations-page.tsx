import type { JSX } from 'preact';
import type { Role } from '../../core/owner/organization-access.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import { ROLE_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm, EmptyState } from '../../surfaces/web/pages/parts.tsx';
import { AddressRow, UserRow } from '../sharing/access-forms.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';

export interface PendingMember {
  id: string;
  recipientUsername: string;
  level: Role;
  /** A username; `null` when the account is gone. */
  invitedByUsername: string | null;
  expiresAt: string;
  isExpired: boolean;
}

/** A pending invitation that was mailed to an address. */
export interface PendingAddress {
  id: string;
  email: string;
  /** The link to pass on; `null` if it was mailed. */
  url: string | null;
  level: Role;
  expiresAt: string;
  isExpired: boolean;
}

export function organizationInvitationsPage(page: {
  organization: OwnOrganization;
  invitations: Listed<PendingMember>;
  addresses: readonly PendingAddress[];
}): AppPage {
  const { organization, invitations, addresses } = page;
  const { namespace } = organization;
  const path = organizationPath(namespace, 'invitations');
  return organizationTab({
    organization,
    tab: 'invitations',
    actions: (
      <a class="secondary small" href={organizationPath(namespace, 'members')}>
        Invite someone
      </a>
    ),
    children: (
      <>
        {invitations.total === 0 && addresses.length === 0 ? (
          <EmptyState title="No pending invitations">
            <p>
              Invite people under <a href={organizationPath(namespace, 'members')}>Members</a>. They
              are listed here until they accept or decline.
            </p>
          </EmptyState>
        ) : (
          <ul class="items">
            {invitations.items.map((invitation) => (
              <InvitationRow namespace={namespace} invitation={invitation} />
            ))}
            {invitations.page === 1 && (
              <PendingAddresses namespace={namespace} addresses={addresses} />
            )}
          </ul>
        )}
        <Pager
          label="Invitations, result pages"
          list={invitations}
          path={(number) => `${path}?page=${number}`}
        />
      </>
    ),
  });
}

/** Renders rows for the email addresses that have a pending invitation. */
export function PendingAddresses(props: {
  namespace: string;
  addresses: readonly PendingAddress[];
}): JSX.Element {
  const action = `${organizationPath(props.namespace, 'invitations')}/addresses/cancel`;
  return (
    <>
      {props.addresses.map(({ id, email, url, level, expiresAt, isExpired }) => (
        <AddressRow
          email={email}
          level={ROLE_LABELS[level]}
          expiresAt={expiresAt}
          isExpired={isExpired}
          url={url}
          cancel={{ action, fields: { invitation: id } }}
        />
      ))}
    </>
  );
}

/** Renders a row for a pending invitation, with the actions of an admin. */
export function InvitationRow(row: { namespace: string; invitation: PendingMember }): JSX.Element {
  const { id, recipientUsername: username, level: role, expiresAt, isExpired } = row.invitation;
  const { invitedByUsername } = row.invitation;
  const path = organizationPath(row.namespace, 'invitations');
  const facts = (
    <>
      {isExpired ? (
        <span class="expired">
          Expired <Day at={expiresAt} />
        </span>
      ) : (
        <span>
          Expires <Day at={expiresAt} />
        </span>
      )}
      {invitedByUsername !== null && <span>Invited by {invitedByUsername}</span>}
    </>
  );
  return (
    <UserRow username={username} facts={facts}>
      <span class="role">{ROLE_LABELS[role]}</span>
      {isExpired && (
        <ButtonForm
          action={organizationPath(row.namespace, 'members')}
          fields={{ username, role }}
          label="Invite again"
          name={`Invite ${username} again`}
        />
      )}
      <ButtonForm
        action={`${path}/cancel`}
        fields={{ invitation: id, username, role, ...(isExpired && { expired: 'yes' }) }}
        label="Cancel"
        name={`Cancel the invitation for ${username}`}
        class="quiet"
      />
    </UserRow>
  );
}
