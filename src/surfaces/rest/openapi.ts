import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../core/config/config.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import { shareComponents } from './components.ts';
import { WEBHOOKS } from './webhook-requests.ts';

const DESCRIPTION = `Briefs stores and shares Markdown briefs and single-file HTML pages. With this API, programs manage \
documents, collaborators, uploaded files, organizations and invitations.

Send a token with every request (Authorization: Bearer …): a personal access token, or an OAuth \
access token. Each operation names the scope that the token needs. Requests and answers are JSON; a \
successful answer has its payload in "data". Ids are UUIDv7. Timestamps are ISO 8601 in UTC.

Lists are ordered newest first and paginated; follow the Link header. Feeds, which grow at one end \
(events, the audit trail), answer items and a cursor; send it as after. A document that you can't read \
answers 404, exactly like one that doesn't exist.

A JSON body can have up to 1,000 values, nested up to 100 levels deep; more is 400.

Every error has the shape {"error": {"code", "message"}}. The message names the field at fault.

Rate limits are per token; see the X-RateLimit headers. Over the limit, the response is 429 and \
Retry-After says how many seconds to wait.`;

/** The groups of operations, in the order of the reference. */
const TAGS = [
  { name: 'Users', description: 'People with an account.' },
  { name: 'Briefs', description: 'Markdown documents.' },
  { name: 'Pages', description: 'Single-file HTML documents.' },
  { name: 'Search', description: 'Full-text search of documents.' },
  { name: 'Trash', description: 'Deleted documents, which can be restored for a while.' },
  { name: 'Reports', description: 'What people say is wrong with public documents.' },
  { name: 'Sign-ups', description: 'Invitations of administrators to create an account.' },
  {
    name: 'Takedowns',
    description: 'What administrators of the instance have hidden from everybody.',
  },
  { name: 'Comments', description: 'Threads about documents, suggestions, and who can comment.' },
  { name: 'Reviews', description: 'Approvals, requests for changes, and protection.' },
  { name: 'Events', description: 'Events of documents, the inbox and subscriptions.' },
  { name: 'Audit trail', description: 'Who did what that concerns security.' },
  {
    name: 'Usage and limits',
    description: 'What users and organizations have, and what they may have.',
  },
  { name: 'Webhooks', description: 'Events posted to other services, and their deliveries.' },
  { name: 'Labels', description: 'Labels of documents, which lists can be filtered by.' },
  { name: 'Backlinks', description: 'Which documents link to a document.' },
  { name: 'Pins', description: 'Documents at the top of their owner’s lists.' },
  { name: 'Collaborators', description: 'Who can read, change and manage a document.' },
  { name: 'Invitations by email', description: 'Invitations that are mailed to an address.' },
  { name: 'Secret links', description: 'Addresses that open a document for anyone who has them.' },
  { name: 'Invitations to documents', description: 'Sent, received, accepted and declined.' },
  { name: 'Organizations', description: 'Owners that several people share.' },
  { name: 'Organization members', description: 'Members and their roles.' },
  {
    name: 'Invitations to organizations',
    description: 'Invitations, for an organization’s admins.',
  },
  { name: 'Your memberships', description: 'Your memberships and invitations.' },
  { name: 'Files', description: 'Images and other files for use in documents.' },
  {
    name: 'Administration',
    description: 'Accounts, organizations and background work, for administrators of the instance.',
  },
];

/** Generates the OpenAPI 3.1 document from the routes added after this. */
export async function describeApi(
  app: FastifyInstance,
  config: Pick<Config, 'baseUrl' | 'webUrl'>,
  version: string,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Briefs API',
        version,
        description: DESCRIPTION,
        contact: { name: 'Briefs', url: config.webUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.baseUrl }],
      tags: TAGS,
      webhooks: WEBHOOKS as never,
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
          oauth: {
            type: 'oauth2',
            description: 'A token that the user gave to an application.',
            flows: {
              authorizationCode: {
                authorizationUrl: `${config.baseUrl}/sso/authorize`,
                tokenUrl: `${config.baseUrl}/oauth/token`,
                refreshUrl: `${config.baseUrl}/oauth/token`,
                scopes: SCOPE_DESCRIPTIONS,
              },
            },
          },
        },
      },
    },
    transform: ({ schema, url }) => ({
      url,
      schema: {
        ...schema,
        ...(schema.body !== undefined && { body: defaultsInWords(schema.body) }),
        ...(schema.querystring !== undefined && {
          querystring: defaultsInWords(schema.querystring),
        }),
      },
    }),
    transformObject: (document) =>
      'openapiObject' in document
        ? shareComponents(document.openapiObject)
        : document.swaggerObject,
  });
}

/**
 * Returns a request's schema with its defaults in the descriptions only: many generated clients
 * require a field that has a `default`.
 */
function defaultsInWords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(defaultsInWords);
  if (typeof node !== 'object' || node === null) return node;
  const described = Object.fromEntries(
    Object.entries(node).map(([key, part]) => [key, defaultsInWords(part)]),
  );
  const { default: value, description, ...rest } = described;
  // A schema's default is a value. A property that is named `default` has a schema.
  if (value === undefined || typeof value === 'object') return described;
  return { ...rest, description: `${description} Default: ${JSON.stringify(value)}.` };
}
