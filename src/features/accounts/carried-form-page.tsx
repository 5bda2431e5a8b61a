import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import type { CarriedForm } from './carried-form.ts';

/** Sends a form that waited until its user had proved who they are. */
export function renderCarriedFormPage(
  site: Site,
  page: { username: string; form: CarriedForm },
): string {
  const { username, form } = page;
  return renderAccountPage(site, {
    viewer: { username },
    title: 'Thank you',
    description: 'Go on with your change.',
    children: (
      <form class="form" method="post" action={form.action}>
        {form.fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <p>You’ve shown that it’s you. Go on with your change.</p>
        <button type="submit" class="primary" autofocus>
          Go on
        </button>
      </form>
    ),
  });
}
