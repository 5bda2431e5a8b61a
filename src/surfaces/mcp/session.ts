import { randomUUID } from 'node:crypto';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Actor, Context } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';

const textOf = (id: string, actor: Pick<Actor, 'id'>) => `MCP session ${id} of ${actor.id}`;

/** Returns a new session's id, which only the actor's account can use. Nothing is stored. */
export async function newSessionId(context: Context, actor: Pick<Actor, 'id'>): Promise<string> {
  const [key = ''] = (await loadAuthorizationKeys(context)).cookie;
  const id = randomUUID();
  return `${id}.${macOf(textOf(id, actor), key)}`;
}

/**
 * Checks that `initialize` gave a session's id to the actor's account.
 *
 * @throws NOT_FOUND, upon which hosts initialize again (MCP 2025-11-25, “Session Management”)
 */
export async function requireOwnSession(
  context: Context,
  actor: Pick<Actor, 'id'>,
  sessionId: string,
): Promise<void> {
  const [id = '', mac = ''] = sessionId.split('.', 2);
  const { cookie } = await loadAuthorizationKeys(context);
  if (cookie.some((key) => isMacOf(mac, textOf(id, actor), key))) return;
  throw new ServiceError('NOT_FOUND', 'There is no such session. Send “initialize” again.');
}
