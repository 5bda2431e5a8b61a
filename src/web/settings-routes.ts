import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getOwnAccount } from '../account/account-service.ts';
import { changePassword, hasPassword } from '../account/password-service.ts';
import {
  endAllSessions,
  endOwnSession,
  listSessions,
  type Visit,
} from '../account/session-service.ts';
import { type AccountParts, FORM_LIMIT_BYTES, seeOther, sendOwnPage } from './account-parts.ts';
import { type Faults, faultsOf, readForm } from './form.ts';
import { signInPath } from './next-path.ts';
import { renderSettingsPage } from './pages/settings-page.tsx';
import { isCorrectable } from './sign-up-routes.ts';

/** What `?done=…` says; never anything of the address itself. */
const DONE = new Map([
  ['password', 'Your password is changed. You are signed out everywhere else.'],
  ['session', 'That browser is signed out.'],
  ['application', 'That application no longer acts for you.'],
]);

/** `/settings` and what its forms do. Whoever is not signed in is sent to do so. */
export function addSettingsRoutes(app: FastifyInstance, parts: AccountParts): void {
  const { context, limiter, site, visits, applications } = parts;

  async function render(visit: Visit, page: { done?: string; faults?: Faults }): Promise<string> {
    const { actor, sessionId } = visit;
    const [account, sessions, connected, withPassword] = await Promise.all([
      getOwnAccount(context, actor),
      listSessions(context, actor),
      applications.of(actor),
      hasPassword(context, actor),
    ]);
    return renderSettingsPage(site, {
      username: account.username,
      email: account.email,
      hasPassword: withPassword,
      sessions: sessions.map((session) => ({ ...session, isThis: session.id === sessionId })),
      applications: connected,
      done: page.done,
      faults: page.faults ?? {},
    });
  }

  /** A form of this page, for whoever is signed in. */
  const onPost = (
    path: string,
    handle: (request: FastifyRequest, reply: FastifyReply, visit: Visit) => Promise<FastifyReply>,
  ) =>
    app.post(path, { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
      const visit = await visits.visitOf(request);
      return visit ? handle(request, reply, visit) : seeOther(reply, signInPath('/settings'));
    });

  app.get<{ Querystring: { done?: unknown } }>('/settings', async (request, reply) => {
    const visit = await visits.visitOf(request);
    if (!visit) return seeOther(reply, signInPath('/settings'));
    const done = DONE.get(String(request.query.done));
    return sendOwnPage(reply, await render(visit, { ...(done && { done }) }));
  });

  onPost('/settings/password', async (request, reply, visit) => {
    const form = readForm(request.body, ['current', 'password']);
    const { actor, sessionId } = visit;
    try {
      const device = await changePassword(context, limiter, actor, { ...form, sessionId });
      visits.keepDevice(reply, device);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return sendOwnPage(reply, await render(visit, { faults: faultsOf(error) }), 422);
    }
    return seeOther(reply, '/settings?done=password');
  });

  onPost('/settings/sessions/end', async (request, reply, { actor }) => {
    await endOwnSession(context, actor, readForm(request.body, ['session']).session);
    return seeOther(reply, '/settings?done=session');
  });

  onPost('/settings/sessions/end-all', async (request, reply, { actor }) => {
    await endAllSessions(context, actor);
    await visits.end(request, reply);
    return seeOther(reply, '/');
  });

  onPost('/settings/applications/disconnect', async (request, reply, { actor }) => {
    await applications.disconnect(actor, readForm(request.body, ['application']).application);
    return seeOther(reply, '/settings?done=application');
  });
}
