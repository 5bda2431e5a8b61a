import type { JSX } from 'preact';
import { INVITED_AS, INVITED_TO } from '../../surfaces/web/pages/access-labels.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import type { Invitation } from './invitation-store.ts';

/** Renders a mailed invitation for someone who isn't signed in. */
export function renderInvitedPage(
  site: Site,
  page: {
    invitation: Invitation;
    isExpired: boolean;
    /** The path of this page, to come back to after sign-in. */
    path: string;
    /** Whether someone who comes by the link can create an account. */
    canSignUp: boolean;
  },
): string {
  const { invitation, isExpired, path, canSignUp } = page;
  const next = `?next=${encodeURIComponent(path)}`;
  const { invitedByUsername, expiresAt } = invitation;
  if (isExpired) {
    return renderAccountPage(site, {
      viewer: 'signed out',
      title: 'Your invitation expired',
      description: 'An invitation that expired.',
      children: (
        <p>
          It expired <Day at={expiresAt} />. Ask {invitedByUsername ?? 'the person who invited you'}{' '}
          for a new one.
        </p>
      ),
    });
  }
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'You’re invited',
    description: 'An invitation.',
    children: (
      <>
        <InvitedSentence invitation={invitation} />
        <p>
          {canSignUp
            ? 'Create an account, or sign in to yours, to accept.'
            : 'Sign in to accept. If you have no account, ask who runs this server for one.'}
        </p>
        <p class="begin">
          {canSignUp && (
            <a class="primary" href={`/sign-up${next}`}>
              Create account
            </a>
          )}
          <a class={canSignUp ? 'secondary' : 'primary'} href={`/sign-in${next}`}>
            Sign in
          </a>
        </p>
        <form method="post" action={`${path}/decline`}>
          <button type="submit" class="quiet">
            Decline
          </button>
        </form>
        <p class="aside">
          Expires <Day at={expiresAt} />
        </p>
      </>
    ),
  });
}

function InvitedSentence({ invitation }: { invitation: Invitation }): JSX.Element {
  const who = (
    <strong>{invitation.invitedByUsername ?? 'Someone whose account was deleted'}</strong>
  );
  if (invitation.documentId === null) {
    return (
      <p>
        {who} invited you to join <strong>{invitation.organizationName}</strong> as{' '}
        {INVITED_AS[invitation.level]}.
      </p>
    );
  }
  const { level, ownerNamespace, documentName } = invitation;
  return (
    <p>
      {who} invited you to {INVITED_TO[level]}{' '}
      <strong>
        {ownerNamespace} / {documentName}
      </strong>
      .
    </p>
  );
}

/** Says that a link leads to no invitation. */
export function renderNotInvitedPage(site: Site, sentence: string): string {
  return renderAccountPage(site, {
    title: 'No such invitation',
    description: 'The link leads to no invitation.',
    children: (
      <>
        <p>{sentence}</p>
        <p class="aside">If you followed a link in a mail, check that it is complete.</p>
      </>
    ),
  });
}

export function renderDeclinedPage(site: Site): string {
  return renderAccountPage(site, {
    title: 'Declined',
    description: 'The invitation was declined.',
    children: <p>The invitation was declined. You can close this page.</p>,
  });
}
