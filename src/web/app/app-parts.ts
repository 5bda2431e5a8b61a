import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { Visit } from '../../account/session-service.ts';
import type { Actor, Context } from '../../context.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import type { FairQueue } from '../../limits/fair-queue.ts';
import type { RateLimiter } from '../../limits/rate-limit.ts';
import { getNavigation } from '../../organization/navigation-service.ts';
import { FORM_LIMIT_BYTES, seeOther, sendOwnPage } from '../account-parts.ts';
import type { Visits } from '../browser-session.ts';
import { isRefusal } from '../form.ts';
import { signInPath } from '../next-path.ts';
import { type AppPage, renderAppPage } from '../pages/app/app-page.tsx';
import type { Site } from '../pages/assets.ts';
import { createFlashes, type Flash } from './flash.ts';

/** A request of somebody who is signed in. */
export interface AppRequest<Route extends RouteGenericInterface = RouteGenericInterface> {
  request: FastifyRequest<Route>;
  reply: FastifyReply;
  actor: Actor;
  visit: Visit;
}

/** What the routes of the app work with. */
export interface AppParts {
  context: Context;
  limiter: RateLimiter;
  site: Site;
  visits: Visits;
  signUpsOpen: boolean;
  /**
   * Adds a page.
   *
   * @param signedOut for whoever is not signed in; without it, they are sent to do so, and back
   */
  get<Route extends RouteGenericInterface>(
    path: string,
    handle: Handle<Route>,
    signedOut?: HandleSignedOut,
  ): void;
  /**
   * Adds what a form does. The limit of a body is that of a short form; one with long texts or files
   * is read part by part, each within a limit of its own (`multipart-form.ts`).
   *
   * @param signedOut for a person who is no longer signed in; without it, they are sent to do so, and
   *   what they sent is lost
   */
  post<Route extends RouteGenericInterface>(
    path: string,
    handle: Handle<Route>,
    signedOut?: HandleSignedOut,
  ): void;
  /**
   * Makes the handler of an expensive route: requests of one account wait for one another.
   *
   * @throws RATE_LIMITED from the handler, when too many of the account's requests wait already
   */
  inTurn<Route extends RouteGenericInterface>(handle: Handle<Route>): Handle<Route>;
  /** Sends a page in the app's frame. */
  show(asked: AppRequest, page: AppPage, status?: number): Promise<FastifyReply>;
  /** Goes on to a page of the app, which says what has been done. */
  goOn(asked: AppRequest, path: string, flash?: Flash): FastifyReply;
  /**
   * Does what a form of one button asks for and goes on to `path`; where the service refuses, the
   * page there says why.
   */
  act(
    asked: AppRequest,
    path: string,
    work: () => Promise<Flash | undefined>,
  ): Promise<FastifyReply>;
}

type Handle<Route extends RouteGenericInterface> = (
  asked: AppRequest<Route>,
) => Promise<FastifyReply>;

/** What is answered to a request of nobody. */
export type HandleSignedOut = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Makes what the routes of the app share. */
export function createAppParts(
  app: FastifyInstance,
  parts: {
    context: Context;
    limiter: RateLimiter;
    accountQueue: FairQueue;
    site: Site;
    visits: Visits;
    signUpsOpen: boolean;
  },
): AppParts {
  const { context, visits, site } = parts;
  const flashes = createFlashes(context, visits);

  const goOn: AppParts['goOn'] = ({ request, reply }, path, flash) => {
    if (flash) flashes.set(request, reply, flash);
    return seeOther(reply, path);
  };

  return {
    context,
    limiter: parts.limiter,
    site,
    visits,
    signUpsOpen: parts.signUpsOpen,
    get(path, handle, signedOut) {
      app.get(path, async (request, reply) => {
        const visit = await visits.visitOf(request);
        if (!visit) return signedOut?.(request, reply) ?? askToSignIn(request, reply, request.url);
        const { actor } = visit;
        return handle({ request: request as never, reply, actor, visit });
      });
    },
    post(path, handle, signedOut) {
      app.post(path, { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
        const visit = await visits.visitOf(request);
        if (!visit) {
          if (signedOut && !wantsJson(request)) return signedOut(request, reply);
          return askToSignIn(request, reply, pathOfReferrer(request, site.webUrl));
        }
        const { actor } = visit;
        try {
          return await handle({ request: request as never, reply, actor, visit });
        } catch (error) {
          if (!(error instanceof FieldError) || !wantsJson(request)) throw error;
          return sendRefusal(reply, error);
        }
      });
    },
    inTurn: (handle) => (asked) => parts.accountQueue.run(asked.actor.id, () => handle(asked)),
    async show({ request, reply, actor }, page, status = 200) {
      const navigation = await getNavigation(context, actor);
      const flash = flashes.take(request, reply);
      const frame = { username: actor.username, ...navigation, flash };
      return sendOwnPage(reply, renderAppPage(site, frame, page), status);
    },
    goOn,
    async act(asked, path, work) {
      try {
        return goOn(asked, path, await work());
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return goOn(asked, path, { message: error.sentence, isFault: true });
      }
    },
  };
}

/** Whether a page's script asks, to which a page would be of no use. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept === 'application/json';
}

/**
 * Refuses what a page's script asked for.
 *
 * @param more what else the script can use
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
  throw new ServiceError('UNAUTHORIZED', 'You are signed out. Sign in again, in another tab.');
}

/** The page of this host that a form was on. */
function pathOfReferrer({ headers }: FastifyRequest, webUrl: string): string {
  const referrer = URL.parse(headers.referer ?? '');
  if (referrer?.origin !== new URL(webUrl).origin) return '/';
  return referrer.pathname + referrer.search;
}
