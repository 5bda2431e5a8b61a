/** The addresses that access tokens are for (RFC 8707): the API, and the tool calls below it. */
export function ownResources(baseUrl: string): string[] {
  return [baseUrl, `${baseUrl}/mcp`];
}

/** The address of ours that an application names; a slash at its end makes no difference. */
export function resourceOf(baseUrl: string, named: string): string | undefined {
  const wanted = normalise(named);
  return wanted && ownResources(baseUrl).find((own) => normalise(own) === wanted);
}

function normalise(address: string): string | undefined {
  return URL.parse(address)?.href.replace(/\/$/, '');
}
