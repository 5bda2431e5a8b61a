import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field } from '../../surfaces/web/pages/form-field.tsx';

/** Renders the form that asks for a secret link's password. It says nothing about the document. */
export function renderLockedPage(site: Site, page: { path: string; fault?: string }): string {
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'This link asks for a password',
    description: 'A link with a password.',
    children: (
      <>
        <p>Whoever gave you the link knows the password.</p>
        <form class="form" method="post" action={`${page.path}/password`}>
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="off"
            fault={page.fault}
            focused
          />
          <button type="submit" class="primary">
            Open
          </button>
        </form>
      </>
    ),
  });
}
