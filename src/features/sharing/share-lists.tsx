import type { JSX } from 'preact';
import { levelOfMembers } from '../../core/document/access-rules.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { LEVEL_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { AddressRow, MenuForm, UserRow } from './access-forms.tsx';
import type { Collaborator, PendingInvitation, SharePage } from './share-state.ts';

export function CollaboratorList({ page }: { page: SharePage }): JSX.Element {
  const { collaborators, document } = page;
  const path = documentPath('share', document);
  return (
    <>
      <ul class="items">
        {collaborators.page === 1 && <OwnerRow page={page} />}
        {collaborators.items.map((collaborator) => (
          <CollaboratorRow page={page} collaborator={collaborator} />
        ))}
      </ul>
      <Pager
        label="People, result pages"
        list={collaborators}
        path={(number) => `${path}?people=${number}`}
      />
    </>
  );
}

function OwnerRow({ page }: { page: SharePage }): JSX.Element {
  const { owner, document } = page;
  const { organization, namespace } = owner;
  if (!organization) {
    return (
      <UserRow username={namespace} isViewer={namespace === page.viewer}>
        <span class="role">Owner</span>
      </UserRow>
    );
  }
  const members = levelOfMembers(document.visibility, organization.defaultBriefPermission);
  return (
    <li class="item person">
      <span class="avatar">
        <Icon name="building-2" />
      </span>
      <div class="item-main">
        <span class="item-title">{organization.name}</span>
        <p class="item-facts">
          <span>Admins have full access</span>
          {members !== 'none' && (
            <span>members {members === 'write' ? 'can edit' : 'can read'}</span>
          )}
        </p>
      </div>
      <div class="item-end">
        <span class="role">Owner</span>
      </div>
    </li>
  );
}

function CollaboratorRow(row: { page: SharePage; collaborator: Collaborator }): JSX.Element {
  const { page, collaborator } = row;
  const { username, permission } = collaborator;
  const path = documentPath('share', page.document);
  const document = page.document.id;
  const isViewer = username === page.viewer;
  if (!page.mayShare) {
    return (
      <UserRow username={username} isViewer={isViewer}>
        <span class="role">{LEVEL_LABELS[permission]}</span>
      </UserRow>
    );
  }
  return (
    <UserRow username={username} isViewer={isViewer}>
      <MenuForm
        action={`${path}/people/level`}
        fields={{ document, username, from: permission }}
        name="permission"
        label={`Level of ${username}`}
        options={LEVEL_LABELS}
        value={permission}
      />
      <ButtonForm
        action={`${path}/people/remove`}
        fields={{ document, username, permission }}
        label="Remove"
        name={`Remove ${username}`}
        class="quiet"
      />
    </UserRow>
  );
}

/** Lists pending invitations, if there are any. */
export function InvitationList({ page }: { page: SharePage }): JSX.Element | null {
  const { invitations, addresses, document } = page;
  if (invitations.total === 0 && addresses.length === 0) return null;
  const path = documentPath('share', document);
  return (
    <section aria-labelledby="share-invitations">
      <h3 id="share-invitations">Invited</h3>
      <ul class="items">
        {invitations.items.map((invitation) => (
          <InvitationRow document={document.id} path={path} invitation={invitation} />
        ))}
        {invitations.page === 1 &&
          addresses.map(({ id, email, level, expiresAt, isExpired, url }) => (
            <AddressRow
              email={email}
              level={LEVEL_LABELS[level]}
              expiresAt={expiresAt}
              isExpired={isExpired}
              url={url}
              cancel={{
                action: `${path}/addresses/cancel`,
                fields: { document: document.id, invitation: id },
              }}
            />
          ))}
      </ul>
      <Pager
        label="Invitations, result pages"
        list={invitations}
        path={(number) => `${path}?invited=${number}`}
      />
    </section>
  );
}

function InvitationRow(row: {
  document: string;
  path: string;
  invitation: PendingInvitation;
}): JSX.Element {
  const { document, path, invitation } = row;
  const { id, recipientUsername: username, level: permission, expiresAt, isExpired } = invitation;
  const facts = isExpired ? (
    <span class="expired">
      Expired <Day at={expiresAt} />
    </span>
  ) : (
    <span>
      Expires <Day at={expiresAt} />
    </span>
  );
  return (
    <UserRow username={username} facts={facts}>
      {isExpired ? (
        <>
          <span class="role">{LEVEL_LABELS[permission]}</span>
          <ButtonForm
            action={`${path}/people`}
            fields={{ document, username, permission }}
            label="Invite again"
            name={`Invite ${username} again`}
          />
        </>
      ) : (
        <MenuForm
          action={`${path}/invitations/level`}
          fields={{ document, invitation: id, username, from: permission }}
          name="permission"
          label={`Level of ${username}, invited`}
          options={LEVEL_LABELS}
          value={permission}
        />
      )}
      <ButtonForm
        action={`${path}/invitations/cancel`}
        fields={{ document, invitation: id }}
        label="Cancel"
        name={`Cancel the invitation for ${username}`}
        class="quiet"
      />
    </UserRow>
  );
}
