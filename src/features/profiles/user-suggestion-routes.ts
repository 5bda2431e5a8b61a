import { countAttempt } from '../../core/identity/attempts.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { suggestUsers } from './user-suggestion-service.ts';

/** Adds `/people?prefix=gr`, which suggests usernames. */
export function addUserSuggestionRoutes({ get, limiter }: AppParts): void {
  get<{ Querystring: { prefix?: unknown } }>('/people', async ({ request, reply, call }) => {
    await countAttempt(limiter, [['webLookup', call.actor.id]]);
    const { prefix } = request.query;
    const usernames = typeof prefix === 'string' ? await suggestUsers(call, prefix) : [];
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
      })
      .send(JSON.stringify({ usernames }));
  });
}
