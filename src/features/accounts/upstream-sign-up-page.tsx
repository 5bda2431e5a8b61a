import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Accepted, EmailField, UsernameField } from './sign-up-page.tsx';

export interface UpstreamSignUpPage {
  upstreamName: string;
  /** The email address that the provider has verified. Without one, the form asks for it. */
  verifiedEmail: string | undefined;
  values: { username: string; email: string };
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
