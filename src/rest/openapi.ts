import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

const DESCRIPTION = `Briefs stores and shares Markdown briefs and single-file HTML pages. This API is for all that programs do with them: \
documents, who may read and write them, uploaded files, organizations and invitations.

Every request carries a token (Authorization: Bearer …): a personal access token, or one that an \
application has from OAuth. Each operation names the scope that its token needs. Requests and answers \
are JSON; a successful answer has its payload in "data". Ids are UUIDv7, timestamps ISO 8601 in UTC.

Lists come newest first, in pages; the Link header leads from one to the next. A document that you \
may not read answers 404, exactly as one that does not exist.

Every error has the shape {"error": {"code", "message"}}; the message names the field at fault.

The budget is per token and shows in the X-RateLimit headers. When it is used up, 429 with \
Retry-After says how many seconds to wait.`;

/** Has the API describe itself (OpenAPI 3.1) from the routes that are added after this. */
export async function describeApi(
  app: FastifyInstance,
  config: Pick<Config, 'baseUrl'>,
  version: string,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Briefs API', version, description: DESCRIPTION },
      servers: [{ url: config.baseUrl }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A personal access token, or one from OAuth.',
          },
        },
      },
      security: [{ token: [] }],
    },
  });
}
