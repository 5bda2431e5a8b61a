import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import { callOf, later } from '../../core/context.ts';
import { isEmailUsed } from '../../core/identity/account-store.ts';
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
import { suggestUsername } from './suggested-username.ts';
import { createUpstreamClient, type Flow, type UpstreamPerson } from './upstream-client.ts';
import {
  isOwnIdentity,
  keepTokens,
  linkByAddress,
  linkIdentity,
  openTokens,
  signInUpstream,
} from './upstream-service.ts';
import { renderHasAccountPage, renderUpstreamSignUpPage } from './upstream-sign-up-page.tsx';
import { findTokens } from './upstream-store.ts';

/** The time limits for the provider's sign-in and for choosing a username. */
const FLOW_MS = 15 * 60_000;
const CHOICE_MS = 30 * 60_000;

/** What a browser keeps of a sign-in ends with the beginning of its `state`. */
const DEPARTURE_COOKIE = 'briefs-upstream-';
const DEPARTURE_COOKIES = /briefs-upstream-([\w-]+)=/g;
const STATE = /^[\w-]{16,200}$/;

/** In how many tabs one browser can be at the provider. */
const MOST_DEPARTURES = 4;

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
  // One for each sign-in, because people begin in several tabs.
  const departure = (state: string) =>
    hostCookie(site.webUrl, {
      name: `${DEPARTURE_COOKIE}${state.slice(0, 16)}`,
      maxAgeMs: FLOW_MS,
    });
  const newcomer = hostCookie(site.webUrl, { name: 'briefs-newcomer', maxAgeMs: CHOICE_MS });

  /** Keeps what later questions and signing out need, if there are any. */
  async function keep({ issuer, subject, tokens: { idToken, refreshToken } }: UpstreamPerson) {
    if (provider.checkEveryMs === 0 && !provider.signsOut) return;
    await keepTokens(
      context,
      { issuer, subject },
      {
        ...(provider.signsOut && { idToken }),
        ...(provider.checkEveryMs > 0 && { refreshToken }),
      },
    );
  }

  /** Remembers what somebody goes to the provider for. @returns where to send them */
  async function depart(
    reply: FastifyReply,
    next: string,
    errand?: Departure['errand'],
  ): Promise<string> {
    const { url, flow } = await upstream.begin(errand ? 'again' : 'once');
    const until = later(context.now(), FLOW_MS);
    const sealed = departures.seal({ ...flow, next, ...(errand && { errand }) }, until);
    departure(flow.state).set(reply, sealed);
    forgetOldest(reply);
    return url;
  }

  /** Browsers send the oldest cookies first, and servers take few bytes of them. */
  function forgetOldest(reply: FastifyReply): void {
    const states = Array.from(
      (reply.request.headers.cookie ?? '').matchAll(DEPARTURE_COOKIES),
      ([, state = '']) => state,
    );
    for (const state of states.slice(0, 1 - MOST_DEPARTURES)) departure(state).clear(reply);
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
      await linkIdentity(callOf(context, visit.actor), person, provider.name);
      return visit;
    }
    if (!(await isOwnIdentity(callOf(context, visit.actor), person))) {
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

  app.get<{ Querystring: { state?: unknown } }>('/sign-in/callback', async (request, reply) => {
    const { state } = request.query;
    const cookie = departure(typeof state === 'string' && STATE.test(state) ? state : 'none');
    const left = departures.open(cookie.read(request) ?? '', context.now());
    cookie.clear(reply);
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
      await keep(person);
      const { form } = errand;
      if (!form) return seeOther(reply, next);
      const { username } = actor;
      return sendOwnPage(reply, renderCarriedFormPage(site, { username, form }));
    }
    const enter = () => signInUpstream(context, person, visits.devicesOf(request));
    let who = await enter();
    if (!who && (await linkByAddress(context, person, provider.name))) who = await enter();
    if (who) {
      const signedIn = { ...who, provenAt: person.authenticatedAt };
      const on = await visits.beginWithOneFactor(request, reply, signedIn, next);
      await keep(person);
      return seeOther(reply, on);
    }
    // A cookie has at most 4 KB.
    const { refreshToken = '' } = person.tokens;
    const tokens = refreshToken.length < 1_500 ? { refreshToken } : {};
    const known = { ...person, tokens, next };
    newcomer.set(reply, newcomers.seal(known, later(context.now(), CHOICE_MS)));
    return seeOther(reply, '/sign-up/upstream');
  });

  const render = (
    person: Newcomer,
    values: { username: string; email: string },
    faults: Faults = {},
    isAddressUsed = false,
  ) =>
    renderUpstreamSignUpPage(site, {
      upstreamName: provider.name,
      verifiedEmail: person.verifiedEmail,
      values,
      isAddressUsed,
      faults,
    });

  app.get('/sign-up/upstream', async (request, reply) => {
    const person = newcomers.open(newcomer.read(request) ?? '', context.now());
    if (!person) return seeOther(reply, '/sign-in');
    const { verifiedEmail } = person;
    if (verifiedEmail !== undefined && (await isEmailUsed(context.sql.read, verifiedEmail))) {
      const { passwords } = context.signIn;
      const page = { upstreamName: provider.name, email: verifiedEmail, passwords };
      return sendOwnPage(reply, renderHasAccountPage(site, page));
    }
    const values = { username: suggestUsername(person.calledThere), email: person.email };
    return sendOwnPage(reply, render(person, values));
  });

  app.post('/sign-up/upstream', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const person = newcomers.open(newcomer.read(request) ?? '', context.now());
    if (!person) return seeOther(reply, '/sign-in');
    const form = readForm(request.body, ['username', 'email']);
    const values = { username: form.username, email: person.verifiedEmail ?? form.email };
    const { issuer, subject, sid, next } = person;
    try {
      // Limits attempts to find out which email addresses are taken.
      await countAttempt(limiter, addressBudgets('signUp', request.ip));
      const who = await signUpUpstream(
        context,
        { issuer, subject, sid },
        {
          username: values.username,
          email: values.email,
          isEmailVerified: person.verifiedEmail !== undefined,
          devices: visits.devicesOf(request),
        },
      );
      await visits.begin(request, reply, who);
      await keep(person);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const faults = faultsOf(error);
      const isUsed = 'email' in faults && (await isEmailUsed(context.sql.read, values.email));
      return sendOwnPage(reply, render(person, values, faults, isUsed), 422);
    }
    newcomer.clear(reply);
    return goOn(reply, site, next);
  });

  context.testProvider = upstream.test;
  if (provider.signsOut) {
    context.signOutAtProvider = async (accountId) => {
      const sealed = await findTokens(context.sql.read, accountId);
      const { idToken } = await openTokens(context, sealed);
      const url = await upstream.signOutUrl(idToken, `${site.webUrl}/`);
      return url === undefined ? undefined : { url, name: provider.name };
    };
  }

  return {
    leaveToLink: (reply, { sessionId }, next) => depart(reply, next, { what: 'link', sessionId }),
  };
}
