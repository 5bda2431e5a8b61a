import { sendOwnPage } from '../../surfaces/web/account-parts.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { renderLeavingPage } from '../../surfaces/web/pages/signed-in-page.tsx';
import type { ProviderLinks } from '../accounts/upstream-routes.ts';
import { unlinkIdentity } from './provider-service.ts';
import { PATHS } from './security-page.tsx';

/**
 * Adds the forms that link an account to a sign-in at the provider, and unlink it. Linking begins
 * with a form of this host: otherwise another site could link a stranger's sign-in.
 *
 * @param name the provider's
 */
export function addProviderRoutes(parts: AppParts, name: string, links: ProviderLinks): void {
  const { site } = parts;
  const path = settingsPath('security');

  parts.post(
    PATHS.link,
    parts.proven(async ({ reply, visit }) => {
      const url = await links.leaveToLink(reply, visit, path);
      // A redirect to another host would be blocked by the form's `form-action`.
      return sendOwnPage(reply, renderLeavingPage(site, url, name));
    }),
    undefined,
    { setsUp: true },
  );

  parts.post(
    PATHS.unlink,
    parts.proven((asked) =>
      parts.act(asked, path, async () => {
        const { id } = readForm(asked.request.body, ['id']);
        await unlinkIdentity(asked.call, id, name);
        return { message: `Your account is no longer linked to ${name}.` };
      }),
    ),
  );
}
