import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import type { Context } from '../../core/context.ts';
import { addressBudgets, countAttempt } from '../../core/identity/attempts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { createUpstreamClient } from '../accounts/upstream-client.ts';
import { endUpstreamSessions } from './logout-service.ts';

const TOKEN_LIMIT_BYTES = 16 * 1024;

/** Adds the address where the provider tells who signed out there (OpenID Connect Back-Channel Logout). */
export function addLogoutRoutes(
  app: FastifyInstance,
  { context, limiter }: { context: Context; limiter: RateLimiter },
  provider: UpstreamProvider,
  logger: FastifyBaseLogger,
): void {
  const upstream = createUpstreamClient(provider, `${context.webUrl}/sign-in/callback`, logger);
  app.post(
    '/sign-in/back-channel-logout',
    { bodyLimit: TOKEN_LIMIT_BYTES },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      try {
        const { logout_token: token } = readForm(request.body, ['logout_token']);
        await endUpstreamSessions(context, await upstream.readLogout(token));
        return reply.send('');
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'BAD_REQUEST') throw error;
        await countAttempt(limiter, addressBudgets('signIn', request.ip));
        const answer = { error: 'invalid_request', error_description: error.message };
        return reply.code(400).type('application/json').send(JSON.stringify(answer));
      }
    },
  );
}
