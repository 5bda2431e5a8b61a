import { signInPath } from '../../surfaces/web/next-path.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Accepted, EmailField, UsernameField } from './sign-up-page.tsx';

export interface UpstreamSignUpPage {
  upstreamName: string;
  /** The email address that the provider has verified. Without one, the form asks for it. */
  verifiedEmail: string | undefined;
  values: { username: string; email: string };
  /** Whether an account has the address of the form. */
  isAddressUsed?: boolean;
  /** Error sentences by field, or under `form`. */
  faults: Readonly<Record<string, string>>;
}

/**
 * Renders the form in which a person chooses a username at their first sign-in through the
 * provider.
 */
export function renderUpstreamSignUpPage(site: Site, page: UpstreamSignUpPage): string {
  const { upstreamName, verifiedEmail, values, faults } = page;
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'Choose a username',
    description: 'The last step of your first sign-in.',
    children: (
      <>
        <p class="aside">
          You’re signed in with {upstreamName}
          {verifiedEmail !== undefined && (
            <>
              {' '}
              (<strong>{verifiedEmail}</strong>)
            </>
          )}
          . Choose a username to create your account here. You’ll sign in to it with {upstreamName}.
        </p>
        <FormFault fault={faults.form ?? (verifiedEmail && faults.email)} />
        {page.isAddressUsed && (
          <p>
            If the account with this address is yours,{' '}
            <a href={signInPath('/settings/security')}>sign in to it</a>, then link {upstreamName}{' '}
            in <strong>Settings → Security</strong>. If it isn’t, ask an administrator of this
            server.
          </p>
        )}
        <form class="form" method="post" action="/sign-up/upstream">
          <UsernameField site={site} value={values.username} fault={faults.username} />
          {verifiedEmail === undefined && <EmailField value={values.email} fault={faults.email} />}
          <Accepted site={site} />
          <button type="submit" class="primary">
            Create account
          </button>
        </form>
      </>
    ),
  });
}

/** Says how somebody links an account that has the address already. */
export function renderHasAccountPage(
  site: Site,
  page: { upstreamName: string; email: string; passwords: 'on' | 'off' },
): string {
  const { upstreamName, email, passwords } = page;
  const way = passwords === 'on' ? 'with your password' : 'with a passkey';
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'You have an account here',
    description: `It isn’t linked to your sign-in at ${upstreamName} yet.`,
    children: (
      <>
        <p>
          You have an account here with this address, <strong>{email}</strong>. Sign in {way}, then
          link {upstreamName} in <strong>Settings → Security</strong>.
        </p>
        <p class="aside">
          If {passwords === 'off' && 'you have no passkey, or '}the account isn’t yours, ask an
          administrator of this server.
        </p>
        <p class="form-actions">
          <a class="primary" href={signInPath('/settings/security')}>
            Sign in and link
          </a>
        </p>
      </>
    ),
  });
}
