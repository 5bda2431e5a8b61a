import type { ComponentChildren, JSX } from 'preact';
import type { Permission } from '../../../document/access-rules.ts';
import type { Kind } from '../../../document/kind.ts';
import type {
  EmailInvitationRow,
  InvitationToOrganization,
} from '../../../invitation/email-invitation-store.ts';
import type { Role } from '../../../organization/roles.ts';
import { Day, profilePath } from '../format.tsx';
import { Icon, type IconName } from '../icons.tsx';
import { INVITED_AS, INVITED_TO } from './access-labels.ts';
import type { AppPage } from './app-page.tsx';
import { ButtonForm, EmptyState, PageHead } from './parts.tsx';

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

export interface InvitationsPage {
  documents: readonly DocumentInvited[];
  organizations: readonly OrganizationInvited[];
  expiredDocuments: readonly DocumentInvited[];
  expiredOrganizations: readonly OrganizationInvited[];
  /** The number of pending invitations, including ones not listed here. */
  total: number;
}

/** One invitation, at the address of its document or organization. */
export function invitedPage(
  invitation: (DocumentInvited | OrganizationInvited) & Expiring,
): AppPage {
  const isToDocument = 'kind' in invitation;
  return {
    title: 'Invitation',
    children: (
      <div class="sheet narrow">
        <PageHead title={invitation.isExpired ? 'Your invitation expired' : 'You’re invited'} />
        <ul class="cards">
          {invitation.isExpired ? (
            <ExpiredInvitation invitation={invitation} />
          ) : isToDocument ? (
            <DocumentCard invitation={invitation} />
          ) : (
            <OrganizationCard invitation={invitation} />
          )}
        </ul>
      </div>
    ),
  };
}

/** An invitation by email, for anyone who opened its link. */
export function mailedInvitationPage(page: {
  invitation: EmailInvitationRow;
  isExpired: boolean;
  /** Of this page. */
  path: string;
  /** The viewer's. */
  username: string;
}): AppPage {
  const { invitation, isExpired, path, username } = page;
  const invited =
    invitation.documentId === null
      ? { ...withoutKind(invitation), organizationNamespace: invitation.ownerNamespace }
      : invitation;
  if (isExpired) return invitedPage({ ...invited, isExpired });
  return {
    title: 'Invitation',
    children: (
      <div class="sheet narrow">
        <PageHead title="You’re invited" />
        <ul class="cards">
          {'kind' in invited ? (
            <DocumentCard invitation={invited} path={path} />
          ) : (
            <OrganizationCard invitation={invited} path={path} />
          )}
        </ul>
        <p class="aside">
          You’ll accept as <strong>{username}</strong>. To accept with another account,{' '}
          <a href={`/sign-in?next=${encodeURIComponent(path)}`}>sign in to it</a>.
        </p>
      </div>
    ),
  };
}

/** Rows of invitations to organizations also have the columns of documents, which are empty. */
function withoutKind(invitation: InvitationToOrganization): InvitationToOrganization {
  const { kind: _, ...invited } = invitation as InvitationToOrganization & { kind?: null };
  return invited;
}

interface Expiring {
  isExpired: boolean;
}

/** The user's pending invitations. */
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
            These are the newest {shown} of {total}. Answer some to see the others.
          </p>
        )}
        {expired > 0 && (
          <section aria-labelledby="expired">
            <h2 id="expired">Expired recently</h2>
            <ul class="cards">
              {[...expiredOrganizations, ...expiredDocuments].map((invitation) => (
                <ExpiredInvitation invitation={invitation} isNested />
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
    <EmptyState title="No invitations">
      <p>
        When someone shares a brief or a page with you, or invites you to an organization, you can
        accept or decline it here. To be invited, tell them your username.
      </p>
    </EmptyState>
  );
}

interface CardOf<Invitation> {
  invitation: Invitation;
  /** Where the answers go, if not to the list of invitations. */
  path?: string;
}

function DocumentCard({ invitation, path }: CardOf<DocumentInvited>): JSX.Element {
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

function OrganizationCard({ invitation, path }: CardOf<OrganizationInvited>): JSX.Element {
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

function ExpiredInvitation(props: {
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
  /** A section with its own heading. */
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
