import type { ComponentChildren, JSX } from 'preact';
import type { Kind } from '../../base/schema/kind.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { INVITED_AS, INVITED_TO } from '../../surfaces/web/pages/access-labels.ts';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';

interface Invited {
  /** A username; `null` when the account is gone. */
  invitedByUsername: string | null;
  expiresAt: string;
}

/** An invitation to a document, as the invited user sees it. */
export interface DocumentInvited extends Invited {
  id: string;
  kind: Kind;
  documentName: string;
  ownerNamespace: string;
  permission: Permission;
}

/** An invitation to an organization, as the invited user sees it. */
export interface OrganizationInvited extends Invited {
  organizationName: string;
  organizationNamespace: string;
  role: Role;
}

const ICONS = { brief: 'file-text', page: 'app-window' } as const satisfies Record<Kind, IconName>;

interface CardOf<Invitation> {
  invitation: Invitation;
  /** Where the answers go, if not to the list of invitations. */
  path?: string;
}

/** Renders an invitation to a document, with buttons to accept or decline it. */
export function DocumentCard({ invitation, path }: CardOf<DocumentInvited>): JSX.Element {
  const { id, kind, ownerNamespace, documentName, permission, expiresAt } = invitation;
  const what = `${ownerNamespace} / ${documentName}`;
  return (
    <Card icon={ICONS[kind]} title={what}>
      <p>
        <Inviter invitation={invitation} /> invited you to {INVITED_TO[permission]}{' '}
        <strong>{documentName}</strong>.
        {permission === 'admin' && ' You will also be able to share and delete it.'}
      </p>
      <p class="aside">
        Expires <Day at={expiresAt} />
      </p>
      <Answers path={path ?? '/invitations/documents'} fields={{ invitation: id }} name={what} />
    </Card>
  );
}

/** Renders an invitation to an organization, with buttons to accept or decline it. */
export function OrganizationCard({ invitation, path }: CardOf<OrganizationInvited>): JSX.Element {
  const { organizationName: name, organizationNamespace, role, expiresAt } = invitation;
  return (
    <Card icon="building-2" title={name}>
      <p>
        <Inviter invitation={invitation} /> invited you to join{' '}
        <a href={profilePath(organizationNamespace)}>{name}</a> as {INVITED_AS[role]}.
        {role === 'admin' && ' You will be able to manage its members, documents and settings.'}
      </p>
      <p class="aside">
        Expires <Day at={expiresAt} />
      </p>
      <Answers
        path={path ?? '/invitations/organizations'}
        fields={{ organization: organizationNamespace }}
        name={organizationNamespace}
      />
    </Card>
  );
}

/** Renders an invitation that can no longer be accepted. */
export function ExpiredInvitation(props: {
  invitation: DocumentInvited | OrganizationInvited;
  isNested?: boolean;
}): JSX.Element {
  const { invitation, isNested = false } = props;
  const { invitedByUsername, expiresAt } = invitation;
  const isToDocument = 'kind' in invitation;
  return (
    <Card
      icon={isToDocument ? ICONS[invitation.kind] : 'building-2'}
      title={
        isToDocument
          ? `${invitation.ownerNamespace} / ${invitation.documentName}`
          : invitation.organizationName
      }
      isNested={isNested}
    >
      <p class="aside">
        Expired <Day at={expiresAt} />. Ask {invitedByUsername ?? 'the person who invited you'} for
        a new invitation.
      </p>
    </Card>
  );
}

function Card(props: {
  icon: IconName;
  title: ComponentChildren;
  /** Whether the card is in a section that has a heading. */
  isNested?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const Heading = props.isNested ? 'h3' : 'h2';
  return (
    <li class="card">
      <Icon name={props.icon} />
      <div>
        <Heading>{props.title}</Heading>
        {props.children}
      </div>
    </li>
  );
}

function Inviter({ invitation }: { invitation: Invited }): JSX.Element {
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
