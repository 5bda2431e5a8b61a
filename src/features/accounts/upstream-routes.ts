import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import { later } from '../../core/context.ts';
import { addressBudgets, countAttempt, forgiveAttempt } from '../../core/identity/attempts.ts';
import type { Visit } from '../../core/identity/session-service.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  goOn,
  seeOther,
  sendOwnPage,
} from '../../surfaces/web/account-parts.ts';
import { hostCookie } from '../../surfaces/web/cookies.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { nextPath, signInPath } from '../../surfaces/web/next-path.ts';
import { renderLeavingPage } from '../../surfaces/web/pages/signed-in-page.tsx';
import { createSeal } from '../../surfaces/web/sealed.ts';
import { type CarriedForm, CONFIRM_UPSTREAM_PATH, readCarriedForm } from './carried-form.ts';
import { renderCarriedFormPage } from './carried-form-page.tsx';
import { signUpUpstream } from './registration-service.ts';
import { UPSTREAM_PATH } from './sign-in-page.tsx';
import { createUpstreamClient, type Flow, type UpstreamPerson } from './upstream-client.ts';
import { isOwnIdentity, linkIdentity, signInUpstream } from './upstream-service.ts';
import { renderUpstreamSignUpPage } from './upstream-sign-up-page.tsx';
import { suggestUsername } from './username.ts';

/** The time limits for the provider's sign-in and for choosing a username. */
const FLOW_MS = 15 * 60_000;
const CHOICE_MS = 30 * 60_000;

/** The state of a sign-in while the visitor is at the provider. */
type Departure = Flow & {
  next: string;
  /** What a signed-in user went for, and in which session; absent for signing in. */
  errand?: { what: 'confirm' | 'link'; sessionId: string; form?: CarriedForm };
};

/** A person whom the provider has identified and who has no account here yet. */
type Newcomer = UpstreamPerson & { next: string };

/** Links accounts to sign-ins at the provider. */
export interface ProviderLinks {
  /** Returns the provider's address, to which somebody goes to link what they sign in as there. */
  leaveToLink(reply: FastifyReply, visit: Visit, next: string): Promise<string>;
}

/**
 * Adds sign-in through the upstream provider. The browser stores the state of a sign-in, sealed
 * with the client's secret. The server stores nothing.
 */
export function addUpstreamRoutes(
  app: FastifyInstance,
  parts: AccountParts,
  provider: UpstreamProvider,
  logger: FastifyBaseLogger,
): ProviderLinks {
  const { context, limiter, site, visits } = parts;
  const callback = `${site.webUrl}/sign-in/callback`;
  const upstream = createUpstreamClient(provider, callback, logger);
  const departures = createSeal<Departure>(provider.clientSecret, 'upstream departure');
  const newcomers = createSeal<Newcomer>(provider.clientSecret, 'upstream newcomer');
  const departure = hostCookie(site.webUrl, { name: 'briefs-upstream', maxAgeMs: FLOW_MS });
  const newcomer = hostCookie(site.webUrl, { name: 'briefs-newcomer', maxAgeMs: CHOICE_MS });

  /** Remembers what somebody goes to the provider for. @returns where to send them */
  async function depart(
    reply: FastifyReply,
    next: string,
    errand?: Departure['errand'],
  ): Promise<string> {
    const { url, flow } = await upstream.begin(errand ? 'again' : 'once');
    const until = later(context.now(), FLOW_MS);
    departure.set(reply, departures.seal({ ...flow, next, ...(errand && { errand }) }, until));
    return url;
  }

  // A form, which no other site can send: otherwise its link would sign visitors in.
  app.post(UPSTREAM_PATH, { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const next = nextPath(readForm(request.body, ['next']).next, site.webUrl) ?? '/';
    const url = await depart(reply, next);
    // A redirect to another host would be blocked by the form's `form-action`.
    return sendOwnPage(reply, renderLeavingPage(site, url, provider.name));
  });

  // For bookmarks, and links of portals: one press starts it there.
  app.get<{ Querystring: { next?: unknown } }>(UPSTREAM_PATH, async (request, reply) =>
    seeOther(reply, signInPath(nextPath(request.query.next, site.webUrl) ?? '/')),
  );

  app.post(CONFIRM_UPSTREAM_PATH, { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const sent = readForm(request.body, ['next', 'form']);
    const next = nextPath(sent.next, site.webUrl) ?? '/';
    const visit = await visits.visitToSetUp(request);
    if (!visit) return seeOther(reply, signInPath(next));
    const form = readCarriedForm(sent.form, site.webUrl);
    const errand = { what: 'confirm', sessionId: visit.sessionId, ...(form && { form }) } as const;
    const url = await depart(reply, next.length > 500 ? '/' : next, errand);
    return sendOwnPage(reply, renderLeavingPage(site, url, provider.name));
  });

  /** Does what a signed-in user went to the provider for. @throws BAD_REQUEST in another session */
  async function finishErrand(
    request: FastifyRequest,
    reply: FastifyReply,
    { what, sessionId }: NonNullable<Departure['errand']>,
    person: UpstreamPerson,
  ): Promise<Visit> {
    const visit = await visits.visitToSetUp(request);
    if (visit?.sessionId !== sessionId) {
      throw new ServiceError('BAD_REQUEST', 'You have signed out in the meantime. Start again.');
    }
    if (what === 'link') {
      await linkIdentity(context, visit.actor, person, provider.name);
      return visit;
    }
    if (!(await isOwnIdentity(context, visit.actor, person))) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `Your account is linked to another sign-in at ${provider.name}.`,
      );
    }
    if (visit.hasSecondFactor) {
      throw new ServiceError(
        'UNPROCESSABLE',
        'Your account has a second factor here. Confirm with it that it’s you.',
      );
    }
    await visits.renew(request, reply, visit, ['provider']);
    return visit;
  }

  app.get('/sign-in/callback', async (request, reply) => {
    const left = departures.open(departure.read(request) ?? '', context.now());
    departure.clear(reply);
    if (!left) {
      throw new ServiceError(
        'BAD_REQUEST',
        'This sign-in started in another browser, or took too long. Start again.',
      );
    }
    const { next, errand, ...flow } = left;
    const budgets = addressBudgets('signIn', request.ip);
    await countAttempt(limiter, budgets);
    const url = new URL(callback);
    url.search = new URL(request.url, site.webUrl).search;
    const person = await upstream.finish(url, flow);
    await forgiveAttempt(limiter, budgets);
    if (errand) {
      const { actor } = await finishErrand(request, reply, errand, person);
      const { form } = errand;
      if (!form) return seeOther(reply, next);
      const { username } = actor;
      return sendOwnPage(reply, renderCarriedFormPage(site, { username, form }));
    }
    const who = await signInUpstream(context, person, visits.devicesOf(request));
    if (who) {
      const signedIn = { ...who, provenAt: person.authenticatedAt };
      return seeOther(reply, await visits.beginWithOneFactor(request, reply, signedIn, next));
    }
    newcomer.set(reply, newcomers.seal({ ...person, next }, later(context.now(), CHOICE_MS)));
    return seeOther(reply, '/sign-up/upstream');
  });

  const render = (
    person: Newcomer,
    values: { username: string; email: string },
    faults: Faults = {},
  ) =>
    renderUpstreamSignUpPage(site, {
      upstreamName: provider.name,
      verifiedEmail: person.verifiedEmail,
      values,
      faults,
    });

  app.get('/sign-up/upstream', async (request, reply) => {
    const person = newcomers.open(newcomer.read(request) ?? '', context.now());
    if (!person) return seeOther(reply, '/sign-in');
    const values = { username: suggestUsername(person.calledThere), email: person.email };
    return sendOwnPage(reply, render(person, values));
  });

  app.post('/sign-up/upstream', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const person = newcomers.open(newcomer.read(request) ?? '', context.now());
    if (!person) return seeOther(reply, '/sign-in');
    const form = readForm(request.body, ['username', 'email']);
    const values = { username: form.username, email: person.verifiedEmail ?? form.email };
    const { issuer, subject, next } = person;
    try {
      // Limits attempts to find out which email addresses are taken.
      await countAttempt(limiter, addressBudgets('signUp', request.ip));
      const who = await signUpUpstream(
        context,
        { issuer, subject },
        {
          username: values.username,
          email: values.email,
          isEmailVerified: person.verifiedEmail !== undefined,
          devices: visits.devicesOf(request),
        },
      );
      await visits.begin(request, reply, who);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return sendOwnPage(reply, render(person, values, faultsOf(error)), 422);
    }
    newcomer.clear(reply);
    return goOn(reply, site, next);
  });

  return {
    leaveToLink: (reply, { sessionId }, next) => depart(reply, next, { what: 'link', sessionId }),
  };
}
