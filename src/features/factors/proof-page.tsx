import type { JSX } from 'preact';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, ForAccount, FormFault, Next } from '../../surfaces/web/pages/form-field.tsx';
import { PasskeyForm } from '../../surfaces/web/pages/passkey-form.tsx';
import { type CarriedForm, CONFIRM_UPSTREAM_PATH } from '../accounts/carried-form.ts';

/** The fields of a proof, which come with any form. */
export const PROOF_FIELDS = ['proof_password', 'proof_code', 'proof_credential'] as const;

export const PROOF_OPTIONS_PATH = '/settings/confirm/options';

interface ProofPage {
  username: string;
  hasPassword: boolean;
  hasCodes: boolean;
  hasPasskeys: boolean;
  /** The provider's name, if the account is linked to it. */
  upstreamName: string | undefined;
  /** Whether a form needs the proof, not a screen. */
  isForm: boolean;
  /** Where the form goes that needs the proof, and what it sends. */
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
  /** Where the provider leads back to. */
  next: string;
  faults: Faults;
}

/** Asks users again who they are, and then sends the form that needs it. */
export function proofPage(page: ProofPage): AppPage {
  const { hasPassword, hasCodes, hasPasskeys, upstreamName, faults, action } = page;
  const hidden = page.fields.map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ));
  const screen = dialogScreen({
    title: 'Confirm that it’s you',
    place: 'settings',
    isQuestion: true,
    children: (
      <>
        <p>For a change like this, sign in again. Then you aren’t asked for 15 minutes.</p>
        <FormFault fault={faults.form} />
        {hasPassword && (
          <form class="form" method="post" action={action} data-once>
            {hidden}
            <ForAccount username={page.username} />
            <Field
              name="proof_password"
              label="Password"
              type="password"
              fault={faults.proof_password}
              autocomplete="current-password"
              focused
            />
            <Send isFirst />
          </form>
        )}
        {hasPasskeys && (
          <PasskeyForm
            act="get"
            action={action}
            options={PROOF_OPTIONS_PATH}
            field="proof_credential"
            label="Use a passkey"
            class={hasPassword ? 'secondary' : 'primary'}
          >
            {hidden}
          </PasskeyForm>
        )}
        {hasCodes && (
          <form class="form" method="post" action={action} data-once>
            {hidden}
            <Field
              name="proof_code"
              label="Code from your app, or a recovery code"
              fault={faults.proof_code}
              autocomplete="one-time-code"
              maxLength={40}
              focused={!hasPassword || faults.proof_code !== undefined}
            />
            <Send isFirst={!hasPassword} />
          </form>
        )}
        {upstreamName !== undefined && (
          <form class="form" method="post" action={CONFIRM_UPSTREAM_PATH}>
            <Next path={page.next} />
            {page.isForm && <input type="hidden" name="form" value={carried(page)} />}
            <p class="form-actions">
              <button type="submit" class={hasPassword || hasPasskeys ? 'secondary' : 'primary'}>
                Sign in with {upstreamName}
              </button>
            </p>
          </form>
        )}
      </>
    ),
  });
  return {
    ...screen,
    stylesheets: ['security.css'],
    scripts: hasPasskeys ? ['passkey.js', 'proof.js'] : ['proof.js'],
  };
}

/** Returns a form as it is carried to the provider and back. */
function carried({ action, fields }: ProofPage): string {
  return JSON.stringify({ action, fields } satisfies CarriedForm);
}

function Send({ isFirst }: { isFirst: boolean }): JSX.Element {
  return (
    <p class="form-actions">
      <button type="submit" class={isFirst ? 'primary' : 'secondary'}>
        Confirm
      </button>
    </p>
  );
}
