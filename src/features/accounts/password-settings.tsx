import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, ForAccount, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { CurrentPassword } from './current-password.tsx';

export function passwordPage(page: {
  username: string;
  hasPassword: boolean;
  faults?: Faults;
}): AppPage {
  const { username, hasPassword, faults = {} } = page;
  return settingsPage(
    'password',
    <section aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form class="form" method="post" action="/settings/password">
        <FormFault fault={faults.form} />
        <ForAccount username={username} />
        {hasPassword ? (
          <CurrentPassword name="current" label="Current password" faults={faults} />
        ) : (
          <p class="aside">
            You don’t have a password yet. With one, you can also sign in with your username.
          </p>
        )}
        <Field
          name="password"
          label="New password"
          type="password"
          fault={faults.password}
          hint="At least 8 characters. Changing it signs you out everywhere else. Your tokens and apps keep working."
          autocomplete="new-password"
          minLength={8}
          focused={faults.password !== undefined}
        />
        <FormActions label={hasPassword ? 'Change password' : 'Set password'} />
      </form>
    </section>,
  );
}
