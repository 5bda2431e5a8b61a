import { strict as assert } from 'node:assert';
import type { Service } from '../harness.ts';
import { type RawAnswer, rawAnswer } from '../raw-http.ts';

/** The exact policy for a user's HTML. */
export function pagePolicy(webUrl: string): string {
  return (
    'sandbox allow-scripts allow-forms allow-modals allow-downloads; ' +
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; " +
    "style-src 'unsafe-inline' data: blob:; img-src data: blob:; font-src data: blob:; " +
    'media-src data: blob:; worker-src data: blob:; connect-src data: blob:; ' +
    "frame-src data: blob:; form-action 'none'; " +
    `base-uri 'none'; object-src 'none'; frame-ancestors ${webUrl}`
  );
}

/** Headers that differ between responses, or belong to the connection. */
const PASSING = ['date', 'x-request-id', 'connection', 'keep-alive'];

/** The part of a response that is the same each time. */
export function lasting(answer: RawAnswer): RawAnswer {
  const headers = Object.entries(answer.headers).filter(([name]) => !PASSING.includes(name));
  return { ...answer, headers: Object.fromEntries(headers.sort()) };
}

/** Sends one request to the render host with an unchanged target. */
export function ask(
  service: Pick<Service, 'renderUrl'>,
  target: string,
  { method = 'GET', headers = {} as Record<string, string>, body = '' } = {},
): Promise<RawAnswer> {
  const { host, port } = new URL(service.renderUrl);
  const all: Record<string, string> = { host, ...headers };
  if (body !== '') all['content-length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} HTTP/1.1`, ...lines].join('\r\n');
  return rawAnswer(Number(port), `${head}\r\n\r\n${body}`, { headOnly: method === 'HEAD' });
}

/** Asserts the render host's response to everything that it doesn't show. */
export async function assertNothing(
  service: Pick<Service, 'renderUrl'>,
  answer: RawAnswer,
  what: string,
): Promise<void> {
  const reference = lasting(await ask(service, '/nobody/nothing'));
  assert.equal(reference.status, 404);
  assert.deepEqual(lasting(answer), reference, what);
}

/** The path and query of an address. */
export function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}
