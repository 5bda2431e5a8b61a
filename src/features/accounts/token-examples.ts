import type { Scope } from '../../core/identity/scope.ts';

/** A harmless request for each scope. */
const EXAMPLE_BY_SCOPE = {
  'documents:read': '/user/briefs',
  profile: '/user',
  organizations: '/user/orgs',
  sharing: '/user/brief_invitations',
} as const satisfies Partial<Record<Scope, string>>;

/**
 * Returns shell commands to try a new token with.
 *
 * @param scopes the token's scopes; the command needs no others
 */
export function exampleLines(
  baseUrl: string,
  token: string,
  scopes: readonly Scope[],
): { title: string; line: string }[] {
  const header = `"Authorization: Bearer ${token}"`;
  const known = Object.entries(EXAMPLE_BY_SCOPE);
  const path = known.find(([scope]) => scopes.includes(scope as Scope))?.[1];
  const curl =
    path === undefined
      ? `curl ${baseUrl}/user/briefs -H ${header} -H "Content-Type: application/json" -d '{"name": "hello", "content": "# Hello", "visibility": "private"}'`
      : `curl ${baseUrl}${path} -H ${header}`;
  return [
    { title: 'Try it with curl', line: curl },
    {
      title: 'Give it to an agent (MCP), such as Claude Code',
      line: `claude mcp add --transport http briefs ${baseUrl}/mcp --header ${header}`,
    },
  ];
}
