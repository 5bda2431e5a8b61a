import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { profilePath } from '../../surfaces/web/pages/format.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { type ProfileFields, ProfileForm } from '../profiles/profile-fields.tsx';
import { CurrentPassword } from './current-password.tsx';

export function ownProfilePage(page: {
  username: string;
  email: string;
  hasPassword: boolean;
  /** The submitted address, shown again after an error. */
  sentEmail?: string;
  faults?: Faults;
  profile: ProfileFields;
  /** The errors of the profile's form. */
  profileFaults?: Faults;
}): AppPage {
  const { username, email, hasPassword, sentEmail = email, faults = {} } = page;
  return settingsPage(
    'profile',
    <>
      <section aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <dl class="identity">
          <dt>Username</dt>
          <dd>
            <a href={profilePath(username)}>{username}</a>
          </dd>
          <dt>Email address</dt>
          <dd>{email}</dd>
        </dl>
        <p class="aside">You can’t change your username, because links depend on it.</p>
        <ProfileForm
          action="/settings/profile"
          owner={username}
          fields={page.profile}
          faults={page.profileFaults ?? {}}
        />
      </section>
      <section aria-labelledby="email-title">
        <h2 id="email-title">Change email address</h2>
        <form class="form" method="post" action="/settings/email">
          <FormFault fault={faults.form} />
          <Field
            name="email"
            label="New email address"
            type="email"
            value={sentEmail}
            fault={faults.email}
            hint="You can sign in with it. Only you and the administrators can see it."
            autocomplete="email"
            focused={faults.email !== undefined}
          />
          {hasPassword && (
            <CurrentPassword name="current" label="Current password" faults={faults} />
          )}
          <FormActions label="Change email address" />
        </form>
      </section>
    </>,
  );
}
