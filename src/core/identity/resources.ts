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

/**
 * Matches the query that chooses tools and the form of results. It is part of the address that
 * people configure.
 */
const TOOLS_QUERY =
  /^(?:tools=[\w,%.-]+|results=structured)(?:&(?:tools=[\w,%.-]+|results=structured))*$/;

/**
 * Returns the address of a resource as a client called it, because clients compare the two (RFC
 * 9728, section 3.3). Only the query that chooses tools is kept.
 */
export function resourceAsCalled(resource: string, query: string): string {
  return resource.endsWith(PATHS.mcp) && TOOLS_QUERY.test(query)
    ? `${resource}?${query}`
    : resource;
}

/**
 * Returns our address of a resource that is named with or without a trailing slash, and with or
 * without the query that chooses tools.
 */
export function resourceOf(baseUrl: string, named: string): string | undefined {
  const [address = '', query] = named.split('?');
  const isOfTools = query !== undefined && TOOLS_QUERY.test(query);
  if (isOfTools) {
    const own = resourceOf(baseUrl, address);
    return own === resourceAddress(baseUrl, 'mcp') ? own : undefined;
  }
  const wanted = normalise(named);
  return wanted && ownResources(baseUrl).find((own) => normalise(own) === wanted);
}

function normalise(address: string): string | undefined {
  return URL.parse(address)?.href.replace(/\/$/, '');
}
