import type { JSX } from 'preact';
import { SIGN_UP_INVITATIONS_PATH } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { ButtonForm, CopyLine, EmptyState } from '../../surfaces/web/pages/parts.tsx';
import {
  DEFAULT_DAYS,
  MAX_DAYS,
  MAX_NOTE,
  MAX_USES,
  type ShownSignUpInvitation,
} from './sign-up-invitation-service.ts';

/** What was typed into the form, and what is wrong with it. */
export interface InvitationForm {
  email: string;
  uses: string;
  expiresIn: string;
  note: string;
  faults: Faults;
}

export const EMPTY_FORM: InvitationForm = {
  email: '',
  uses: '1',
  expiresIn: `${DEFAULT_DAYS}`,
  note: '',
  faults: {},
};

/** Lists the invitations to sign up, with the form that creates one. */
export function signUpInvitationsPage(
  list: Listed<ShownSignUpInvitation> & {
    form: InvitationForm;
    sendsMail: boolean;
    /** Where people sign in, if only there: then nobody can use an invitation. */
    provider: string | undefined;
  },
): AppPage {
  return administrationPage('invitations', {
    title: 'Invitations to sign up',
    children: (
      <>
        {list.provider === undefined ? (
          <>
            <p class="aside">
              Whoever has the link of an invitation can create an account, also while sign-ups are
              closed.
            </p>
            <CreateForm form={list.form} sendsMail={list.sendsMail} />
          </>
        ) : (
          <p>
            People sign in through {list.provider} only, and get an account when they first do.
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

function CreateForm(props: { form: InvitationForm; sendsMail: boolean }): JSX.Element {
  const { form, sendsMail } = props;
  return (
    <form class="form" method="post" action={SIGN_UP_INVITATIONS_PATH}>
      <FormFault fault={form.faults.form} />
      <Input
        name="email"
        type="email"
        label="For one email address"
        value={form.email}
        hint={
          sendsMail
            ? 'The link is mailed there, and no other address can use it. Leave it empty for a link that you pass on.'
            : 'No other address can use the link. Leave it empty for any.'
        }
        fault={form.faults.email}
      />
      <Input
        name="uses"
        type="number"
        label="How many accounts"
        value={form.uses}
        most={MAX_USES}
        fault={form.faults.uses}
      />
      <Input
        name="expiresIn"
        type="number"
        label="Days until it ends"
        value={form.expiresIn}
        most={MAX_DAYS}
        fault={form.faults.expiresIn}
      />
      <Input
        name="note"
        type="text"
        label="Note, for administrators"
        value={form.note}
        fault={form.faults.note}
      />
      <p class="form-actions">
        <button type="submit" class="primary">
          Create invitation
        </button>
      </p>
    </form>
  );
}

function Input(field: {
  name: string;
  type: 'email' | 'number' | 'text';
  label: string;
  value: string;
  hint?: string;
  fault: string | undefined;
  most?: number;
}): JSX.Element {
  const { name, type, label, value, hint, fault, most } = field;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        // Preact's types have one element per input type and reject the union.
        type={type as 'text'}
        value={value}
        autocomplete="off"
        min={most && 1}
        max={most}
        required={most !== undefined}
        maxLength={type === 'text' ? MAX_NOTE : undefined}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={hint && `${name}-hint`}
      />
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault && <p class="fault">{fault}</p>}
    </div>
  );
}

function InvitationItem({ invitation }: { invitation: ShownSignUpInvitation }): JSX.Element {
  const { id, email, note, uses, used, createdByUsername, expiresAt, url } = invitation;
  const name = email ?? (note || 'A link');
  return (
    <li class="item">
      <span class="thumbnail">
        <Icon name={email === null ? 'link' : 'mail'} />
      </span>
      <div class="item-main">
        <strong class="item-title" dir="auto">
          {name}
        </strong>
        <p class="item-facts">
          {email !== null && note !== '' && <span dir="auto">{note}</span>}
          <span>
            {used} of {uses} used
          </span>
          <span>
            Until <Day at={expiresAt} />
          </span>
          {createdByUsername !== null && <span>by {createdByUsername}</span>}
        </p>
        {url !== null && <CopyLine text={url} label={`The link of ${name}`} />}
      </div>
      <div class="item-end">
        <ButtonForm
          action={`${SIGN_UP_INVITATIONS_PATH}/${id}/revoke`}
          label="Revoke"
          name={`Revoke the invitation of ${name}`}
          class="quiet small"
        />
      </div>
    </li>
  );
}
