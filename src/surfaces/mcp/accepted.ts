import { qualityOf } from '../http/qualities.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** The forms of an answer that a client accepts. */
export interface Accepted {
  json: boolean;
  stream: boolean;
}

/** The header that the protocol's library requires before it answers in either form. */
export const ACCEPT_BOTH = `${JSON_TYPE}, ${STREAM_TYPE}`;

/** Reads an `Accept` header. The library compares texts, so it would refuse a wildcard. */
export function acceptedBy(accept: string | undefined): Accepted {
  return { json: qualityOf(JSON_TYPE, accept) > 0, stream: qualityOf(STREAM_TYPE, accept) > 0 };
}

/**
 * Returns an answer of the library in a form that the client accepts. As JSON, notifications that
 * came before the result are left out. Errors of HTTP stay JSON.
 */
export async function inAcceptedForm(response: Response, accepted: Accepted): Promise<Response> {
  if (isStream(response)) return accepted.stream ? response : asJson(response);
  if (accepted.json || !response.ok || !response.body) return response;
  const headers = new Headers(response.headers);
  headers.set('content-type', STREAM_TYPE);
  const data = JSON.stringify(await response.json());
  return new Response(`event: message\ndata: ${data}\n\n`, { status: response.status, headers });
}

export function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith(STREAM_TYPE) === true;
}

/** Waits until a stream ends, and returns its last message, which is the result. */
async function asJson(response: Response): Promise<Response> {
  const text = await response.text();
  // The library writes each message as one line.
  const last = text.split('\n').findLast((line) => line.startsWith('data: {'));
  const headers = new Headers(response.headers);
  headers.set('content-type', JSON_TYPE);
  return new Response(last?.slice('data: '.length), { status: response.status, headers });
}
