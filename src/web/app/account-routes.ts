import ms from 'ms';
import { deleteAccount, describeAccountDeletion } from '../../account/account-deletion-service.ts';
import { hasPassword } from '../../account/password-service.ts';
import { getNavigation } from '../../organization/navigation-service.ts';
import { seeOther } from '../account-parts.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../form.ts';
import { accountPage } from '../pages/app/settings/account.tsx';
import { settingsPath } from '../pages/app/settings/settings-page.tsx';
import { createFarewell } from '../sign-out-notice.ts';
import type { AppParts, AppRequest } from './app-parts.ts';

/** Adds `/settings/account`, where users export everything and delete their account. */
export function addAccountRoutes(parts: AppParts): void {
  const { context, limiter, visits } = parts;
  const farewell = createFarewell(parts.site.webUrl);

  async function show(asked: AppRequest, faults?: Faults) {
    const { actor } = asked;
    const [deletion, withPassword, { organizations }] = await Promise.all([
      describeAccountDeletion(context, actor),
      hasPassword(context, actor),
      getNavigation(context, actor),
    ]);
    const page = accountPage({
      username: actor.username,
      usernameReserved:
        context.namespaceReservedMs > 0
          ? ms(context.namespaceReservedMs, { long: true })
          : undefined,
      hasPassword: withPassword,
      deletion,
      administered: organizations.filter(({ role }) => role === 'admin'),
      faults: faults ?? {},
    });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(settingsPath('account'), (asked) => show(asked));

  parts.post('/settings/account/delete', async (asked) => {
    const { request, reply, actor } = asked;
    const form = readForm(request.body, ['confirmation', 'password']);
    try {
      await deleteAccount(context, limiter, actor, form);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(asked, faultsOf(error));
    }
    await visits.end(request, reply);
    farewell.set(reply, 'deleted');
    return seeOther(reply, '/');
  });
}
