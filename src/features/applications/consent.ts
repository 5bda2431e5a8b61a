import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { type Actor, type Context, callOf } from '../../core/context.ts';
import { REACHING_SCOPES } from '../../core/identity/reach.ts';
import { ALL_SCOPES, type Scope } from '../../core/identity/scope.ts';
import {
  CONNECTING_PROOF_MS,
  isProven,
  type Visit as Session,
} from '../../core/identity/session-service.ts';
import { listDemands } from '../../core/owner/program-service.ts';
import { FORM_LIMIT_BYTES, seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { CONFIRM_PATH } from '../../surfaces/web/app-parts.ts';
import type { Visits } from '../../surfaces/web/browser-session.ts';
import { leadingTo, signInPath } from '../../surfaces/web/next-path.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { type ConsentPage, renderConsentPage } from './consent-page.tsx';
import { applyDecision, decide, getGrantableRequest } from './consent-service.ts';
import { renderDeviceAnswered } from './device-page.tsx';
import { formActionSource } from './redirect-uri.ts';

type Visit = FastifyRequest<{ Params: { uid: string } }>;

/**
 * Adds `/authorize/{uid}`, where a user decides about an application's request. The browser carries
 * the decision to the API's host as a one-time code. A cookie there proves that the same browser
 * began the request. About a device without a browser, it is applied at once.
 */
export function addConsentRoutes(
  app: FastifyInstance,
  parts: {
    context: Context;
    site: Site;
    visits: Visits;
  },
): void {
  const { context, site, visits } = parts;
  const isStale = (session: Session) => !isProven(context, session, CONNECTING_PROOF_MS);

  const show = async (
    reply: FastifyReply,
    page: { uid: string; actor: Actor; request: AuthorizationRequest },
    refused?: Partial<Pick<ConsentPage, 'fault' | 'chosen' | 'reach' | 'reachFault'>>,
  ): Promise<FastifyReply> => {
    if (!page.request.device) allowFormTo(reply, [site.baseUrl, page.request.redirectUri]);
    const html = renderConsentPage(site, {
      path: pathOf(page.uid),
      username: page.actor.username,
      request: page.request,
      chosen: preselected(page.request.scopes),
      reach: '',
      demands: await listDemands(context, page.actor, 'application'),
      ...refused,
    });
    return sendOwnPage(reply, html, refused ? 422 : 200);
  };

  app.get('/authorize/:uid', { config: { secretPath: true } }, async (visit: Visit, reply) => {
    const { uid } = visit.params;
    const session = await visits.visitOf(visit);
    if (!session) return seeOther(reply, signInPath(pathOf(uid)));
    const { actor } = session;
    const request = await getGrantableRequest(context, actor, uid);
    if (isStale(session)) return seeOther(reply, leadingTo(CONFIRM_PATH, pathOf(uid)));
    return show(reply, { uid, actor, request });
  });

  app.post(
    '/authorize/:uid',
    { config: { secretPath: true }, bodyLimit: FORM_LIMIT_BYTES },
    async (visit: Visit, reply) => {
      const { uid } = visit.params;
      const session = await visits.visitOf(visit);
      if (!session) return seeOther(reply, signInPath(pathOf(uid)));
      const { actor } = session;
      const request = await getGrantableRequest(context, actor, uid);
      const { username, decision, scopes, reach } = readDecision(visit.body);
      if (username !== undefined && username !== actor.username) {
        const fault = `You’re now signed in as ${actor.username}. Check the request and decide again.`;
        return show(reply, { uid, actor, request }, { fault });
      }
      const allow = decision === 'allow';
      if (!allow && decision !== 'deny') return show(reply, { uid, actor, request });
      if (allow && !request.scopes.some((scope) => scopes.includes(scope))) {
        const fault = 'Choose at least one permission, or deny the request.';
        return show(reply, { uid, actor, request }, { fault, chosen: [] });
      }
      if (allow && isStale(session)) return seeOther(reply, leadingTo(CONFIRM_PATH, pathOf(uid)));
      const decided = { allow, scopes, reach: allow ? reach : '' };
      const code = await decide(callOf(context, actor), uid, decided).catch((error: unknown) => {
        if (error instanceof FieldError && error.field === 'reach') return error;
        throw error;
      });
      if (code instanceof FieldError) {
        const kept = { chosen: scopes, reach, reachFault: code.problem };
        return show(reply, { uid, actor, request }, kept);
      }
      if (request.device) {
        await applyDecision(context, uid, code);
        const answered = { username: actor.username, name: request.clientName, allowed: allow };
        return sendOwnPage(reply, renderDeviceAnswered(site, answered));
      }
      const back = `${site.baseUrl}/sso/authorize/${encodeURIComponent(uid)}/decided?code=${code}`;
      return seeOther(reply, back);
    },
  );
}

/**
 * Returns the scopes that are checked at first: those about documents. Who wants an app to manage
 * organizations, a profile or the instance checks that, unless it asks for nothing else.
 */
function preselected(scopes: readonly Scope[]): readonly Scope[] {
  const usual = scopes.filter((scope) => REACHING_SCOPES.includes(scope));
  return usual.length > 0 ? usual : scopes;
}

function pathOf(uid: string): string {
  return `/authorize/${encodeURIComponent(uid)}`;
}

/**
 * Reads the form, with the username that the page showed: another user may have signed in since.
 */
function readDecision(body: unknown): {
  username: unknown;
  decision: unknown;
  scopes: Scope[];
  reach: string;
} {
  const { username, decision, scope, reach } = (body ?? {}) as Record<string, unknown>;
  const given = Array.isArray(scope) ? scope : [scope];
  const scopes = ALL_SCOPES.filter((each) => given.includes(each));
  return { username, decision, scopes, reach: typeof reach === 'string' ? reach : '' };
}

/** Adds addresses to the page's `form-action`. Browsers apply it to every redirect of a form. */
function allowFormTo(reply: FastifyReply, addresses: readonly string[]): void {
  const policy = String(reply.getHeader('content-security-policy') ?? '');
  const sources = addresses.map(formActionSource).join(' ');
  reply.header(
    'content-security-policy',
    policy.replace("form-action 'self'", `form-action 'self' ${sources}`),
  );
}
