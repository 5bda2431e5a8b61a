import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';

/** Asks the visitor to confirm an email address. */
export function renderVerifyPage(
  site: Site,
  page: { username: string; email: string; token: string },
): string {
  return renderAccountPage(site, {
    title: 'Verify your email address',
    description: 'Verify an email address.',
    children: (
      <>
        <p>
          Confirm that {page.email} belongs to {page.username}. We’ll send notifications there.
        </p>
        <form method="post" action={`/verify/${page.token}`}>
          <button type="submit" class="primary">
            Verify address
          </button>
        </form>
        <p class="aside">If you didn’t ask for this, close this page.</p>
      </>
    ),
  });
}

export function renderVerifiedPage(site: Site, page: { username: string; email: string }): string {
  return renderAccountPage(site, {
    title: 'Address verified',
    description: 'The email address is verified.',
    children: (
      <>
        <p>
          Notifications for {page.username} are sent to {page.email}.
        </p>
        <p class="aside">
          Choose which in <a href="/settings/notifications">Settings</a>.
        </p>
      </>
    ),
  });
}

export function renderExpiredLinkPage(site: Site): string {
  return renderAccountPage(site, {
    title: 'This link doesn’t work',
    description: 'The link that verifies an address doesn’t work.',
    children: (
      <p>
        The link was already used, is more than a day old, or the address has changed. Send a new
        one from <a href="/settings/notifications">Settings</a>.
      </p>
    ),
  });
}
