import type { FastifyReply } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { later } from '../../core/context.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
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
import { CONFIRM_PATH } from './prover.tsx';
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
    const { actor } = asked;
    const [passkeys, codesSince, recoveryCodesLeft, identities] = await Promise.all([
      listOwnPasskeys(context, actor),
      findOwnCodes(context, actor),
      countOwnRecoveryCodes(context, actor),
      listOwnIdentities(context, actor),
    ]);
    const name = parts.upstreamName;
    const page = {
      canHavePasskeys: canHavePasskeys(site.webUrl),
      passkeys,
      codesSince,
      recoveryCodesLeft,
      provider: name === undefined ? undefined : { name, identities },
      isWanting: context.signIn.secondFactor === 'required' && !asked.visit.hasSecondFactor,
    };
    return parts.show(asked, securityPage(page));
  });

  parts.post(
    CONFIRM_PATH,
    parts.proven(async ({ request, reply }) => {
      const { next } = readForm(request.body, ['next']);
      return seeOther(reply, nextPath(next, site.webUrl) ?? path);
    }),
  );

  parts.post(PROOF_OPTIONS_PATH, async ({ reply, actor, visit }) => {
    const challenge = await challenges.set(reply, PURPOSES.prove(visit.sessionId));
    return sendJson(reply, await requestOptions(context, challenge, actor.id));
  });

  addPasskeyRoutes(parts, challenges);
  addCodeRoutes(parts);

  parts.post(
    PATHS.recovery,
    parts.proven(async (asked) => {
      const codes = await renewRecoveryCodes(context, asked.actor);
      return showCodes(parts, asked, codes, '');
    }),
  );
}

function addPasskeyRoutes(parts: AppParts, challenges: ReturnType<typeof createChallenges>): void {
  const { context } = parts;
  const path = settingsPath('security');

  parts.get(
    PATHS.newPasskey,
    parts.proven((asked) => parts.show(asked, newPasskeyPage({ name: '', faults: {} }))),
  );

  parts.post(
    PATHS.passkeyOptions,
    parts.proven(async ({ reply, actor, visit }) => {
      const challenge = await challenges.set(reply, PURPOSES.add(visit.sessionId));
      return sendJson(reply, await creationOptions(context, actor, challenge));
    }),
  );

  parts.post(
    PATHS.passkeys,
    parts.proven(async (asked) => {
      const { request, reply, actor, visit } = asked;
      const { name, credential } = readForm(request.body, ['name', 'credential']);
      try {
        const challenge = await challenges.take(request, reply, PURPOSES.add(visit.sessionId));
        const codes = await addPasskey(context, actor, { name, credential, challenge });
        if (codes) return await showCodes(parts, asked, codes, 'The passkey is added.');
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return parts.show(asked, newPasskeyPage({ name, faults: faultsOf(error) }), 422);
      }
      return parts.goOn(asked, path, { message: 'Passkey added.' });
    }),
  );

  parts.get<PasskeyRoute>(
    `${PATHS.passkeys}/:id/remove`,
    parts.proven(async (asked) => {
      const passkeys = await listOwnPasskeys(context, asked.actor);
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
        await removePasskey(context, asked.actor, asked.request.params.id);
        return { message: 'Passkey removed.' };
      }),
    ),
  );
}

function addCodeRoutes(parts: AppParts): void {
  const { context, limiter, visits } = parts;
  const path = settingsPath('security');
  const sealOf = ({ request }: AppRequest) =>
    createSeal<string>(visits.secretOf(request) ?? '', 'one-time codes to set up');

  function showSetUp(asked: AppRequest, secret: string, faults?: Faults): Promise<FastifyReply> {
    const address = addressOf(context, secret, asked.actor.username);
    const sealed = sealOf(asked).seal(secret, later(context.now(), SET_UP_MS));
    const page = codeSetUpPage({ secret, address, sealed, faults: faults ?? {} });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(
    PATHS.codes,
    parts.proven(async (asked) => {
      if (await findOwnCodes(context, asked.actor)) return seeOther(asked.reply, path);
      return showSetUp(asked, newSecret());
    }),
  );

  parts.post(
    PATHS.codes,
    parts.proven(async (asked) => {
      const form = readForm(asked.request.body, ['secret', 'code']);
      const secret = sealOf(asked).open(form.secret, context.now());
      if (secret === undefined) {
        const message = 'Setting up one-time codes took too long. Start again.';
        return parts.goOn(asked, path, { message, isFault: true });
      }
      try {
        const { code } = form;
        const codes = await turnCodesOn(context, limiter, asked.actor, { secret, code });
        if (codes) return await showCodes(parts, asked, codes, 'One-time codes are on.');
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return showSetUp(asked, secret, faultsOf(error));
      }
      return parts.goOn(asked, path, { message: 'One-time codes are on.' });
    }),
  );

  async function showOff(asked: AppRequest, faults?: Faults): Promise<FastifyReply> {
    const withPassword = await hasPassword(context, asked.actor);
    const page = codesOffPage({ hasPassword: withPassword, faults: faults ?? {} });
    return parts.show(asked, page, faults ? 422 : 200);
  }

  parts.get(PATHS.codesOff, (asked) => showOff(asked));

  // The form has the proof itself: password and code.
  parts.post(PATHS.codesOff, async (asked) => {
    const form = readForm(asked.request.body, ['password', 'code']);
    try {
      await turnCodesOff(context, limiter, asked.actor, form);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showOff(asked, faultsOf(error));
    }
    return parts.goOn(asked, path, { message: 'One-time codes are off.' });
  });
}

/** Shows recovery codes in this response rather than after a redirect, so that they are stored nowhere. */
function showCodes(
  parts: AppParts,
  asked: AppRequest,
  codes: readonly string[],
  done: string,
): Promise<FastifyReply> {
  return parts.show(asked, recoveryCodesPage({ codes, done }), 201);
}
