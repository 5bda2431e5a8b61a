import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { applyDecision } from '../authorization/consent-service.ts';
import type { Context } from '../context.ts';
import { FieldError, ServiceError } from '../errors.ts';
import { answers } from './policy.ts';

/**
 * Takes a person's decision from the web host, where no cookie of the API's is seen. It counts only
 * in the browser that the request came from: else somebody could begin a request, have another
 * person consent to it, and go on with what that person granted.
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
      'This request was not begun in this browser. If you did not begin it yourself, somebody may ' +
        'have tried to connect their application to your account; nothing was connected.',
    );
  }
  if (typeof code !== 'string') throw new FieldError('BAD_REQUEST', 'code', 'is missing.');
  const granted = await applyDecision(context, uid, code);
  const interaction = await provider.Interaction.find(uid);
  if (!interaction) throw new ServiceError('BAD_REQUEST', 'This request has expired.');
  interaction.result = granted ? answers(granted) : DENIED;
  await interaction.persist();
  return reply.redirect(interaction.returnTo, 303);
}

const DENIED = { error: 'access_denied', error_description: 'The person said no.' };
