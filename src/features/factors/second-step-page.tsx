import { SECOND_FACTOR_PATH } from '../../surfaces/web/browser-session.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { PasskeyForm } from '../../surfaces/web/pages/passkey-form.tsx';

/** Asks who has given a password for the second factor. */
export function renderSecondStepPage(
  site: Site,
  page: { username: string; hasCodes: boolean; hasPasskeys: boolean; faults?: Faults },
): string {
  const { username, hasCodes, hasPasskeys, faults = {} } = page;
  const passkey = hasPasskeys && (
    <div class="alternative">
      <PasskeyForm
        act="get"
        action={`${SECOND_FACTOR_PATH}/passkey`}
        options={`${SECOND_FACTOR_PATH}/options`}
        label="Use a passkey"
        isWide
        class={hasCodes ? 'secondary' : 'primary'}
      />
    </div>
  );
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'One more step',
    description: 'Sign in with a second factor.',
    scripts: hasPasskeys ? ['passkey.js'] : [],
    children: (
      <>
        <p>
          Signing in as <strong>{username}</strong>.
        </p>
        <FormFault fault={faults.form} />
        {!hasCodes && passkey}
        <form
          class={hasCodes ? 'form' : 'form alternative'}
          method="post"
          action={SECOND_FACTOR_PATH}
        >
          <Field
            name="code"
            label={hasCodes ? 'Code' : 'Recovery code'}
            fault={faults.code}
            hint={
              hasCodes
                ? 'From the app that you set up. Without it, one of your recovery codes.'
                : 'If you don’t have the passkey. Each code works once.'
            }
            autocomplete="one-time-code"
            maxLength={40}
            focused={hasCodes || faults.code !== undefined}
          />
          <button type="submit" class={hasCodes ? 'primary' : 'secondary'}>
            Sign in
          </button>
        </form>
        {hasCodes && passkey}
        <p class="aside">
          Lost both? An administrator of this server can remove your second factor.{' '}
          <a href="/sign-in">Sign in to another account</a>
        </p>
      </>
    ),
  });
}
