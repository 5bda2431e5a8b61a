import { countAttempt } from '../../core/identity/attempts.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { suggestUsers } from './user-suggestion-service.ts';

/** Adds `/people?prefix=gr`, which suggests usernames. */
export function addUserSuggestionRoutes({ get, context, limiter }: AppParts): void {
  get<{ Querystring: { prefix?: unknown } }>('/people', async ({ request, reply, actor }) => {
    await countAttempt(limiter, [['webLookup', actor.id]]);
    const { prefix } = request.query;
    const usernames = typeof prefix === 'string' ? await suggestUsers(context, actor, prefix) : [];
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
      })
      .send(JSON.stringify({ usernames }));
  });
}
