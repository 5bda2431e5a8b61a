import { ServiceError } from '../errors.ts';

/** The scopes, with the descriptions that the consent screen shows. */
export const SCOPES = {
  'documents:read': 'Read your briefs, pages and files, and those shared with you',
  'documents:write': 'Write, rename, publish and delete briefs, pages and files',
  comments: 'Comment on documents, suggest changes and review them',
  sharing: 'Invite people to documents, change or remove their access, and answer invitations',
  organizations:
    'See and manage your organizations, their members and settings, and delete them with all their documents',
  profile: 'See your username and email address, and look up other usernames',
  'profile:write': 'Change your public profile: display name, summary and picture',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

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

/** Parses scopes separated by spaces or commas. Duplicates are dropped; the order is ours. */
export function parseScopes(text: string): { scopes: Scope[] } | { problem: string } {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(SCOPES, name));
  if (unknown !== undefined) {
    return { problem: `"${unknown}" is not a scope; use ${ALL_SCOPES.join(', ')}` };
  }
  if (names.length === 0) return { problem: 'must name at least one' };
  return { scopes: ALL_SCOPES.filter((scope) => names.includes(scope)) };
}
