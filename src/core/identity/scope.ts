import { ServiceError } from '../../base/errors.ts';
import type { Via } from '../../base/schema/means.ts';
import { SCOPE_DESCRIPTIONS } from './scope-descriptions.ts';

export type Scope = keyof typeof SCOPE_DESCRIPTIONS;

export const ALL_SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as Scope[];

/**
 * The scopes that a token has unless others were chosen, and that applications learn of. Only an
 * administrator of the instance can give `admin`, and only by naming it.
 */
export const USUAL_SCOPES = ALL_SCOPES.filter((scope) => scope !== 'admin');

/** The scopes that MCP tools need. No tool changes profiles. */
export const TOOL_SCOPES = USUAL_SCOPES.filter((scope) => scope !== 'profile:write');

/** A token lacks a scope (RFC 6750, section 3.1, insufficient_scope). */
export class InsufficientScope extends ServiceError {
  readonly scope: Scope;
  /** The missing scope together with those that the token has: what to request next. */
  readonly wanted: readonly Scope[];

  constructor(scope: Scope, held: readonly Scope[]) {
    super('FORBIDDEN', `This token lacks the scope "${scope}".`);
    this.scope = scope;
    this.wanted = ALL_SCOPES.filter((one) => one === scope || held.includes(one));
  }
}

/**
 * Requires that the caller's token has a scope. Every API operation and tool calls this first.
 *
 * @throws InsufficientScope
 */
export function requireScope(actor: { scopes: readonly Scope[] }, scope: Scope): void {
  if (!actor.scopes.includes(scope)) throw new InsufficientScope(scope, actor.scopes);
}

/**
 * Returns the scopes that a token has or can get: an application can ask for those that its user
 * hasn't refused, a personal token for none.
 */
export function possibleScopes({
  via,
  scopes,
  refusedScopes = [],
}: {
  via: Via;
  scopes: readonly Scope[];
  refusedScopes?: readonly Scope[];
}): readonly Scope[] {
  if (via.means !== 'application') return scopes;
  return ALL_SCOPES.filter((scope) => scopes.includes(scope) || !refusedScopes.includes(scope));
}

/** Returns the scopes in both of two texts that separate them by spaces. */
export function commonScopes(one: string, other: string): Scope[] {
  const [left, right] = [one.split(' '), other.split(' ')];
  return ALL_SCOPES.filter((scope) => left.includes(scope) && right.includes(scope));
}

/** Parses scopes separated by spaces or commas. Duplicates are dropped; the order is ours. */
export function parseScopes(text: string): { scopes: Scope[] } | { problem: string } {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(SCOPE_DESCRIPTIONS, name));
  if (unknown !== undefined) {
    return { problem: `"${unknown}" is not a scope; use ${ALL_SCOPES.join(', ')}` };
  }
  if (names.length === 0) return { problem: 'must name at least one' };
  return { scopes: ALL_SCOPES.filter((scope) => names.includes(scope)) };
}
