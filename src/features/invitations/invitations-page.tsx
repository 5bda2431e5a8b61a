import type { JSX } from 'preact';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { ExpiredInvitation, InvitationCard } from './invitation-cards.tsx';
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
  /** The path of this page. */
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
