import type { IncomingHttpHeaders } from 'node:http';
import { ALL_SCOPES, requireScope, type Scope } from '../account/scope.ts';
import type { Actor } from '../context.ts';
import { findTool } from './tools/all.ts';
import type { Toolset } from './toolset.ts';

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
 * Returns the scopes that a 401 names, before the body is read. A request that names its tool or
 * resource in the protocol's headers needs that one's scope. Any other one connects a host, which
 * asks for what this names, and many hosts never ask again: they get the scopes of all tools that the address offers, and
 * the person deselects some on the consent page.
 */
export function scopesOfRequest(
  headers: IncomingHttpHeaders,
  { tools }: Toolset,
): readonly Scope[] {
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  const scope = scopeOf({ method, params: { name } });
  return scope ? [scope] : ALL_SCOPES.filter((one) => tools.some((tool) => tool.scope === one));
}

/** The scope that a message needs; none where it tells only what the surface offers. */
function scopeOf(message: unknown): Scope | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown };
  };
  switch (method) {
    case 'tools/call':
      // What is no name is no tool's either: the protocol refuses it.
      return typeof params?.name === 'string'
        ? findTool(params.name)?.scopeOf(params.arguments)
        : undefined;
    case 'resources/list':
    case 'resources/read':
      return 'documents:read';
    default:
      return undefined;
  }
}
