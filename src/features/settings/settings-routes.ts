import type { FastifyReply } from 'fastify';
import { TOPICS } from '../../base/schema/mail.ts';
import { getOwnAccount } from '../../core/identity/account-service.ts';
import {
  endAllSessions,
  endOwnSession,
  listSessions,
} from '../../core/identity/session-service.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import {
  type Faults,
  faultsOf,
  isCorrectable,
  readChoices,
  readForm,
} from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { createFarewell } from '../../surfaces/web/sign-out-notice.ts';
import { addAccountRoutes } from '../accounts/account-routes.ts';
import { appearancePage } from '../accounts/appearance-settings.tsx';
import { changeEmail } from '../accounts/email-service.ts';
import { changePassword, hasPassword, provesByPassword } from '../accounts/password-service.ts';
import { passwordPage } from '../accounts/password-settings.tsx';
import { ownProfilePage } from '../accounts/profile-settings.tsx';
import { sessionsPage } from '../accounts/session-settings.tsx';
import { addTokenRoutes } from '../accounts/token-routes.ts';
import { sendVerificationAgain } from '../accounts/verification-service.ts';
import {
  disconnectApplication,
  getConnectedApplication,
  listConnectedApplications,
  narrowApplication,
} from '../applications/application-service.ts';
import { applicationsPage, narrowPage } from '../applications/application-settings.tsx';
import { PATHS } from '../factors/security-page.tsx';
import { addSecurityRoutes } from '../factors/security-routes.ts';
import { addUploadRoutes } from '../files/upload-routes.ts';
import { notificationSettingsPage } from '../mail/notification-settings.tsx';
import { getWantedTopics, setWantedTopics } from '../mail/preference-service.ts';
import { getOwnProfile, saveOwnProfile } from '../profiles/own-profile-service.ts';
import { type ProfileInput, profileFaults, readProfileForm } from '../profiles/profile-form.ts';
import { addWebhookRoutes } from '../webhooks/webhook-routes.ts';

/** Adds `/settings`, its parts and their forms. */
export function addSettingsRoutes(parts: AppParts): void {
  addProfileRoutes(parts);
  if (parts.site.hasPasswords) addPasswordRoutes(parts);
  addSecurityRoutes(parts);
  addSessionRoutes(parts);
  if (parts.site.sendsMail) addNotificationRoutes(parts);
  addTokenRoutes(parts);
  addApplicationRoutes(parts);
  addWebhookRoutes(parts);
  addUploadRoutes(parts);
  parts.get(settingsPath('appearance'), (asked) => parts.show(asked, appearancePage()));
  addAccountRoutes(parts);
}

function addProfileRoutes(parts: AppParts): void {
  const { limiter, visits } = parts;

  async function show(asked: AppRequest, sent?: Partial<Parameters<typeof ownProfilePage>[0]>) {
    const { call } = asked;
    const [account, withPassword, profile] = await Promise.all([
      getOwnAccount(call),
      hasPassword(call),
      getOwnProfile(call),
    ]);
    const { username, email } = account;
    const page = ownProfilePage({ username, email, hasPassword: withPassword, profile, ...sent });
    return parts.show(asked, page, sent ? 422 : 200);
  }

  parts.post('/settings/profile', async (asked) => {
    let sent: ProfileInput | undefined;
    try {
      sent = await readProfileForm(asked.request);
      await saveOwnProfile(asked.call, sent);
    } catch (error) {
      const faults = profileFaults(error);
      const { hasPicture, ...stored } = await getOwnProfile(asked.call);
      const { displayName, summary } = sent ?? stored;
      const profile = { displayName, summary, hasPicture };
      return show(asked, { profile, profileFaults: faults });
    }
    return parts.goOn(asked, settingsPath('profile'), { message: 'Profile saved.' });
  });

  parts.get(settingsPath('profile'), (asked) => show(asked));

  parts.post(
    '/settings/email',
    parts.proven(
      async (asked) => {
        const { request, reply, call, visit } = asked;
        const form = readForm(request.body, ['email', 'current']);
        try {
          const email = await changeEmail(call, limiter, form);
          if (await provesByPassword(call)) {
            await visits.renew(request, reply, visit, ['password']);
          }
          const message = `Email address changed to ${email}.`;
          return parts.goOn(asked, settingsPath('profile'), { message });
        } catch (error) {
          if (!isCorrectable(error)) throw error;
          return show(asked, { sentEmail: form.email, faults: faultsOf(error) });
        }
      },
      ({ call }) => provesByPassword(call),
    ),
  );
}

function addPasswordRoutes(parts: AppParts): void {
  const { limiter, visits } = parts;

  async function show(asked: AppRequest, faults?: Faults) {
    const { username } = asked.call.actor;
    const withPassword = await hasPassword(asked.call);
    const page = passwordPage({ username, hasPassword: withPassword, ...(faults && { faults }) });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  // The form proves by itself who sends it, if it has a password.
  const proven = (handle: (asked: AppRequest) => Promise<FastifyReply>) =>
    parts.proven(handle, ({ call }) => provesByPassword(call));

  parts.get(
    settingsPath('password'),
    proven((asked) => show(asked)),
  );

  parts.post(
    settingsPath('password'),
    proven(async (asked) => {
      const form = readForm(asked.request.body, ['current', 'password']);
      const { call, visit, request, reply } = asked;
      const { sessionId } = visit;
      try {
        const isProof = await provesByPassword(call);
        const sent = { ...form, sessionId, devices: visits.devicesOf(request) };
        visits.keepDevices(reply, await changePassword(call, limiter, sent));
        if (isProof) await visits.renew(request, reply, visit, ['password']);
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return show(asked, faultsOf(error));
      }
      const message = 'Password changed. You’re signed out everywhere else.';
      return parts.goOn(asked, settingsPath('password'), { message });
    }),
  );
}

function addSessionRoutes(parts: AppParts): void {
  const { visits } = parts;
  const farewell = createFarewell(parts.site.webUrl);

  parts.get(settingsPath('sessions'), async (asked) => {
    const sessions = await listSessions(asked.call);
    const { sessionId } = asked.visit;
    const listed = sessions.map((session) => ({ ...session, isThis: session.id === sessionId }));
    return parts.show(asked, sessionsPage(listed));
  });

  parts.post(
    '/settings/sessions/end',
    parts.proven(async (asked) => {
      const { session } = readForm(asked.request.body, ['session']);
      await endOwnSession(asked.call, session);
      const message = 'Browser signed out.';
      return parts.goOn(asked, settingsPath('sessions'), { message });
    }),
  );

  parts.post(
    PATHS.endOthers,
    parts.proven(async (asked) => {
      await endAllSessions(asked.call, asked.visit.sessionId);
      const message = 'You’re signed out everywhere else.';
      return parts.goOn(asked, settingsPath('sessions'), { message });
    }),
  );

  parts.post(
    '/settings/sessions/end-all',
    parts.proven(async ({ request, reply, call }) => {
      await endAllSessions(call);
      await visits.end(request, reply);
      farewell.set(reply, 'everywhere');
      return seeOther(reply, '/');
    }),
  );
}

function addNotificationRoutes(parts: AppParts): void {
  const path = settingsPath('notifications');

  parts.get(path, async (asked) => {
    const [{ email, emailVerifiedAt }, wanted] = await Promise.all([
      getOwnAccount(asked.call),
      getWantedTopics(asked.call),
    ]);
    return parts.show(
      asked,
      notificationSettingsPage({ email, isVerified: emailVerifiedAt !== null, wanted }),
    );
  });

  parts.post(path, async (asked) => {
    const topics = readChoices(asked.request.body, 'topics', TOPICS);
    await setWantedTopics(asked.call, topics);
    return parts.goOn(asked, path, { message: 'Notifications saved.' });
  });

  parts.post(`${path}/verify`, async (asked) => {
    await sendVerificationAgain(asked.call, parts.limiter);
    return parts.goOn(asked, path, { message: 'Sent. Open the link in the mail within a day.' });
  });
}

function addApplicationRoutes(parts: AppParts): void {
  parts.get(settingsPath('applications'), async (asked) => {
    const applications = await listConnectedApplications(asked.call);
    return parts.show(asked, applicationsPage(applications));
  });

  const path = `${settingsPath('applications')}/:id/permissions`;
  type Route = { Params: { id: string } };

  parts.get<Route>(path, async (asked) => {
    const { id } = asked.request.params;
    const application = await getConnectedApplication(asked.call, id);
    return parts.show(asked, narrowPage({ application, kept: application.scopes, faults: {} }));
  });

  parts.post<Route>(path, async (asked) => {
    const { request, call } = asked;
    const { id } = request.params;
    const application = await getConnectedApplication(call, id);
    const kept = readChoices(request.body, 'scopes', application.scopes);
    try {
      await narrowApplication(call, id, kept);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return parts.show(asked, narrowPage({ application, kept, faults: faultsOf(error) }), 422);
    }
    return parts.goOn(asked, settingsPath('applications'), { message: 'Permissions saved.' });
  });

  parts.post('/settings/applications/disconnect', async (asked) => {
    const { application } = readForm(asked.request.body, ['application']);
    await disconnectApplication(asked.call, application);
    const message = 'App disconnected.';
    return parts.goOn(asked, settingsPath('applications'), { message });
  });
}
