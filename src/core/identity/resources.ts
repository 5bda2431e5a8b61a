/** What an access token can be for: the API, or only its MCP tools. */
export type Resource = 'api' | 'mcp';

const PATHS: Record<Resource, string> = { api: '', mcp: '/mcp' };

/** Returns the address by which applications name a resource (RFC 8707). */
export function resourceAddress(baseUrl: string, resource: Resource): string {
  return baseUrl + PATHS[resource];
}

export function ownResources(baseUrl: string): string[] {
  return (Object.keys(PATHS) as Resource[]).map((resource) => resourceAddress(baseUrl, resource));
}

/** Returns our address of a resource that is named with or without a trailing slash. */
export function resourceOf(baseUrl: string, named: string): string | undefined {
  const wanted = normalise(named);
  return wanted && ownResources(baseUrl).find((own) => normalise(own) === wanted);
}

function normalise(address: string): string | undefined {
  return URL.parse(address)?.href.replace(/\/$/, '');
}
