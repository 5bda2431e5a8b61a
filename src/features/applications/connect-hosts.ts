/** How to connect an agent host (docs/agents/hosts.md). */
export interface Host {
  name: string;
  /** What to do with the text, as a sentence. */
  use: string;
  text: string;
  /** Whether the host signs in with a token instead of in the browser. */
  needsToken?: boolean;
}

/** Returns the hosts, each with its instructions. @param address of the tools, `{base_url}/mcp` */
export function hostsFor(address: string): readonly Host[] {
  const json = (servers: object) => JSON.stringify(servers, null, 2);
  return [
    {
      name: 'Claude Code',
      use: 'Run this command, then choose Authenticate under /mcp',
      text: `claude mcp add --transport http briefs ${address}`,
    },
    {
      name: 'claude.ai and Claude Desktop',
      use: 'Enter this address under Customize, Connectors, Add custom connector',
      text: address,
    },
    {
      name: 'VS Code',
      use: 'Put this into .vscode/mcp.json',
      text: json({ servers: { briefs: { type: 'http', url: address } } }),
    },
    {
      name: 'Cursor',
      use: 'Put this into ~/.cursor/mcp.json',
      text: json({ mcpServers: { briefs: { url: address } } }),
    },
    {
      name: 'Codex CLI',
      use: 'Set BRIEFS_TOKEN to a token, then run this command',
      text: `codex mcp add briefs --url ${address} --bearer-token-env-var BRIEFS_TOKEN`,
      needsToken: true,
    },
    {
      name: 'Gemini CLI',
      use: 'Set BRIEFS_TOKEN to a token, then run this command',
      text: `gemini mcp add --scope user --transport http --header "Authorization: Bearer $BRIEFS_TOKEN" briefs ${address}`,
      needsToken: true,
    },
  ];
}
