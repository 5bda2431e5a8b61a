import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../core/context.ts';
import { possibleScopes, requireScope, type Scope } from '../../core/identity/scope.ts';
import { scopesOfTools, type Toolset } from './toolset.ts';

/**
 * Requires that the actor's token has the scope for a message. Every message passes here before the
 * protocol handles it; no other code checks the scopes of resources. A call of a tool whose scope the
 * user has refused passes: its result says so, to the model, instead of asking the user again.
 *
 * @throws InsufficientScope
 */
export function requireMessageScope(actor: Actor, message: unknown, { find }: Toolset): void {
  const scope = scopeOf(message, find);
  if (!scope) return;
  const isCall = (message as { method?: unknown }).method === 'tools/call';
  const isRefused = actor.via.means === 'application' && !possibleScopes(actor).includes(scope);
  if (!isCall || !isRefused) requireScope(actor, scope);
}

/**
 * Returns the scopes to name in a 401, before the body is read. If the protocol's headers name a
 * tool or resource, that is its scope. Otherwise a host is connecting: it requests these scopes and
 * often never asks again. So it gets the scopes of all tools at the address; the user can deselect
 * some on the consent page.
 */
export function scopesOfRequest(
  headers: IncomingHttpHeaders,
  toolset: Toolset,
  { find }: Toolset,
): readonly Scope[] {
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  const scope = scopeOf({ method, params: { name } }, find);
  return scope ? [scope] : scopesOfTools(toolset);
}

/** Returns the scope that a message needs; `undefined` if it only lists what is available. */
function scopeOf(message: unknown, find: Toolset['find']): Scope | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown };
  };
  switch (method) {
    case 'tools/call':
      // The protocol refuses names that aren't text.
      return typeof params?.name === 'string'
        ? find(params.name)?.scopeOf(params.arguments)
        : undefined;
    case 'completion/complete':
    case 'resources/list':
    case 'resources/read':
    case 'subscriptions/listen':
      return 'documents:read';
    default:
      return undefined;
  }
}
