import { strict as assert } from 'node:assert';
import { connect } from 'node:net';

/** How long to wait for a response before it counts as a hang. */
const PATIENCE_MS = 20_000;

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export interface Exchange {
  answers: RawAnswer[];
  /** Whether the service closed the connection. */
  closed: boolean;
}

/**
 * Sends raw bytes on a new connection and reads responses until there are `expected` final ones or
 * the service closes the connection. Fails if neither happens.
 *
 * @param bytes a text is sent as Latin-1, so that it can contain any byte
 * @param options.end whether to close our half of the connection after the bytes
 * @param options.headOnly whether responses have no body despite their length (HEAD)
 */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  options: { expected?: number; end?: boolean; headOnly?: boolean } = {},
): Promise<Exchange> {
  const { expected = 1, end = false, headOnly = false } = options;
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: parseAnswers(received, headOnly), closed });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`a hang; received: ${received.toString('latin1').slice(0, 500)}`));
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const final = parseAnswers(received, headOnly).filter(({ status }) => status >= 200);
      if (final.length >= expected) finish(false);
    });
    socket.on('close', () => finish(true));
    // A service that closes early may reset the connection; what it sent before counts.
    socket.on('error', () => {});
    socket.on('connect', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (end) socket.end();
    });
  });
}

/** Sends bytes that have one response, and returns it. */
export async function rawAnswer(
  port: number,
  bytes: string | Buffer,
  options: { end?: boolean; headOnly?: boolean } = {},
): Promise<RawAnswer> {
  const { answers } = await exchange(port, bytes, options);
  const final = answers.filter(({ status }) => status >= 200);
  assert.equal(final.length, 1, `one answer to ${JSON.stringify(String(bytes).slice(0, 200))}`);
  return final[0] as RawAnswer;
}

/** Joins the lines of a request's head and body. */
export function lines(...parts: string[]): string {
  return `${parts.join('\r\n')}\r\n\r\n`;
}

/** Asserts an error response with the standard fields and no others. */
export function assertRawError(
  answer: RawAnswer,
  status: number,
  code: string,
  message?: RegExp,
): void {
  assert.equal(answer.status, status, answer.body);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  assert.ok(answer.headers['x-request-id'], 'an X-Request-Id');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.match(answer.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/);
  const json = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(json), ['error']);
  assert.deepEqual(Object.keys(json.error).sort(), ['code', 'message']);
  assert.equal(json.error.code, code);
  if (message) assert.match(json.error.message, message);
}

/** Parses the complete responses. The last may be cut if it has no length. */
function parseAnswers(received: Buffer, headOnly: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [statusLine = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const bodiless = headOnly || status < 200 || status === 204 || status === 304;
    const length = bodiless ? 0 : Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) break;
    answers.push({ status, headers, body: body.toString('utf8') });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}
