import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { findWaysIn } from '../../core/identity/second-factor-store.ts';
import {
  endSession,
  type Factor,
  findVisitor,
  passwordState,
  renewSession,
  requireSession,
  SESSION_LIFETIME_MS,
  SessionRenewed,
  type SignedIn,
  startSession,
  type Visit,
} from '../../core/identity/session-service.ts';
import { hostCookie } from './cookies.ts';
import { createSeal } from './sealed.ts';

const YEAR_MS = 365 * 24 * 60 * 60_000;

/** How long a visitor has for the second factor after the first. */
const SECOND_FACTOR_WITHIN_MS = 10 * 60_000;

/** Where visitors give their second factor. */
export const SECOND_FACTOR_PATH = '/sign-in/second';

/** A visitor who has given the first of two factors, and isn't signed in. */
export interface HalfSignedIn {
  who: SignedIn;
  /** Where they were going. */
  next: string;
}

export interface Visits {
  /** Returns the session of a request, if there is one. */
  visitOf(request: FastifyRequest): Promise<Visit | undefined>;
  /**
   * Returns the session of a request also if its user lacks the second factor that this server
   * requires: for the screens where they set one up. Everything else uses `visitOf`, for which they
   * aren't signed in.
   */
  visitToSetUp(request: FastifyRequest): Promise<Visit | undefined>;
  /**
   * Requires that the request of an open connection would still have its session.
   *
   * @throws UNAUTHORIZED; SessionRenewed if it would with the cookie that the browser has by now
   */
  requireSame(request: FastifyRequest, visit: Visit): Promise<void>;
  /** Returns the session's token, which is the new one once this request has renewed it. */
  secretOf(request: FastifyRequest): string | undefined;
  /** Returns the device tokens from earlier sign-ins. */
  devicesOf(request: FastifyRequest): string | undefined;
  keepDevices(reply: FastifyReply, devices: string): void;
  /**
   * Signs a user in, and ends the browser's previous session.
   *
   * @throws UNAUTHORIZED if the account is gone
   */
  begin(request: FastifyRequest, reply: FastifyReply, who: SignedIn): Promise<void>;
  /**
   * Signs a user in who has given one factor, if the account has no second one. Otherwise the
   * browser has to give that first.
   *
   * @returns the path to go on at
   * @throws UNAUTHORIZED if the account is gone
   */
  beginWithOneFactor(
    request: FastifyRequest,
    reply: FastifyReply,
    who: SignedIn,
    next: string,
  ): Promise<string>;
  /** Returns who is about to give the second factor in this browser, if somebody is. */
  halfSignedIn(request: FastifyRequest): Promise<HalfSignedIn | undefined>;
  /** Signs in who has now given both factors. @throws UNAUTHORIZED if the account is gone */
  beginWithBoth(
    request: FastifyRequest,
    reply: FastifyReply,
    half: HalfSignedIn,
    second: Factor,
  ): Promise<void>;
  /**
   * Notes that the user of a session has just proved who they are, and replaces its cookie.
   *
   * @throws UNAUTHORIZED if the session has ended
   */
  renew(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: Visit,
    factors: readonly Factor[],
  ): Promise<void>;
  /** Signs the browser out. */
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Returns the signed-in user of a request, if there is one. */
export type VisitorOf = (request: FastifyRequest) => Promise<Actor | undefined>;

/** Creates visits that store their session and device tokens in cookies of the web host. */
export function createVisits(context: Context, webUrl: string): Visits {
  const session = hostCookie(webUrl, { name: 'briefs-session', maxAgeMs: SESSION_LIFETIME_MS });
  const device = hostCookie(webUrl, { name: 'briefs-device', maxAgeMs: YEAR_MS });
  const half = hostCookie(webUrl, { name: 'briefs-half', maxAgeMs: SECOND_FACTOR_WITHIN_MS });

  const renewed = new WeakMap<FastifyRequest, string>();
  const tokenOf = (request: FastifyRequest) => renewed.get(request) ?? session.read(request);

  async function seals() {
    const { cookie } = await loadAuthorizationKeys(context);
    return cookie.map((key) => createSeal<HalfSignedIn>(key, 'half of a sign-in'));
  }

  const begin: Visits['begin'] = async (request, reply, who) => {
    const token = await startSession(context, {
      accountId: who.accountId,
      factors: who.factors,
      password: who.password,
      userAgent: request.headers['user-agent'] ?? '',
      replaces: tokenOf(request),
      isNewBrowser: who.isNewBrowser,
      provenAt: who.provenAt,
      upstreamSid: who.upstreamSid,
    });
    session.set(reply, token);
    request.accountId = who.accountId;
    device.set(reply, who.device);
  };

  const visitToSetUp: Visits['visitToSetUp'] = async (request) => {
    const token = tokenOf(request);
    const visit = token === undefined ? undefined : await findVisitor(context, token);
    request.accountId = visit?.actor.id;
    return visit;
  };

  return {
    visitToSetUp,
    async visitOf(request) {
      const visit = await visitToSetUp(request);
      return visit && isLacking(context, visit) ? undefined : visit;
    },
    async requireSame(request, visit) {
      const still = await visitToSetUp(request);
      if (!still) {
        await requireSession(context, visit);
        throw new SessionRenewed();
      }
      if (isLacking(context, still)) throw new ServiceError('UNAUTHORIZED', 'You are signed out.');
    },
    secretOf: tokenOf,
    devicesOf: (request) => device.read(request),
    keepDevices: (reply, value) => device.set(reply, value),
    begin,
    async beginWithOneFactor(request, reply, who, next) {
      const account = await findWaysIn(context.sql.read, who.accountId);
      if (!account || account.secondFactorAt === null) {
        await begin(request, reply, who);
        return next;
      }
      const [seal] = await seals();
      // A cookie has at most 4 KB.
      const content = { who, next: next.length > 1_500 ? '/' : next };
      const until = later(context.now(), SECOND_FACTOR_WITHIN_MS);
      half.set(reply, seal?.seal(content, until) ?? '');
      return SECOND_FACTOR_PATH;
    },
    async halfSignedIn(request) {
      const sealed = half.read(request);
      if (sealed === undefined) return undefined;
      const now = context.now();
      const found = (await seals()).map((seal) => seal.open(sealed, now)).find(Boolean);
      const account = found && (await findWaysIn(context.sql.read, found.who.accountId));
      const isSame =
        account?.disabledAt === null && passwordState(account.passwordHash) === found?.who.password;
      return isSame ? found : undefined;
    },
    async beginWithBoth(request, reply, { who }, second) {
      const factors = [...who.factors, second];
      await begin(request, reply, { ...who, factors, provenAt: undefined });
      half.clear(reply);
    },
    async renew(request, reply, visit, factors) {
      const token = tokenOf(request) ?? '';
      const next = await renewSession(context, visit, { token, factors });
      if (next === undefined) return;
      renewed.set(request, next);
      session.set(reply, next);
    },
    async end(request, reply) {
      const token = tokenOf(request);
      if (token !== undefined) await endSession(context, token);
      session.clear(reply);
    },
  };
}

/** Tells whether a user lacks the second factor that this server requires. */
function isLacking({ signIn }: Context, visit: Visit): boolean {
  return signIn.secondFactor === 'required' && !visit.hasSecondFactor;
}
