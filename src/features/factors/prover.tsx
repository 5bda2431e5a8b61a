import { FieldError } from '../../base/errors.ts';
import { findWaysIn } from '../../core/identity/second-factor-store.ts';
import type { Factor } from '../../core/identity/session-service.ts';
import type { AccountParts } from '../../surfaces/web/account-parts.ts';
import {
  type AppRequest,
  CONFIRM_PATH,
  type Prover,
  pathOfReferrer,
} from '../../surfaces/web/app-parts.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { canHavePasskeys } from '../../surfaces/web/passkey-host.ts';
import { confirmPassword } from '../accounts/password-service.ts';
import { listIdentities } from '../accounts/upstream-store.ts';
import { createChallenges, PURPOSES } from './challenge.ts';
import { checkCode } from './code-service.ts';
import { listPasskeys } from './factor-store.ts';
import { checkPasskey } from './passkey-service.ts';
import { PROOF_FIELDS, proofPage } from './proof-page.tsx';

/** Creates what asks users again who they are: by password or at the provider, or by their second factor. */
export function createProver({
  context,
  limiter,
  site,
  upstreamName,
  visits,
}: AccountParts): Prover {
  const challenges = createChallenges(context);

  async function methodsOf({ call }: AppRequest) {
    const { read } = context.sql;
    const [account, passkeys, identities] = await Promise.all([
      findWaysIn(read, call.actor.id),
      listPasskeys(read, call.actor.id),
      listIdentities(read, call.actor.id),
    ]);
    // Who has a second factor proves with it: the first one alone doesn't sign them in, either.
    const hasSecond = account?.secondFactorAt != null;
    const passwordsOn = context.signIn.passwords === 'on';
    return {
      hasPassword: !hasSecond && passwordsOn && account?.passwordHash != null,
      hasCodes: hasSecond,
      hasPasskeys: passkeys.length > 0 && canHavePasskeys(site.webUrl),
      upstreamName: !hasSecond && identities.length > 0 ? upstreamName : undefined,
    };
  }

  /** @returns the proof that came. @throws UNPROCESSABLE if it is wrong */
  async function check(asked: AppRequest): Promise<Factor | undefined> {
    const { request, reply, call, visit } = asked;
    const form = readForm(request.body, PROOF_FIELDS);
    const { proof_password: password, proof_code: code, proof_credential: credential } = form;
    if (password !== '') {
      const { hasPassword } = await methodsOf(asked);
      if (!hasPassword) return undefined;
      await confirmPassword(call, limiter, password, 'proof_password');
      return 'password';
    }
    if (code !== '') return checkCode(context, limiter, call.actor.id, code);
    if (credential !== '') {
      const challenge = await challenges.take(request, reply, PURPOSES.prove(visit.sessionId));
      await checkPasskey(context, { credential, challenge, accountId: call.actor.id });
      return 'passkey';
    }
    return undefined;
  }

  return {
    async take(asked) {
      let factor: Factor | undefined;
      try {
        factor = await check(asked);
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        if (error instanceof FieldError && error.field === 'code') {
          return { proof_code: error.sentence };
        }
        return faultsOf(error);
      }
      if (!factor) return undefined;
      await visits.renew(asked.request, asked.reply, asked.visit, [factor]);
      return true;
    },
    async page(asked, faults: Faults) {
      const { request, call } = asked;
      const isForm = request.method === 'POST';
      const next = isForm ? pathOfReferrer(request, site.webUrl) : request.url;
      const isConfirm = request.url.split('?')[0] === CONFIRM_PATH;
      return proofPage({
        ...(await methodsOf(asked)),
        username: call.actor.username,
        isForm: isForm && !isConfirm,
        action: isForm ? request.url : CONFIRM_PATH,
        fields: isForm ? fieldsOf(request.body) : [['next', next]],
        next: isConfirm ? readForm(request.body, ['next']).next : next,
        faults,
      });
    },
  };
}

/** Returns a form's fields, without those of proofs and without passwords. */
function fieldsOf(body: unknown): [name: string, value: string][] {
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return fields
    .filter(([name]) => !(PROOF_FIELDS as readonly string[]).includes(name))
    .filter(([name]) => !['password', 'current'].includes(name))
    .flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
}
