import type { Site } from './assets.ts';
import { FormFault } from './form-field.tsx';
import { renderPeoplePage } from './people-page.tsx';
import { EmailField, UsernameField } from './sign-up-page.tsx';

export interface UpstreamSignUpPage {
  /** What people call the provider. */
  upstreamName: string;
  /** The address that the provider has verified; else the visitor is asked for one. */
  verifiedEmail: string | undefined;
  values: { username: string; email: string };
  /** What is wrong: a sentence by field, or by `form`. */
  faults: Readonly<Record<string, string>>;
}

/** The first time that somebody comes through the provider: which name to go by here. */
export function renderUpstreamSignUpPage(site: Site, page: UpstreamSignUpPage): string {
  const { upstreamName, verifiedEmail, values, faults } = page;
  return renderPeoplePage(site, {
    viewer: 'signed out',
    title: 'Choose a username',
    description: 'The last step of signing in for the first time.',
    children: (
      <>
        <p class="aside">
          {upstreamName} has confirmed who you are
          {verifiedEmail !== undefined && (
            <>
              {' '}
              (<strong>{verifiedEmail}</strong>)
            </>
          )}
          . This makes an account here that you enter through {upstreamName}.
        </p>
        <FormFault fault={faults.form ?? (verifiedEmail && faults.email)} />
        <form class="form" method="post" action="/sign-up/upstream">
          <UsernameField site={site} value={values.username} fault={faults.username} />
          {verifiedEmail === undefined && <EmailField value={values.email} fault={faults.email} />}
          <button type="submit" class="primary">
            Make the account
          </button>
        </form>
      </>
    ),
  });
}
