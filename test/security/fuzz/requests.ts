import fc from 'fast-check';
import { PNG } from '../../files/samples.ts';
import type { Operation } from './operations.ts';
import { CALLERS, type CallerName, type Known, type Stage } from './stage.ts';
import { broken, HOSTILE_TEXTS, type Schema, valid } from './values.ts';

/** A random request: names of known things are filled in when it is sent. */
export interface RandomRequest {
  operation: Operation;
  caller: CallerName;
  /** Instead of the operation's own. */
  method: string | undefined;
  segments: Segment[];
  query: QueryPart[];
  headers: Record<string, string>;
  body: Body;
}

type Segment = { known: number } | { encoded: string };

interface QueryPart {
  text: string;
  /** Whether the operation must refuse it. */
  isBad: boolean;
}

type Body =
  | { kind: 'none' }
  /** As JSON; values that the schema forbids must be refused. */
  | { kind: 'json'; value: unknown }
  /** As raw bytes; must be refused if the operation reads a body. */
  | { kind: 'junk'; bytes: string | Uint8Array }
  /** JSON with a place changed, which may still be allowed. */
  | { kind: 'damaged'; bytes: string }
  | { kind: 'form'; bytes: string | Uint8Array };

/** A request to send, and expectations besides the OpenAPI document's. */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  isBad: boolean;
}

/** Segments of paths, encoded correctly or not. None is empty or contains a slash. */
const ODD_SEGMENTS = [
  '%zz',
  '%',
  '%f',
  '%ff',
  '%c0%80',
  '%ed%a0%80',
  '%00',
  '%0d%0a',
  '%2f',
  '%5c',
  '%2e%2e',
  '..',
  '.',
  '%2e',
  '%252e',
  '+',
  'a;b',
  ';',
  'a,b',
  '%u0041',
  '*',
  '~',
  '!',
  "'",
  '(',
  '%23',
  '%3f',
];

const segment: fc.Arbitrary<Segment> = fc.oneof(
  { arbitrary: fc.nat(50).map((known) => ({ known })), weight: 20 },
  {
    arbitrary: fc
      .constantFrom(...HOSTILE_TEXTS.filter((text) => text !== ''))
      .map((text) => ({ encoded: encodeURIComponent(text) })),
    weight: 1,
  },
  { arbitrary: fc.constantFrom(...ODD_SEGMENTS).map((encoded) => ({ encoded })), weight: 1 },
  {
    arbitrary: fc.uuid({ version: 7 }).map((encoded) => ({ encoded })),
    weight: 1,
  },
);

const BAD_INTEGERS = ['', '-1', '1.5', 'x', '1e2', '0x10', '٣', ' 1', 'true'];

const STRANGE_QUERIES = [
  '',
  '=',
  '&&',
  '%',
  `page=${'9'.repeat(30)}`,
  '%zz=1',
  'a[]=1',
  '__proto__=1',
  '__proto__[x]=1',
  'constructor=1',
  'x'.repeat(2_000),
  'access_token=brf_x',
  'format=md',
  'owner=bystander',
  '\u00ff=\u00ff',
];

/** Query values that an operation must refuse. */
function badFor(name: string, { type, minimum = 0, enum: values }: Schema): string[] {
  if (type === 'integer') return minimum > 0 ? [...BAD_INTEGERS, '0'] : BAD_INTEGERS;
  if (values) return ['', 'x', 'ACTIVE'];
  // What is searched for can be of any length.
  return name === 'q' ? ['', '\0'] : ['', '\0', 'x'.repeat(300)];
}

function queryFor({ queryParameters }: Operation): fc.Arbitrary<QueryPart[]> {
  const strange = fc.constantFrom(...STRANGE_QUERIES).map((text) => ({ text, isBad: false }));
  const parts = queryParameters.flatMap(({ name, schema }) => {
    // Nothing happens while a request waits for events, for up to a minute.
    const values = name === 'wait' ? fc.constantFrom(0, 1) : valid(schema);
    const good = values.map((value) => ({
      text: `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
      isBad: false,
    }));
    const badValues = badFor(name, schema);
    const bad = fc
      .constantFrom(...badValues)
      .map((value) => ({ text: `${name}=${encodeURIComponent(value)}`, isBad: true }));
    const twice = fc.constant({ text: `${name}=1&${name}=2`, isBad: true });
    return [
      { arbitrary: good, weight: 4 },
      { arbitrary: bad, weight: 2 },
      { arbitrary: twice, weight: 1 },
    ];
  });
  const part = fc.oneof(...parts, { arbitrary: strange, weight: 1 });
  return fc.oneof(
    { arbitrary: fc.constant<QueryPart[]>([]), weight: 3 },
    { arbitrary: fc.array<QueryPart>(part, { minLength: 1, maxLength: 3 }), weight: 2 },
  );
}

const LONG = 'x'.repeat(4_000);

/** Headers that should change nothing or be refused, but never break anything. */
const HEADERS: Record<string, string[]> = {
  'if-match': ['*', '"x"', 'W/"x"', 'x', '', '"', '"a", "b"', ', ,', '"\u00e9"', `"${LONG}"`],
  'if-none-match': ['*', '"x"', 'W/"x"', 'x', '', '"', ', ,', `"${LONG}"`],
  accept: ['*/*', 'text/html', '', ';;', 'application/xml;q=0.1', 'a/b/c', LONG],
  'accept-encoding': ['identity', 'gzip;q=0', '*;q=0', 'x'],
  'accept-language': ['de', '*', ';'],
  'content-encoding': ['gzip', 'identity', 'br', ''],
  cookie: ['briefs-session=x', 'a=b; a=c', '=', LONG],
  origin: ['null', 'https://evil.example', ''],
  'x-http-method-override': ['DELETE'],
  'x-forwarded-for': ['127.0.0.1', 'x', '::1, ::2'],
  'x-forwarded-host': ['evil.example'],
  'x-request-id': ['x', LONG],
  'transfer-encoding': ['chunked'],
  range: ['bytes=0-0', 'bytes=9-1', 'x'],
  'if-modified-since': ['x', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  'content-type': [
    'text/plain',
    'application/json;charset=utf-16',
    'application/x-www-form-urlencoded',
    'json',
    '',
    '/',
    'a/b/c',
    '; charset=utf-8',
    'multipart/form-data',
    'application/json\u00ff',
    LONG,
  ],
};

const header = fc
  .constantFrom('if-match', 'if-match', 'content-type', ...Object.keys(HEADERS))
  .chain((name) =>
    fc.constantFrom(...(HEADERS[name] as string[])).map((value) => [name, value] as const),
  );

const JUNK: (string | Uint8Array)[] = [
  '{',
  '}',
  'null',
  '[]',
  '""',
  '0',
  'undefined',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  '{}{}',
  '\ufeff',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{}}}',
  '['.repeat(5_000),
  '{"a":'.repeat(2_000),
  'name=x',
  '\0',
  '{"permission":"read","permission":1}',
  '1'.repeat(5_000),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
  Buffer.from('{"name":"\xff","content":"\xc0\x80"}', 'latin1'),
  Buffer.alloc(1_100_000, ' '),
];

const BOUNDARY = 'boundary';
const formPart = (head: string, content: string) =>
  `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`;
const FILE = 'Content-Disposition: form-data; name="file"; filename="note.txt"';
const PICTURE = 'Content-Disposition: form-data; name="picture"; filename="ada.png"';
const FORM_BODIES = [
  ...['A note.', '\0\u0001', '<svg onload="alert(1)"/>', '%PDF-', ''].map(
    (content) => `${formPart(FILE, content)}--${BOUNDARY}--\r\n`,
  ),
  ...[PNG.toString('latin1'), 'A note.', ''].map((content) =>
    Buffer.from(`${formPart(PICTURE, content)}--${BOUNDARY}--\r\n`, 'latin1'),
  ),
  ...['Content-Disposition: form-data; name="other"', 'Content-Disposition: form-data', 'X: y'].map(
    (head) => `${formPart(head, 'x')}--${BOUNDARY}--\r\n`,
  ),
  '',
  `--${BOUNDARY}`,
  `--${BOUNDARY}--`,
  formPart(FILE, 'cut off'),
  'no form',
  `${formPart(FILE, 'one')}${formPart(FILE, 'two')}--${BOUNDARY}--\r\n`,
  ...['../../x', '\u0000', '"; x="', 'a'.repeat(3_000)].map(
    (name) =>
      `${formPart(`Content-Disposition: form-data; name="file"; filename="${name}"`, 'x')}--${BOUNDARY}--\r\n`,
  ),
];

function bodyFor({ body, formField }: Operation): fc.Arbitrary<Body> {
  const none: fc.Arbitrary<Body> = fc.constant({ kind: 'none' });
  const junk: fc.Arbitrary<Body> = fc
    .constantFrom(...JUNK)
    .map((bytes) => ({ kind: 'junk', bytes }));
  const json = (schema: Schema, of: typeof valid | typeof broken): fc.Arbitrary<Body> =>
    of(schema).map((value) => ({ kind: 'json', value }));
  if (formField) {
    const form = fc.constantFrom(...FORM_BODIES).map((bytes): Body => ({ kind: 'form', bytes }));
    return fc.oneof({ arbitrary: form, weight: 5 }, { arbitrary: junk, weight: 1 }, none);
  }
  if (!body) return fc.oneof({ arbitrary: none, weight: 9 }, { arbitrary: junk, weight: 1 });
  const damaged = fc
    .tuple(valid(body), fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }))
    .map(([value, place, change]): Body => {
      const text = JSON.stringify(value);
      const at = place % text.length;
      return { kind: 'damaged', bytes: text.slice(0, at) + change + text.slice(at + 1) };
    });
  return fc.oneof(
    { arbitrary: json(body, valid), weight: 5 },
    { arbitrary: damaged, weight: 1 },
    { arbitrary: json(body, broken), weight: 3 },
    { arbitrary: junk, weight: 1 },
    { arbitrary: none, weight: 1 },
  );
}

/** Any request to an operation: valid, invalid and in between. */
export function requestTo(operation: Operation): fc.Arbitrary<RandomRequest> {
  return fc.record({
    operation: fc.constant(operation),
    caller: fc.oneof(
      { arbitrary: fc.constant('ada' as const), weight: 4 },
      { arbitrary: fc.constantFrom(...CALLERS), weight: 3 },
    ),
    method: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 30 },
      { arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PURGE'), weight: 1 },
    ),
    segments: fc.tuple(...operation.pathParameters.map(() => segment)),
    query: queryFor(operation),
    headers: fc
      .oneof(
        { arbitrary: fc.constant([]), weight: 3 },
        { arbitrary: fc.array(header, { minLength: 1, maxLength: 3 }), weight: 1 },
      )
      .map((pairs) => Object.fromEntries(pairs)),
    body: bodyFor(operation),
  });
}

/**
 * Fills in known things of the stage.
 *
 * @param allows whether the operation's schema allows a body
 */
export function fillIn(
  request: RandomRequest,
  { known, clients }: Pick<Stage, 'known' | 'clients'>,
  allows: (value: unknown) => boolean,
): Sent {
  const { operation, caller, segments, query, body } = request;
  let next = 0;
  const path = operation.template.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const chosen = segments[next++] as Segment;
    if ('encoded' in chosen) return chosen.encoded;
    const values = known[name as keyof Known];
    return values[chosen.known % values.length] ?? 'x';
  });
  const { token } = clients[caller];
  const json = 'application/json';
  const types = { json, junk: json, damaged: json, none: undefined };
  const type =
    body.kind === 'form' ? `multipart/form-data; boundary=${BOUNDARY}` : types[body.kind];
  const bytes = bytesOf(body);
  const isChunked = 'transfer-encoding' in request.headers;
  const search = query.map(({ text }) => text).join('&');
  return {
    method: request.method ?? operation.method,
    path: path + (query.length > 0 ? `?${encodeNonAscii(search)}` : ''),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(type && { 'content-type': type }),
      ...(bytes !== undefined && !isChunked && { 'content-length': `${Buffer.byteLength(bytes)}` }),
      ...request.headers,
    },
    body: bytes,
    isBad:
      query.some(({ isBad }) => isBad) ||
      (operation.body !== undefined && !isAllowed(body, allows)),
  };
}

function isAllowed(body: Body, allows: (value: unknown) => boolean): boolean {
  if (body.kind === 'none') return allows({});
  if (body.kind === 'damaged') return true;
  return body.kind === 'json' && allows(body.value);
}

function bytesOf(body: Body): string | Uint8Array | undefined {
  if (body.kind === 'none') return undefined;
  if (body.kind === 'json') return JSON.stringify(body.value);
  return body.bytes;
}

/** Characters that no request line can contain unencoded. */
function encodeNonAscii(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}
