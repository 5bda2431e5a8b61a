import type { JSX } from 'preact';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';
import type {
  EmailInvitationRow,
  InvitationToOrganization,
} from '../invitations/email-invitation-store.ts';
import {
  DocumentCard,
  type DocumentInvited,
  ExpiredInvitation,
  OrganizationCard,
  type OrganizationInvited,
} from './invitation-cards.tsx';

export interface InvitationsPage {
  documents: readonly DocumentInvited[];
  organizations: readonly OrganizationInvited[];
  expiredDocuments: readonly DocumentInvited[];
  expiredOrganizations: readonly OrganizationInvited[];
  /** The number of pending invitations, including ones not listed here. */
  total: number;
}

/** Shows one invitation, at the address of its document or organization. */
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

/** Shows a mailed invitation to a signed-in user who opened its link. */
export function mailedInvitationPage(page: {
  invitation: EmailInvitationRow;
  isExpired: boolean;
  /** The path of this page. */
  path: string;
  /** The viewer's username. */
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

/**
 * Removes `kind`, which is `null` in rows of invitations to organizations. Code here takes an
 * invitation that has `kind` as one to a document.
 */
function withoutKind(invitation: InvitationToOrganization): InvitationToOrganization {
  const { kind: _, ...invited } = invitation as InvitationToOrganization & { kind?: null };
  return invited;
}

interface Expiring {
  isExpired: boolean;
}

/** Lists the user's pending invitations, and those that expired recently. */
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
