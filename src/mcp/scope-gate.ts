import type { IncomingHttpHeaders } from 'node:http';
import { requireScope, type Scope } from '../account/scope.ts';
import type { Actor } from '../context.ts';
import { findTool } from './tools/all.ts';

/**
 * That the actor's token may be used for what a message asks. The one place where the scopes of
 * tools and resources are checked; every message passes here before the protocol looks at it.
 *
 * @throws InsufficientScope
 */
export function requireMessageScope(actor: Actor, message: unknown): void {
  const scope = scopeOf(message);
  if (scope) requireScope(actor, scope);
}

/**
 * Returns the scope to ask for before a request's body is read: what the protocol's headers say that
 * the message needs, or else the least that is of use. Hosts that are told none ask for all.
 */
export function scopeOfRequest(headers: IncomingHttpHeaders): Scope {
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  return scopeOf({ method, params: { name } }) ?? 'documents:read';
}

/** The scope that a message needs; none where it tells only what the surface offers. */
function scopeOf(message: unknown): Scope | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  switch (method) {
    case 'tools/call':
      // What is no name is no tool's either: the protocol refuses it.
      return typeof params?.name === 'string' ? findTool(params.name)?.scope : undefined;
    case 'resources/list':
    case 'resources/read':
      return 'documents:read';
    default:
      return undefined;
  }
}
