import { CommandError, EXIT, Unreachable } from './outcome.ts';

type Fetch = typeof fetch;

/** The largest answer to read: a page of 5 MB as JSON, with room to spare. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: callers check what they read
  json: any;
}

/**
 * Sends a request. Redirects are not followed.
 *
 * @throws CommandError if there is no answer, or it is too long
 */
export async function send(
  url: string,
  init: RequestInit = {},
  timeoutMs = TIMEOUT_MS,
): Promise<HttpAnswer> {
  const where = new URL(url).host;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    proxied ??= fetchThroughProxy();
    const response = await (await proxied)(url, { redirect: 'manual', signal, ...init });
    const { status, headers } = response;
    const text = await readBody(response);
    return { status, headers, text, json: parseJson(text) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { cause } = error as Error;
    const { code, message } = (cause instanceof Error ? cause : error) as NodeJS.ErrnoException;
    const isPlain = code === 'ERR_SSL_WRONG_VERSION_NUMBER';
    const reason = isPlain ? 'it speaks http, not https.' : message || String(cause);
    throw new Unreachable(`${where} doesn’t answer: ${reason}`);
  }
}

let proxied: Promise<Fetch> | undefined;

/**
 * Returns a `fetch` that respects `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. The library for this is
 * loaded only if one is set: Node's own support begins after the oldest version that we run on.
 */
async function fetchThroughProxy(): Promise<Fetch> {
  const { HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy } = process.env;
  if (!(HTTP_PROXY || HTTPS_PROXY || http_proxy || https_proxy)) return fetch;
  const { EnvHttpProxyAgent, fetch: fetchWith } = await import('undici');
  const dispatcher = openAgent(EnvHttpProxyAgent);
  return (async (url: string, init: object) =>
    fetchWith(url, { ...init, dispatcher })) as unknown as Fetch;
}

function openAgent<Agent>(EnvHttpProxyAgent: new () => Agent): Agent {
  try {
    return new EnvHttpProxyAgent();
  } catch {
    const message = 'HTTPS_PROXY or HTTP_PROXY isn’t an address such as http://proxy.example:8080.';
    throw new CommandError(message, EXIT.usage);
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new CommandError('The server’s answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
