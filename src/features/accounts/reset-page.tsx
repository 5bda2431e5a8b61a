import type { Faults } from '../../surfaces/web/form.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field, ForAccount, FormFault } from '../../surfaces/web/pages/form-field.tsx';

/** Asks for whom to mail a link to a new password. */
export function renderForgotPage(
  site: Site,
  page: { sendsMail: boolean; name?: string; fault?: string },
): string {
  return renderAccountPage(site, {
    title: 'Forgot your password?',
    description: 'Get a link to a new password.',
    children: page.sendsMail ? (
      <>
        <p>We’ll mail you a link with which you set a new one.</p>
        <FormFault fault={page.fault} />
        <form class="form" method="post" action="/sign-in/forgot">
          <Field
            name="name"
            label="Username or email address"
            value={page.name ?? ''}
            autocomplete="username"
            focused
          />
          <button type="submit" class="primary">
            Send the link
          </button>
        </form>
        <BackToSignIn />
      </>
    ) : (
      <>
        <p>
          This server sends no mail. Ask its operator for a link with which you set a new password.
        </p>
        <BackToSignIn />
      </>
    ),
  });
}

/** Says the same whether or not there is such an account. */
export function renderSentPage(site: Site, page: { name: string }): string {
  return renderAccountPage(site, {
    title: 'Look in your mail',
    description: 'A link to a new password was sent.',
    children: (
      <>
        <p>
          If <bdi>{page.name}</bdi> has an account with a password and a verified address here,
          we’ve sent it a link. It works for an hour.
        </p>
        <p class="aside">
          Nothing came? Look in the spam folder, try your other address, or ask the operator of this
          server.
        </p>
        <BackToSignIn />
      </>
    ),
  });
}

export function renderResetPage(
  site: Site,
  page: {
    token: string;
    username: string;
    /** Whether the account has no password yet. */
    isFirst: boolean;
    faults?: Faults;
  },
): string {
  const { token, username, isFirst, faults = {} } = page;
  const title = isFirst ? 'Choose your password' : 'Set a new password';
  return renderAccountPage(site, {
    title,
    description: `${title}.`,
    children: (
      <>
        <p>
          For the account <strong>{username}</strong>.{!isFirst && ' All its sessions end.'}
        </p>
        <FormFault fault={faults.form} />
        <form class="form" method="post" action={`/sign-in/reset/${token}`}>
          <ForAccount username={username} />
          <Field
            name="password"
            label={isFirst ? 'Password' : 'New password'}
            type="password"
            fault={faults.password}
            hint="At least 8 characters."
            autocomplete="new-password"
            minLength={8}
            focused
          />
          {!isFirst && (
            <label class="choice">
              <input type="checkbox" name="disconnect" value="yes" />
              <span>Somebody else may know the old one: disconnect all apps, too</span>
            </label>
          )}
          <button type="submit" class="primary">
            Set password
          </button>
        </form>
      </>
    ),
  });
}

export function renderResetDonePage(
  site: Site,
  page: { username: string; isFirst: boolean },
): string {
  return renderAccountPage(site, {
    title: 'Your password is set',
    description: 'The new password is set.',
    children: (
      <>
        <p>
          {page.isFirst
            ? `Sign in as ${page.username}.`
            : `All sessions of ${page.username} have ended. Sign in with the new password. Access tokens still work; you can revoke them in the settings.`}
        </p>
        <p>
          <a class="primary" href="/sign-in">
            Sign in
          </a>
        </p>
      </>
    ),
  });
}

export function renderExpiredResetPage(site: Site): string {
  return renderAccountPage(site, {
    title: 'This link doesn’t work',
    description: 'The link to a new password doesn’t work.',
    children: (
      <p>
        It was already used, is too old, or the password or the address has changed since.{' '}
        <a href="/sign-in/forgot">Get a new one</a>, or ask an administrator.
      </p>
    ),
  });
}

function BackToSignIn() {
  return (
    <p class="aside">
      <a href="/sign-in">Back to signing in</a>
    </p>
  );
}
