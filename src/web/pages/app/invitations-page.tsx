import type { ComponentChildren, JSX } from 'preact';
import type { Permission } from '../../../document/access.ts';
import type { Kind } from '../../../document/kind.ts';
import type { Role } from '../../../organization/roles.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Day, profilePath } from '../words.tsx';
import type { AppPage } from './app-page.tsx';
import { LEVEL_ABILITIES } from './level-words.ts';
import { ButtonForm, EmptyState, PageHead } from './parts.tsx';

interface Invited {
  /** A username; `null` when the account is gone. */
  invitedByUsername: string | null;
  /** ISO 8601. */
  expiresAt: string;
}

/** An invitation to a document, as whoever is invited sees it. */
export interface DocumentInvited extends Invited {
  id: string;
  kind: Kind;
  documentName: string;
  ownerNamespace: string;
  permission: Permission;
}

/** An invitation to an organization, as whoever is invited sees it. */
export interface OrganizationInvited extends Invited {
  organizationName: string;
  organizationNamespace: string;
  role: Role;
}

export interface InvitationsPage {
  documents: readonly DocumentInvited[];
  organizations: readonly OrganizationInvited[];
  expiredDocuments: readonly DocumentInvited[];
  expiredOrganizations: readonly OrganizationInvited[];
  /** How many can be accepted, of which perhaps not all are here. */
  total: number;
}

const ROLE_MEANS = {
  member: 'You will be a member: you can read what its members may read.',
  admin: 'You will be an admin: you can do everything there, also invite people and delete it.',
} as const satisfies Record<Role, string>;

/** What waits for the person's answer. */
export function invitationsPage(page: InvitationsPage): AppPage {
  const { documents, organizations, expiredDocuments, expiredOrganizations, total } = page;
  const shown = documents.length + organizations.length;
  const expired = expiredDocuments.length + expiredOrganizations.length;
  return {
    title: 'Invitations',
    place: 'invitations',
    children: (
      <div class="sheet narrow">
        <PageHead title="Invitations" />
        {shown === 0 && <NothingWaits />}
        {shown > 0 && (
          <ul class="cards">
            {organizations.map((invitation) => (
              <OrganizationCard invitation={invitation} />
            ))}
            {documents.map((invitation) => (
              <DocumentCard invitation={invitation} />
            ))}
          </ul>
        )}
        {total > shown && (
          <p class="aside">
            These are the newest {shown} of {total}. Answer some, and the others come up.
          </p>
        )}
        {expired > 0 && (
          <section aria-labelledby="expired">
            <h2 id="expired">Expired lately</h2>
            <ul class="cards">
              {expiredOrganizations.map((invitation) => (
                <ExpiredCard icon="building-2" invitation={invitation}>
                  {invitation.organizationName}
                </ExpiredCard>
              ))}
              {expiredDocuments.map((invitation) => (
                <ExpiredCard icon={ICONS[invitation.kind]} invitation={invitation}>
                  {invitation.ownerNamespace} / {invitation.documentName}
                </ExpiredCard>
              ))}
            </ul>
          </section>
        )}
      </div>
    ),
  };
}

const ICONS = { brief: 'file-text', page: 'app-window' } as const satisfies Record<Kind, IconName>;

function NothingWaits(): JSX.Element {
  return (
    <EmptyState title="No invitations wait for you">
      <p>
        When somebody shares a brief or a page with you, or invites you to an organization, it waits
        here until you accept or decline it. Whoever invites you needs your username.
      </p>
    </EmptyState>
  );
}

function DocumentCard({ invitation }: { invitation: DocumentInvited }): JSX.Element {
  const { id, kind, ownerNamespace, documentName, permission, expiresAt } = invitation;
  const what = `${ownerNamespace} / ${documentName}`;
  return (
    <Card icon={ICONS[kind]} title={what}>
      <p>
        <Inviter invitation={invitation} /> invites you to the {kind}{' '}
        <strong>{documentName}</strong> of {ownerNamespace}. You will be able to{' '}
        {LEVEL_ABILITIES[permission]}.
      </p>
      <p class="aside">
        You can accept until <Day at={expiresAt} />.
      </p>
      <Answers of="documents" fields={{ invitation: id }} name={what} />
    </Card>
  );
}

function OrganizationCard({ invitation }: { invitation: OrganizationInvited }): JSX.Element {
  const { organizationName: name, organizationNamespace, role, expiresAt } = invitation;
  return (
    <Card icon="building-2" title={name}>
      <p>
        <Inviter invitation={invitation} /> invites you to the organization{' '}
        <a href={profilePath(organizationNamespace)}>{organizationNamespace}</a>. {ROLE_MEANS[role]}
      </p>
      <p class="aside">
        You can accept until <Day at={expiresAt} />.
      </p>
      <Answers
        of="organizations"
        fields={{ organization: organizationNamespace }}
        name={organizationNamespace}
      />
    </Card>
  );
}

function ExpiredCard(props: {
  icon: IconName;
  invitation: Invited;
  children: ComponentChildren;
}): JSX.Element {
  const { invitedByUsername, expiresAt } = props.invitation;
  return (
    <Card icon={props.icon} title={props.children} isNested>
      <p class="aside">
        This invitation expired on <Day at={expiresAt} />. Ask{' '}
        {invitedByUsername ?? 'whoever invited you'} for a new one.
      </p>
    </Card>
  );
}

function Card(props: {
  icon: IconName;
  title: ComponentChildren;
  /** Below a heading of its own. */
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
  if (username === null) return <>Somebody whose account is gone</>;
  return <a href={profilePath(username)}>{username}</a>;
}

function Answers(props: {
  of: 'documents' | 'organizations';
  fields: Readonly<Record<string, string>>;
  name: string;
}): JSX.Element {
  const path = `/invitations/${props.of}`;
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
