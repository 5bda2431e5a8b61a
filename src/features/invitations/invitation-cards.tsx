import type { ComponentChildren, JSX } from 'preact';
import type { Kind } from '../../base/schema/kind.ts';
import { INVITED_AS, INVITED_TO } from '../../surfaces/web/pages/access-labels.ts';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import type { Invitation } from './invitation-store.ts';

const ICONS = { brief: 'file-text', page: 'app-window' } as const satisfies Record<Kind, IconName>;

function iconOf(invitation: Invitation): IconName {
  return invitation.documentId === null ? 'building-2' : ICONS[invitation.kind];
}

function titleOf(invitation: Invitation): string {
  if (invitation.documentId === null) return invitation.organizationName;
  return `${invitation.ownerNamespace} / ${invitation.documentName}`;
}

/**
 * Renders an invitation, with buttons to accept or decline it.
 *
 * @param props.path where the answers go, if not to the list of invitations
 */
export function InvitationCard(props: { invitation: Invitation; path?: string }): JSX.Element {
  const { invitation, path } = props;
  const { id, ownerNamespace, expiresAt } = invitation;
  const expires = (
    <p class="aside">
      Expires <Day at={expiresAt} />
    </p>
  );
  if (invitation.documentId === null) {
    const { organizationName, level } = invitation;
    return (
      <Card invitation={invitation}>
        <p>
          <Inviter invitation={invitation} /> invited you to join{' '}
          <a href={profilePath(ownerNamespace)}>{organizationName}</a> as {INVITED_AS[level]}.
          {level === 'admin' && ' You will be able to manage its members, documents and settings.'}
        </p>
        {expires}
        <Answers
          path={path ?? '/invitations/organizations'}
          fields={{ organization: ownerNamespace }}
          name={ownerNamespace}
        />
      </Card>
    );
  }
  const { documentName, level } = invitation;
  return (
    <Card invitation={invitation}>
      <p>
        <Inviter invitation={invitation} /> invited you to {INVITED_TO[level]}{' '}
        <strong>{documentName}</strong>.
        {level === 'admin' && ' You will also be able to share and delete it.'}
      </p>
      {expires}
      <Answers
        path={path ?? '/invitations/documents'}
        fields={{ invitation: id }}
        name={titleOf(invitation)}
      />
    </Card>
  );
}

/** Renders an invitation that can no longer be accepted. */
export function ExpiredInvitation(props: {
  invitation: Invitation;
  isNested?: boolean;
}): JSX.Element {
  const { invitation, isNested = false } = props;
  const { invitedByUsername, expiresAt } = invitation;
  return (
    <Card invitation={invitation} isNested={isNested}>
      <p class="aside">
        Expired <Day at={expiresAt} />. Ask {invitedByUsername ?? 'the person who invited you'} for
        a new invitation.
      </p>
    </Card>
  );
}

function Card(props: {
  invitation: Invitation;
  /** Whether the card is in a section that has a heading. */
  isNested?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const Heading = props.isNested ? 'h3' : 'h2';
  return (
    <li class="card">
      <Icon name={iconOf(props.invitation)} />
      <div>
        <Heading>{titleOf(props.invitation)}</Heading>
        {props.children}
      </div>
    </li>
  );
}

function Inviter({ invitation }: { invitation: Invitation }): JSX.Element {
  const { invitedByUsername: username } = invitation;
  if (username === null) return <>Someone whose account was deleted</>;
  return <a href={profilePath(username)}>{username}</a>;
}

function Answers(props: {
  path: string;
  fields: Readonly<Record<string, string>>;
  name: string;
}): JSX.Element {
  const { path } = props;
  return (
    <div class="answers">
      <ButtonForm
        action={`${path}/accept`}
        fields={props.fields}
        label="Accept"
        name={`Accept the invitation to ${props.name}`}
        class="primary"
      />
      <ButtonForm
        action={`${path}/decline`}
        fields={props.fields}
        label="Decline"
        name={`Decline the invitation to ${props.name}`}
        class="secondary"
      />
    </div>
  );
}
