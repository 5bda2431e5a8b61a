import { specTypeSchemas } from '@modelcontextprotocol/server';

/** The methods that we answer, with their names in the protocol's schema. */
const REQUESTS = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'server/discover': 'DiscoverRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
} as const;

/**
 * Validates a request with the protocol's schema.
 *
 * @returns what is wrong, such as `params.uri: …`; `undefined` if valid or for another method
 */
export function problemOf(method: string, request: object): string | undefined {
  if (!Object.hasOwn(REQUESTS, method)) return undefined;
  const schema = specTypeSchemas[REQUESTS[method as keyof typeof REQUESTS]];
  const { issues } = schema['~standard'].validate(request);
  return issues?.map(({ path = [], message }) => `${path.join('.')}: ${message}`).join('; ');
}
