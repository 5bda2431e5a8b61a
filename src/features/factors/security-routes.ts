import type { FastifyReply } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { later } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { listSessions } from '../../core/identity/session-service.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { type AppParts, type AppRequest, CONFIRM_PATH } from '../../surfaces/web/app-parts.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { nextPath } from '../../surfaces/web/next-path.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { canHavePasskeys } from '../../surfaces/web/passkey-host.ts';
import { createSeal } from '../../surfaces/web/sealed.ts';
import { hasPassword } from '../accounts/password-service.ts';
import { createChallenges, PURPOSES } from './challenge.ts';
import { addressOf, findOwnCodes, newSecret, turnCodesOff, turnCodesOn } from './code-service.ts';
import {
  addPasskey,
  creationOptions,
  listOwnPasskeys,
  removePasskey,
  requestOptions,
} from './passkey-service.ts';
import { sendJson } from './passkey-sign-in-routes.ts';
import { PROOF_OPTIONS_PATH } from './proof-page.tsx';
import { listOwnIdentities } from './provider-service.ts';
import { countOwnRecoveryCodes, renewRecoveryCodes } from './recovery-service.ts';
import {
  codeSetUpPage,
  codesOffPage,
  newPasskeyPage,
  PATHS,
  recoveryCodesPage,
  removePasskeyPage,
  securityPage,
} from './security-page.tsx';

/** How long somebody has to set up an app for one-time codes. */
const SET_UP_MS = 60 * 60_000;

interface PasskeyRoute {
  Params: { id: string };
}

/**
 * Adds `/settings/security`, with passkeys, one-time codes and recovery codes, and `/settings/confirm`, where
 * users prove again who they are.
 */
export function addSecurityRoutes(all: AppParts): void {
  // Also for those who lack the second factor that the server requires.
  const parts: AppParts = {
    ...all,
    get: (path, handle) => all.get(path, handle, undefined, { setsUp: true }),
    post: (path, handle) => all.post(path, handle, undefined, { setsUp: true }),
  };
  const { context, site } = parts;
  const challenges = createChallenges(context);
  const path = settingsPath('security');

  parts.get(path, async (asked) => {
    const { call } = asked;
    const [passkeys, codesSince, recoveryCodesLeft, identities, sessions] = await Promise.all([
      listOwnPasskeys(call),
      findOwnCodes(call),
      countOwnRecoveryCodes(call),
      listOwnIdentities(call),
      listSessions(call),
    ]);
    const name = parts.upstreamName;
    const page = {
      canHavePasskeys: canHavePasskeys(site.webUrl),
      passkeys,
      codesSince,
      recoveryCodesLeft,
      provider: name === undefined ? undefined : { name, identities },
      isWanting: context.signIn.secondFactor === 'required' && !asked.visit.hasSecondFactor,
      otherSessions: sessions.length - 1,
      next: nextIn(parts, asked.request.query),
    };
    return parts.show(asked, securityPage(page));
  });

  parts.get(
    CONFIRM_PATH,
    parts.proven(async ({ request, reply }) => {
      const next = nextIn(parts, request.query);
      return seeOther(reply, afterwards(next));
    }),
  );

  parts.post(
    CONFIRM_PATH,
    parts.proven(async ({ request, reply }) => {
      const { next } = readForm(request.body, ['next']);
      return seeOther(reply, nextPath(next, site.webUrl) ?? path);
    }),
  );

  parts.post(PROOF_OPTIONS_PATH, async ({ reply, call, visit }) => {
    const challenge = await challenges.set(reply, PURPOSES.prove(visit.sessionId));
    return sendJson(reply, await requestOptions(context, challenge, call.actor.id));
  });

  addPasskeyRoutes(parts, challenges);
  addCodeRoutes(parts);

  parts.post(
    PATHS.recovery,
    parts.proven(async (asked) => {
      const codes = await renewRecoveryCodes(asked.call);
      return showCodes(parts, asked, { codes, done: '', next: '/' });
    }),
  );
}

function addPasskeyRoutes(parts: AppParts, challenges: ReturnType<typeof createChallenges>): void {
  const path = settingsPath('security');

  parts.get(
    PATHS.newPasskey,
    parts.proven((asked) => {
      const next = nextIn(parts, asked.request.query);
      return parts.show(asked, newPasskeyPage({ name: '', faults: {}, next }));
    }),
  );

  parts.post(
    PATHS.passkeyOptions,
    parts.proven(async ({ reply, call, visit }) => {
      const challenge = await challenges.set(reply, PURPOSES.add(visit.sessionId));
      return sendJson(reply, await creationOptions(call, challenge));
    }),
  );

  parts.post(
    PATHS.passkeys,
    parts.proven(async (asked) => {
      const { request, reply, call, visit } = asked;
      const { name, credential } = readForm(request.body, ['name', 'credential']);
      const next = nextIn(parts, request.body);
      try {
        const challenge = await challenges.take(request, reply, PURPOSES.add(visit.sessionId));
        const codes = await addPasskey(call, { name, credential, challenge });
        const done = 'The passkey is added.';
        if (codes) return await showCodes(parts, asked, { codes, done, next });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return parts.show(asked, newPasskeyPage({ name, faults: faultsOf(error), next }), 422);
      }
      return parts.goOn(asked, afterwards(next), await offering(asked, 'Passkey added.'));
    }),
  );

  parts.get<PasskeyRoute>(
    `${PATHS.passkeys}/:id/remove`,
    parts.proven(async (asked) => {
      const passkeys = await listOwnPasskeys(asked.call);
      const id = normaliseId(asked.request.params.id);
      const passkey = passkeys.find((one) => one.id === id);
      if (!passkey) throw new FieldError('NOT_FOUND', 'id', 'you have no passkey with this id.');
      return parts.show(asked, removePasskeyPage(passkey));
    }),
  );

  parts.post<PasskeyRoute>(
    `${PATHS.passkeys}/:id/remove`,
    parts.proven((asked) =>
      parts.act(asked, path, async () => {
        await removePasskey(asked.call, asked.request.params.id);
        return offering(asked, 'Passkey removed.');
      }),
    ),
  );
}

function addCodeRoutes(parts: AppParts): void {
  const { context, limiter, visits } = parts;
  const path = settingsPath('security');

  /** Returns seals of secrets for one session, whatever its token is by now. */
  async function sealsOf({ visit }: AppRequest) {
    const { cookie } = await loadAuthorizationKeys(context);
    const purpose = `one-time codes to set up in ${visit.sessionId}`;
    return cookie.map((key) => createSeal<string>(key, purpose));
  }

  async function showSetUp(
    asked: AppRequest,
    { secret, next }: { secret: string; next: string },
    faults?: Faults,
  ): Promise<FastifyReply> {
    const address = addressOf(context, secret, asked.call.actor.username);
    const [seal] = await sealsOf(asked);
    const sealed = seal?.seal(secret, later(context.now(), SET_UP_MS)) ?? '';
    const page = codeSetUpPage({ secret, address, sealed, faults: faults ?? {}, next });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(
    PATHS.codes,
    parts.proven(async (asked) => {
      if (await findOwnCodes(asked.call)) return seeOther(asked.reply, path);
      const next = nextIn(parts, asked.request.query);
      return showSetUp(asked, { secret: newSecret(), next });
    }),
  );

  parts.post(
    PATHS.codes,
    parts.proven(async (asked) => {
      const form = readForm(asked.request.body, ['secret', 'code']);
      const next = nextIn(parts, asked.request.body);
      const now = context.now();
      const opened = (await sealsOf(asked)).map((seal) => seal.open(form.secret, now));
      const secret = opened.find((each) => each !== undefined);
      if (secret === undefined) {
        const message = 'Setting up one-time codes took too long. Start again.';
        return parts.goOn(asked, path, { message, isFault: true });
      }
      try {
        const { code } = form;
        const codes = await turnCodesOn(asked.call, limiter, { secret, code });
        const done = 'One-time codes are on.';
        if (codes) return await showCodes(parts, asked, { codes, done, next });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return showSetUp(asked, { secret, next }, faultsOf(error));
      }
      const flash = await offering(asked, 'One-time codes are on.');
      return parts.goOn(asked, afterwards(next), flash);
    }),
  );

  async function showOff(asked: AppRequest, faults?: Faults): Promise<FastifyReply> {
    const withPassword = await hasPassword(asked.call);
    const page = codesOffPage({ hasPassword: withPassword, faults: faults ?? {} });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(PATHS.codesOff, (asked) => showOff(asked));

  // The form has the proof itself: password and code.
  parts.post(PATHS.codesOff, async (asked) => {
    const { request, reply, call, visit } = asked;
    const form = readForm(request.body, ['password', 'code']);
    try {
      const factors = await turnCodesOff(call, limiter, form);
      await visits.renew(request, reply, visit, factors);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showOff(asked, faultsOf(error));
    }
    return parts.goOn(asked, path, await offering(asked, 'One-time codes are off.'));
  });
}

/** Reads where somebody was going; `/` if nowhere, or to another host. */
function nextIn({ site }: AppParts, sent: unknown): string {
  const { next } = (sent ?? {}) as { next?: unknown };
  return nextPath(next, site.webUrl) ?? '/';
}

function afterwards(next: string): string {
  return next === '/' ? settingsPath('security') : next;
}

/** Returns the message after a change of factors, which offers to sign out other browsers. */
async function offering({ call }: AppRequest, message: string): Promise<Flash> {
  const { length } = await listSessions(call);
  if (length < 2) return { message };
  const next = { action: PATHS.endOthers, fields: {}, label: 'Sign out everywhere else' };
  return { message, next };
}

/** Shows recovery codes in this response rather than after a redirect, so that they are stored nowhere. */
function showCodes(
  parts: AppParts,
  asked: AppRequest,
  page: { codes: readonly string[]; done: string; next: string },
): Promise<FastifyReply> {
  return parts.show(asked, recoveryCodesPage(page), 201);
}
