import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROOT } from '../../base/package.ts';
import type { Config } from '../../core/config/config.ts';
import { chooseCoding, codedTag } from '../http/compression.ts';
import { isNotModified } from '../http/conditional.ts';

/** Where `npm run build:server` writes the OpenAPI document. */
export const BUILT_OPENAPI = fileURLToPath(new URL('dist/openapi.json', ROOT));

/** The addresses in the built document, which a service replaces by its own. */
export const BUILT_ADDRESSES = {
  baseUrl: 'https://base-url.invalid/api',
  webUrl: 'https://web-url.invalid',
} as const satisfies Partial<Config>;

/**
 * Returns the built OpenAPI document for a server, as JSON. To generate it takes most of a second,
 * in which requests would wait.
 *
 * @throws Error with instructions if it was not built
 */
export function readBuiltOpenApi(config: Pick<Config, 'baseUrl' | 'webUrl'>): string {
  let text: string;
  try {
    text = readFileSync(BUILT_OPENAPI, 'utf8');
  } catch (cause) {
    const problem = `The OpenAPI document is not built (no ${BUILT_OPENAPI})`;
    throw new Error(`${problem}: run "npm run build:server".`, { cause });
  }
  for (const name of ['baseUrl', 'webUrl'] as const) {
    const own = JSON.stringify(config[name]).slice(1, -1);
    text = text.replaceAll(BUILT_ADDRESSES[name], () => own);
  }
  return text;
}

/** Returns the handler that answers with the OpenAPI document, or with 304 if the caller has it. */
export function serveOpenApi(text: string) {
  const plain = `"${hash('sha256', text).slice(0, 32)}"`;
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.type('application/json; charset=utf-8');
    const etag = codedTag(plain, chooseCoding(request, reply, text));
    reply.header('etag', etag);
    return isNotModified(request.headers, { etag }) ? reply.code(304).send() : reply.send(text);
  };
}
