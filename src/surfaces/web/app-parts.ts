import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { type Call, type Context, callOf } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { isProven, requireSession, type Visit } from '../../core/identity/session-service.ts';
import { getNavigation } from '../../core/owner/navigation-service.ts';
import { ChangedSince } from '../../core/review/shown-service.ts';
import type { Unread } from '../http/unread.ts';
import { FORM_LIMIT_BYTES, seeOther, sendOwnPage } from './account-parts.ts';
import type { Visits } from './browser-session.ts';
import { errorTitle } from './errors.ts';
import { createFlashes, type Flash } from './flash.ts';
import { type Faults, isCorrectable, isRefusal, readForm } from './form.ts';
import { preferredFormat } from './negotiation.ts';
import { leadingTo, signInPath } from './next-path.ts';
import { errorAppPage } from './pages/app-error-page.tsx';
import { type AppPage, renderAppPage } from './pages/app-page.tsx';
import type { Site } from './pages/assets.ts';
import { settingsPath } from './pages/settings-page.tsx';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Requires that the session still works. Call it after everything that can take long, such as a
     * queue or a long form, and repeatedly during a stream. Does nothing if the request came without
     * a session.
     *
     * @throws UNAUTHORIZED
     */
    requireSession: () => Promise<void>;
  }
}

/** Where users prove who they are, and then go on to `next`. */
export const CONFIRM_PATH = '/settings/confirm';

/** A request of a signed-in user. */
export interface AppRequest<Route extends RouteGenericInterface = RouteGenericInterface> {
  request: FastifyRequest<Route>;
  reply: FastifyReply;
  call: Call;
  visit: Visit;
}

/** The dependencies of the app's routes. */
export interface AppParts {
  context: Context;
  limiter: RateLimiter;
  unread: Unread;
  site: Site;
  visits: Visits;
  signUpsOpen: boolean;
  /** The display name of the upstream provider, if one is configured. */
  upstreamName: string | undefined;
  /**
   * Adds a page.
   *
   * @param signedOut handles requests without a session; by default, they go to sign-in and back
   * @param options.setsUp whether it is also for users who lack the second factor that the server
   *   requires
   */
  get<Route extends RouteGenericInterface>(
    path: string,
    handle: Handle<Route>,
    signedOut?: HandleSignedOut,
    options?: { secretPath?: boolean; setsUp?: boolean },
  ): void;
  /**
   * Adds a form's handler. The body limit fits short forms. Forms with long texts or files are read
   * part by part, each with its own limit (`multipart-form.ts`).
   *
   * At a document's address, the actor is given the form's field `document`, so that the services
   * refuse the form if the address leads to another document by now. The
   * handler of a form that is read part by part does that itself, and takes its turn
   * (`unread.inTurn`) once the form has arrived, if its answer can be large.
   *
   * @param signedOut handles requests without a session, except a script's, which get UNAUTHORIZED;
   *   by default, they go to sign-in and the form is lost
   */
  post<Route extends RouteGenericInterface>(
    path: string,
    handle: Handle<Route>,
    signedOut?: HandleSignedOut,
    options?: { bodyLimit?: number | undefined; secretPath?: boolean; setsUp?: boolean },
  ): void;
  /**
   * Wraps the handler of an expensive route to limit how many requests an account runs at once.
   *
   * @throws RATE_LIMITED from the handler, if too many of the account's requests are queued
   */
  inTurn<Route extends RouteGenericInterface>(handle: Handle<Route>): Handle<Route>;
  /**
   * Wraps the handler of a sensitive change or of its screen: if the user hasn't proved recently who
   * they are, asks them to, and then goes on with the same request.
   *
   * @param isProof tells whether the form itself proves it, such as with the current password
   */
  proven<Route extends RouteGenericInterface>(
    handle: Handle<Route>,
    isProof?: (asked: AppRequest<Route>) => Promise<boolean>,
  ): Handle<Route>;
  /** Sends a page in the app's frame. */
  show(asked: AppRequest, page: AppPage, status?: number): Promise<FastifyReply>;
  /** Returns the page of a user's invitation to a document; `undefined` if there is none. */
  findInvitedPage(call: Call, ref: DocumentRef): Promise<AppPage | undefined>;
  /** Redirects to a page of the app, which shows the flash message. */
  goOn(asked: AppRequest, path: string, flash?: Flash): FastifyReply;
  /**
   * Runs the action of a form and redirects to `path`. If the service refuses, the page there shows
   * the reason. For scripts, throws the error; throws ChangedSince for everyone.
   *
   * @param showAgain shows the form again if the user can fix the error in it
   */
  act(
    asked: AppRequest,
    path: string,
    work: () => Promise<Flash | undefined>,
    showAgain?: (error: ServiceError) => Promise<FastifyReply>,
  ): Promise<FastifyReply>;
}

/**
 * Asks users again who they are, before a sensitive change. A form is sent again with the proof.
 */
export interface Prover {
  /**
   * Takes a proof that came with a form.
   *
   * @returns `true` if it is right; `undefined` if none came; otherwise the form's faults
   */
  take(asked: AppRequest): Promise<true | Faults | undefined>;
  /** Returns the page that asks for a proof, and then sends the form again. */
  page(asked: AppRequest, faults: Faults): Promise<AppPage>;
}

type Handle<Route extends RouteGenericInterface> = (
  asked: AppRequest<Route>,
) => Promise<FastifyReply>;

/** Handles a request without a session. */
export type HandleSignedOut = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Creates the dependencies of the app's routes. */
export function createAppParts(
  app: FastifyInstance,
  parts: {
    context: Context;
    limiter: RateLimiter;
    accountQueue: FairQueue;
    unread: Unread;
    site: Site;
    visits: Visits;
    signUpsOpen: boolean;
    upstreamName: string | undefined;
    findInvitedPage: AppParts['findInvitedPage'];
    prover: Prover;
  },
): AppParts {
  const { context, visits, site } = parts;
  app.decorateRequest('requireSession', async () => {});
  const flashes = createFlashes(context, visits);

  const goOn: AppParts['goOn'] = ({ request, reply, call }, path, flash) => {
    if (flash) flashes.set(request, reply, aboutDocument(flash, call.actor.documentId));
    return seeOther(reply, path);
  };

  const show: AppParts['show'] = async ({ request, reply, call }, page, status = 200) => {
    const navigation = await getNavigation(call);
    const flash = flashes.take(request, reply);
    const frame = { username: call.actor.username, ...navigation, flash };
    return sendOwnPage(reply, renderAppPage(site, frame, page), status);
  };

  /** Returns the session; `lacking` if its user has to set up a second factor first. */
  async function visitOf(
    request: FastifyRequest,
    setsUp: boolean,
  ): Promise<Visit | 'lacking' | undefined> {
    const visit = await (setsUp ? visits.visitToSetUp : visits.visitOf)(request);
    if (visit || setsUp || context.signIn.secondFactor === 'optional') return visit;
    return (await visits.visitToSetUp(request)) && 'lacking';
  }

  function leadToSetUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (!wantsJson(request)) {
      const isPage = request.method === 'GET';
      const next = isPage ? request.url : pathOfReferrer(request, site.webUrl);
      return seeOther(reply, leadingTo(settingsPath('security'), next));
    }
    throw new ServiceError('FORBIDDEN', 'This server requires a second factor. Set one up first.');
  }

  /** Returns the request with its user. */
  function askedBy(request: FastifyRequest, reply: FastifyReply, visit: Visit): AppRequest<never> {
    request.requireSession = () => requireSession(context, visit);
    return { request: request as never, reply, call: callOf(context, visit.actor), visit };
  }

  /**
   * Shows a refusal with the app's navigation; asks to sign in if the session has ended. Rethrows
   * redirects, server faults, and errors for scripts.
   */
  async function showError(asked: AppRequest, error: unknown): Promise<FastifyReply> {
    const { request, reply } = asked;
    if (isUnauthorized(error) && !reply.sent) {
      return askToSignIn(request, reply, pathOfReferrer(request, site.webUrl));
    }
    const isForPeople = preferredFormat(request.headers.accept) === 'html';
    if (!isRefusal(error) || !isForPeople || reply.sent) throw error;
    if (error.retryAfterSeconds !== undefined) {
      reply.header('retry-after', `${error.retryAfterSeconds}`);
    }
    reply.header('vary', 'Accept');
    const { status, sentence: message } = error;
    return show(asked, errorAppPage({ status, title: errorTitle(status), message }), status);
  }

  /**
   * Answers once there is room for it. Settings always answer: what fills the room can be a token
   * that the user wants to revoke there.
   */
  function takeTurn<Route extends RouteGenericInterface>(
    asked: AppRequest<Route>,
    handle: Handle<Route>,
  ): Promise<FastifyReply> {
    if (asked.request.url.startsWith('/settings/')) return handle(asked);
    return parts.unread.inTurn(asked.call.actor.id, () => handle(asked));
  }

  return {
    context,
    limiter: parts.limiter,
    unread: parts.unread,
    site,
    visits,
    signUpsOpen: parts.signUpsOpen,
    upstreamName: parts.upstreamName,
    get(path, handle, signedOut, { secretPath = false, setsUp = false } = {}) {
      app.get(path, { config: { secretPath } }, async (request, reply) => {
        const visit = await visitOf(request, setsUp);
        if (visit === 'lacking') return leadToSetUp(request, reply);
        if (!visit) return signedOut?.(request, reply) ?? askToSignIn(request, reply, request.url);
        const asked = askedBy(request, reply, visit);
        return takeTurn(asked, handle).catch((error) => showError(asked, error));
      });
    },
    post(path, handle, signedOut, options = {}) {
      const { bodyLimit = FORM_LIMIT_BYTES, secretPath = false, setsUp = false } = options;
      app.post(path, { bodyLimit, config: { secretPath } }, async (request, reply) => {
        const visit = await visitOf(request, setsUp);
        if (visit === 'lacking') return leadToSetUp(request, reply);
        if (!visit) {
          if (signedOut && !wantsJson(request)) return signedOut(request, reply);
          return askToSignIn(request, reply, pathOfReferrer(request, site.webUrl));
        }
        const asked = askedBy(request, reply, visit);
        if (isAtDocument(request)) {
          asked.call.actor = {
            ...asked.call.actor,
            documentId: readForm(request.body, ['document']).document,
          };
        }
        try {
          return await (request.isMultipart() ? handle(asked) : takeTurn(asked, handle));
        } catch (error) {
          if (!(error instanceof FieldError) || !wantsJson(request)) return showError(asked, error);
          return sendRefusal(reply, error);
        }
      });
    },
    inTurn: (handle) => (asked) =>
      parts.accountQueue.run(asked.call.actor.id, async ({ hasWaited }) => {
        if (hasWaited) await asked.request.requireSession();
        parts.unread.requireRoom(asked.call.actor.id);
        return handle(asked);
      }),
    proven: (handle, isProof) => async (asked) => {
      if (isProven(context, asked.visit) || (await isProof?.(asked))) return handle(asked);
      if (wantsJson(asked.request)) {
        throw new ServiceError('FORBIDDEN', 'Confirm first that it’s you. Reload the page.');
      }
      const taken = await parts.prover.take(asked);
      if (taken === true) {
        const visit = { ...asked.visit, provenAt: context.now() };
        return handle({ ...asked, visit });
      }
      const page = await parts.prover.page(asked, taken ?? {});
      return show(asked, page, taken ? 422 : 200);
    },
    show,
    findInvitedPage: parts.findInvitedPage,
    goOn,
    async act(asked, path, work, showAgain) {
      try {
        return goOn(asked, path, await work());
      } catch (error) {
        // The caller shows what has changed.
        if (error instanceof ChangedSince) throw error;
        if (!isRefusal(error) || wantsJson(asked.request)) throw error;
        if (showAgain && isCorrectable(error)) return showAgain(error);
        return goOn(asked, path, { message: error.sentence, isFault: true });
      }
    },
  };
}

/** Tells whether a request's address names a document. */
function isAtDocument({ params }: FastifyRequest): boolean {
  return ['owner', 'name'].every((name) => Object.hasOwn(params as object, name));
}

/** Adds which document the forms of a message are about. */
function aboutDocument(flash: Flash, document: string | undefined): Flash {
  if (document === undefined) return flash;
  const { undo, next, ...message } = flash;
  return {
    ...message,
    ...(undo && { undo: { action: undo.action, fields: { ...undo.fields, document } } }),
    ...(next && { next: { ...next, fields: { ...next.fields, document } } }),
  };
}

/** Tells whether a script sent the request, so that the response must be JSON. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept === 'application/json';
}

/**
 * Refuses a request of a page's script.
 *
 * @param more further fields for the script
 */
export function sendRefusal(reply: FastifyReply, error: ServiceError, more = {}): FastifyReply {
  const field = error instanceof FieldError ? error.field : undefined;
  return reply
    .code(error.status)
    .header('cache-control', 'private, no-store')
    .send({ ...error.toBody(), field, sentence: error.sentence, ...more });
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply, next: string): FastifyReply {
  if (!wantsJson(request)) return seeOther(reply, signInPath(next));
  throw signedOutNow();
}

function signedOutNow(): ServiceError {
  return new ServiceError('UNAUTHORIZED', 'You’re signed out. Sign in again in another tab.');
}

/** Tells whether an error says that the caller's session has ended. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UNAUTHORIZED';
}

/** Returns the path of the page on this host that sent the request; `/` if it is unknown. */
export function pathOfReferrer({ headers }: FastifyRequest, webUrl: string): string {
  const referrer = URL.parse(headers.referer ?? '');
  if (referrer?.origin !== new URL(webUrl).origin) return '/';
  return referrer.pathname + referrer.search;
}
