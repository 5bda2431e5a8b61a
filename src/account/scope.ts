import { ServiceError } from '../errors.ts';

/** What a token may be used for, in the words that people are asked to consent to. */
export const SCOPES = {
  'documents:read': 'Read your briefs, pages and files, and what others share with you',
  'documents:write': 'Write, rename, publish and delete briefs, pages and files',
  sharing: 'Invite people to documents, change and end their access, and answer invitations',
  organizations:
    'See and manage your organizations, their members and settings, and delete them with all they have',
  profile: 'See your username and email address, and look up other usernames',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** A token was used for what it is not meant for (RFC 6750, section 3.1, insufficient_scope). */
export class InsufficientScope extends ServiceError {
  /** What is missing. */
  readonly scope: Scope;
  /** What is missing, and what the token has: all that the next token has to have. */
  readonly wanted: readonly Scope[];

  constructor(scope: Scope, held: readonly Scope[]) {
    super('FORBIDDEN', `This token lacks the scope "${scope}".`);
    this.scope = scope;
    this.wanted = ALL_SCOPES.filter((one) => one === scope || held.includes(one));
  }
}

/**
 * That a caller's token may be used for something. Every operation of the API and every tool names
 * its scope and passes here before anything else about the call is judged.
 *
 * @throws InsufficientScope
 */
export function requireScope(actor: { scopes: readonly Scope[] }, scope: Scope): void {
  if (!actor.scopes.includes(scope)) throw new InsufficientScope(scope, actor.scopes);
}

/** The scopes that a text lists, separated by spaces or commas, each once and in our order. */
export function parseScopes(text: string): { scopes: Scope[] } | { problem: string } {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(SCOPES, name));
  if (unknown !== undefined) {
    return { problem: `"${unknown}" is none; there are ${ALL_SCOPES.join(', ')}` };
  }
  if (names.length === 0) return { problem: 'must name at least one' };
  return { scopes: ALL_SCOPES.filter((scope) => names.includes(scope)) };
}
