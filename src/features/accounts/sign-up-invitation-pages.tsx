import type { JSX } from 'preact';
import { SIGN_UP_INVITATIONS_PATH } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm, CopyLine, EmptyState, FormActions } from '../../surfaces/web/pages/parts.tsx';
import type { ShownSignUpInvitation } from './sign-up-invitation-service.ts';

/** Lists the invitations to sign up, with the form that creates one. */
export function signUpInvitationsPage(
  list: Listed<ShownSignUpInvitation> & {
    /** What was typed into the form, and what is wrong with it. */
    form: { email: string; faults: Faults };
    sendsMail: boolean;
    /** Where people sign in, if only there: then nobody can use an invitation. */
    provider: string | undefined;
  },
): AppPage {
  const { form, sendsMail, provider } = list;
  return administrationPage('invitations', {
    title: 'Invitations to sign up',
    children: (
      <>
        {provider === undefined ? (
          <form class="form" method="post" action={SIGN_UP_INVITATIONS_PATH}>
            <FormFault fault={form.faults.form} />
            <Field
              name="email"
              type="email"
              label="Email address"
              value={form.email}
              hint={`One account can be created with this address, also while sign-ups are closed. ${
                sendsMail ? 'The link is mailed there.' : 'You pass the link on.'
              }`}
              fault={form.faults.email}
              autocomplete="off"
              maxLength={254}
            />
            <FormActions label="Create invitation" />
          </form>
        ) : (
          <p>
            People sign in through {provider} only, and get an account when they first do.
            Invitations to sign up don’t work here.
          </p>
        )}
        {list.items.length === 0 ? (
          <EmptyState title={list.page === 1 ? 'No invitations' : 'Nothing on this page'}>
            <p>Invitations that can still be used appear here.</p>
          </EmptyState>
        ) : (
          <ul class="items" aria-label="Invitations">
            {list.items.map((invitation) => (
              <InvitationItem invitation={invitation} />
            ))}
          </ul>
        )}
        <Pager
          label="Pages of the list"
          list={list}
          path={(page) => `${SIGN_UP_INVITATIONS_PATH}?page=${page}`}
        />
      </>
    ),
  });
}

function InvitationItem({ invitation }: { invitation: ShownSignUpInvitation }): JSX.Element {
  const { id, email, createdByUsername, expiresAt, url } = invitation;
  return (
    <li class="item">
      <span class="thumbnail">
        <Icon name="mail" />
      </span>
      <div class="item-main">
        <strong class="item-title" dir="auto">
          {email}
        </strong>
        <p class="item-facts">
          <span>
            Until <Day at={expiresAt} />
          </span>
          {createdByUsername !== null && <span>by {createdByUsername}</span>}
        </p>
        {url !== null && <CopyLine text={url} label={`The link of ${email}`} />}
      </div>
      <div class="item-end">
        <ButtonForm
          action={`${SIGN_UP_INVITATIONS_PATH}/${id}/revoke`}
          label="Revoke"
          name={`Revoke the invitation of ${email}`}
          class="quiet small"
        />
      </div>
    </li>
  );
}
