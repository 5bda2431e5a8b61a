import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { applyDecision } from './consent-service.ts';
import { promptResults } from './policy.ts';

/**
 * Applies a user's decision, which arrives as a code from the web host. Accepts it only in the
 * browser that started the request. Otherwise an attacker could start a request, have someone else
 * consent to it, and use that grant.
 */
export async function takeDecision(
  provider: Provider,
  context: Context,
  request: FastifyRequest<{ Params: { uid: string }; Querystring: { code?: unknown } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { uid } = request.params;
  const { code } = request.query;
  const { cookies } = provider.createContext(request.raw, reply.raw);
  if (cookies.get(provider.cookieName('resume'), { signed: true }) !== uid) {
    throw new ServiceError(
      'BAD_REQUEST',
      'This request started in another browser, so nothing was connected. If you did not start it, ' +
        'someone may have tried to connect their app to your account.',
    );
  }
  if (typeof code !== 'string') throw new FieldError('BAD_REQUEST', 'code', 'is missing.');
  const granted = await applyDecision(context, uid, code);
  const interaction = await provider.Interaction.find(uid);
  if (!interaction) {
    throw new ServiceError('BAD_REQUEST', 'This request has expired. Connect again from the app.');
  }
  interaction.result = granted ? promptResults(granted) : DENIED;
  await interaction.persist();
  return reply.redirect(interaction.returnTo, 303);
}

const DENIED = { error: 'access_denied', error_description: 'The user denied the request.' };
