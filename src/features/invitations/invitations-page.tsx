import type { ComponentChildren, JSX } from 'preact';
import type { Kind } from '../../base/schema/kind.ts';
import { INVITED_AS, INVITED_TO } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Day, profilePath } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm, EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { isExpired } from './invitation-state.ts';
import type { Invitation } from './invitation-store.ts';

export interface InvitationsPage {
  pending: readonly Invitation[];
  expired: readonly Invitation[];
  /** The number of pending invitations, including ones not listed here. */
  total: number;
}

/** Shows one invitation, at the address of its document or organization. */
export function invitedPage(invitation: Invitation, now: string): AppPage {
  return isExpired(invitation, now) ? expiredPage(invitation) : answerPage(invitation);
}

/** Shows a mailed invitation to a signed-in user who opened its link. */
export function mailedInvitationPage(page: {
  invitation: Invitation;
  isExpired: boolean;
  path: string;
  /** The viewer's username. */
  username: string;
}): AppPage {
  const { invitation, path, username } = page;
  if (page.isExpired) return expiredPage(invitation);
  return answerPage(
    invitation,
    path,
    <p class="aside">
      You’ll accept as <strong>{username}</strong>. To accept with another account,{' '}
      <a href={`/sign-in?next=${encodeURIComponent(path)}`}>sign in to it</a>.
    </p>,
  );
}

function answerPage(invitation: Invitation, path?: string, aside?: JSX.Element): AppPage {
  return {
    title: 'Invitation',
    children: (
      <div class="sheet narrow">
        <PageHead title="You’re invited" />
        <ul class="cards">
          <InvitationCard invitation={invitation} {...(path !== undefined && { path })} />
        </ul>
        {aside}
      </div>
    ),
  };
}

function expiredPage(invitation: Invitation): AppPage {
  return {
    title: 'Invitation',
    children: (
      <div class="sheet narrow">
        <PageHead title="Your invitation expired" />
        <ul class="cards">
          <ExpiredInvitation invitation={invitation} />
        </ul>
      </div>
    ),
  };
}

/** Lists the user's pending invitations, and those that expired recently. */
export function invitationsPage({ pending, expired, total }: InvitationsPage): AppPage {
  return {
    title: 'Invitations',
    place: 'invitations',
    children: (
      <div class="sheet narrow">
        <PageHead title="Invitations" />
        {pending.length === 0 && <NothingWaits />}
        {pending.length > 0 && (
          <ul class="cards">
            {pending.map((invitation) => (
              <InvitationCard invitation={invitation} />
            ))}
          </ul>
        )}
        {total > pending.length && (
          <p class="aside">
            These are the newest {pending.length} of {total}. Answer some to see the others.
          </p>
        )}
        {expired.length > 0 && (
          <section aria-labelledby="expired">
            <h2 id="expired">Expired recently</h2>
            <ul class="cards">
              {expired.map((invitation) => (
                <ExpiredInvitation invitation={invitation} isNested />
              ))}
            </ul>
          </section>
        )}
      </div>
    ),
  };
}

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
function InvitationCard(props: { invitation: Invitation; path?: string }): JSX.Element {
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
  const { kind, level } = invitation;
  return (
    <Card invitation={invitation}>
      <p>
        <Inviter invitation={invitation} /> invited you to {INVITED_TO[level]} this {kind}.
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
function ExpiredInvitation(props: { invitation: Invitation; isNested?: boolean }): JSX.Element {
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
