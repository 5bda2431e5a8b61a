import { countAttempt } from '../../core/identity/attempts.ts';
import { getNavigation } from '../../core/owner/navigation-service.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { createFarewell } from '../../surfaces/web/sign-out-notice.ts';
import { deleteAccount, describeAccountDeletion } from './account-deletion-service.ts';
import { accountPage } from './account-settings.tsx';
import { hasPassword, provesByPassword } from './password-service.ts';
import { personalData } from './personal-data-service.ts';

/** Adds `/settings/account`, where users export everything and delete their account. */
export function addAccountRoutes(parts: AppParts): void {
  const { context, limiter, visits } = parts;
  const farewell = createFarewell(parts.site.webUrl);

  async function show(asked: AppRequest, faults?: Faults) {
    const { call } = asked;
    const [deletion, withPassword, { organizations }] = await Promise.all([
      describeAccountDeletion(call),
      hasPassword(call),
      getNavigation(call),
    ]);
    const page = accountPage({
      username: call.actor.username,
      hasPassword: withPassword,
      deletion,
      administered: organizations.filter(({ role }) => role === 'admin'),
      faults: faults ?? {},
    });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(settingsPath('account'), (asked) => show(asked));

  parts.get(
    '/settings/account/data',
    parts.proven(
      parts.inTurn(async ({ reply, call }) => {
        await countAttempt(limiter, [['webExport', call.actor.id]]);
        const name = `briefs-data-${call.actor.username}-${context.now().slice(0, 10)}.json`;
        return reply
          .headers({
            'content-type': 'application/json; charset=utf-8',
            'content-disposition': `attachment; filename="${name}"`,
            'cache-control': 'private, no-store',
          })
          .send(await personalData(context, call.actor.username));
      }),
    ),
  );

  parts.post(
    '/settings/account/delete',
    parts.proven(
      async (asked) => {
        const { request, reply, call } = asked;
        const form = readForm(request.body, ['confirmation', 'password']);
        try {
          await deleteAccount(call, limiter, form);
        } catch (error) {
          if (!isCorrectable(error)) throw error;
          return show(asked, faultsOf(error));
        }
        await visits.end(request, reply);
        farewell.set(reply, 'deleted');
        return seeOther(reply, '/');
      },
      ({ call }) => provesByPassword(call),
    ),
  );
}
