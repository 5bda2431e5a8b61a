import { type TObject, type TSchema, Type } from 'typebox';
import { FeedQuery, PageQuery } from '../../base/pagination/result-page-schema.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';

/** The body of every error (specification, part "Errors"). */
const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'The error, for programs.', examples: ['NOT_FOUND'] }),
      message: Type.String({
        description: 'The error, for people; names the wrong field.',
      }),
    }),
  },
  { title: 'Error' },
);

/**
 * The body of a conflict error: the error, and the conflicting texts. If the name belongs to another
 * document, there are none.
 */
const ConflictSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    data: Type.Optional(
      Type.Object({
        baseRevision: Type.Integer({ description: 'The revision that the write was based on.' }),
        currentRevision: Type.Integer({ description: 'The current revision.' }),
        by: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'The author of the current text; `null` if the account was deleted.',
        }),
        current: Type.Optional(Type.String({ description: 'The current text; omitted if long.' })),
        merged: Type.Optional(
          Type.String({
            description: 'Both texts merged, with the current lines at conflicts; omitted if long.',
          }),
        ),
        gone: Type.Optional(
          Type.String({
            description:
              'The passage or heading that was deleted, though something was to be added there.',
          }),
        ),
        conflicts: Type.Array(
          Type.Object({
            line: Type.Integer({ description: 'The first line of the conflict in `merged`.' }),
            currentLine: Type.Integer({
              description: 'The first line of the conflict in the current text.',
            }),
            base: Type.String({ description: 'The lines of the base.' }),
            current: Type.String({ description: 'The current lines.' }),
            yours: Type.String({ description: 'The lines of the rejected write.' }),
          }),
          { description: 'The places where both changed the same lines.' },
        ),
      }),
    ),
  },
  { title: 'Conflict' },
);

/** The body of an error about a request that can't be carried out. */
const RefusalSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    data: Type.Optional(
      Type.Object(
        {
          limit: Type.String({ description: 'The limit’s name.', examples: ['documents'] }),
          used: Type.Integer({ description: 'What the owner has.' }),
          allowed: Type.Integer({ description: 'The most that the owner can have.' }),
        },
        { description: 'Only with QUOTA_EXCEEDED.' },
      ),
    ),
  },
  { title: 'Refusal' },
);

const ERROR_SCHEMAS: Partial<Record<number, TSchema>> = { 409: ConflictSchema, 422: RefusalSchema };

const PATH_PARAMETERS: Record<string, string> = {
  owner: 'The owner’s namespace: a username or an organization’s namespace.',
  name: 'The document’s name. Case is ignored, spaces become hyphens.',
  username: 'A username; case is ignored.',
  org: 'An organization’s namespace; case is ignored.',
  inviteId: 'An invitation’s id.',
  id: 'The id, as in the list.',
  number: 'A revision’s number.',
  thread: 'A thread’s id.',
  comment: 'A comment’s id.',
};

const CONDITIONS: Record<string, string> = {
  'If-Match':
    'Entity tags: the change is made only if the document still has one of them (412 ' +
    'otherwise). Tags that other callers received also work.',
  'If-None-Match':
    'Entity tags: the response is 304 without a body if the document or list still has one of them.',
};

const header = (description: string, type = 'string') => ({ type, description });
const ENTITY_TAG = header('A strong entity tag; changes with every write.');
const LIST_TAG = header('A weak entity tag of this result page.');
const PAGINATION_LINKS = header(
  'Links to the first, previous, next and last result page (RFC 8288).',
);
const MOVED_TO = header('The same address with the document’s current name.');
/** The headers that an operation declares by status (`sends`). */
const SENT_HEADERS = {
  Location: header('The address of what was created or moved, in this API.'),
  'X-Revision': header('The current revision.', 'integer'),
  ETag: ENTITY_TAG,
  'X-Merged': header(
    'Whether changes since `baseRevision` were merged in: `false`, `true`, or `words` if both ' +
      'changed words of a line.',
    'string',
  ),
  'X-Search-Partial': header(
    'Sent if nothing has all words, so the results have more than half of them.',
    'boolean',
  ),
  'X-Search-Pending': header(
    'Whether documents that you can read have changes that can’t be found yet.',
    'boolean',
  ),
};
export type SentHeader = keyof typeof SENT_HEADERS;

const RATE_LIMIT_HEADERS = {
  'X-RateLimit-Limit': header('Requests allowed per window.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this window.', 'integer'),
  'X-RateLimit-Reset': header('When the window ends, as Unix time in seconds.', 'integer'),
  'X-Request-Id': header('Identifies this request in the logs.'),
};

const ANSWER_DESCRIPTIONS: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, without a body.',
};

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: 'BAD_REQUEST: a parameter or the body is missing or invalid.',
  401: 'UNAUTHORIZED: the token is missing or invalid.',
  403: 'FORBIDDEN: you can see this but lack the permission, or the token lacks the scope.',
  404: 'NOT_FOUND: it doesn’t exist, or you can’t see it.',
  409:
    'CONFLICT: someone else changed the same lines (`data` has both texts and the lines), or the ' +
    'name belongs to another document than `documentId` (without `data`). Or the first request ' +
    'with this Idempotency-Key was carried out, but its response is lost.',
  405: 'METHOD_NOT_ALLOWED: the address has no such method; Allow lists those that it has.',
  412: 'PRECONDITION_FAILED: the document has changed since the version that If-Match names.',
  413:
    'PAYLOAD_TOO_LARGE: the request body is over its limit. CONTENT_TOO_LARGE: the content in ' +
    'it is.',
  422:
    'UNPROCESSABLE: a valid request that can’t be carried out, such as a name that is taken. ' +
    'QUOTA_EXCEEDED: the owner has as much as it may have (`data` has the limit).',
  429: 'RATE_LIMITED: too many requests. Wait for the number of seconds in Retry-After.',
  431: 'BAD_REQUEST: the request line and headers are too long.',
  451: 'TAKEN_DOWN: an administrator of the instance took the document down. Only those who manage it get this.',
  500: 'INTERNAL: an error of the service.',
  503: 'UNAVAILABLE: a back end doesn’t answer. Retry-After says when to try again.',
};

/** The query parameters of lists: of those with numbered result pages, and of feeds. */
const PAGING = { pages: PageQuery, cursor: FeedQuery };

/** The part of an operation that describes its requests and answers. */
interface Described {
  method: string;
  path: string;
  query?: TObject | undefined;
  body?: TSchema | undefined;
  form?: TSchema;
  paginated?: keyof typeof PAGING;
  conditional?: boolean;
  sends?: Partial<Record<number, readonly SentHeader[]>>;
  answers: Record<number, TSchema | null>;
  errors?: readonly number[];
  rule?: { refusals: readonly number[] };
}

/** Builds the schemas that check an operation’s requests and document them. */
export function requestSchemas(operation: Described) {
  const names = Array.from(operation.path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string);
  const parameters = names.map((name) => [
    name,
    Type.String({ description: PATH_PARAMETERS[name] ?? '' }),
  ]);
  const query = {
    ...operation.query?.properties,
    ...(operation.paginated && PAGING[operation.paginated]),
  };
  const condition = operation.method === 'GET' ? 'If-None-Match' : 'If-Match';
  const isConditional =
    operation.paginated === 'pages' ||
    operation.errors?.includes(412) ||
    (operation.conditional && operation.method !== 'POST');
  const headers = {
    ...(isConditional && {
      [condition]: Type.Optional(Type.String({ description: CONDITIONS[condition] ?? '' })),
    }),
    ...(operation.method === 'POST' && {
      'Idempotency-Key': Type.Optional(Type.String({ description: IDEMPOTENCY_KEY })),
    }),
  };
  return {
    ...(names.length > 0 && { params: Type.Object(Object.fromEntries(parameters)) }),
    ...(Object.keys(query).length > 0 && { querystring: Type.Object(query) }),
    ...(operation.body && { body: operation.body }),
    ...(operation.form && { body: operation.form, consumes: ['multipart/form-data'] }),
    ...(Object.keys(headers).length > 0 && { headers: Type.Object(headers) }),
  };
}

/** Tells whether a request can be invalid in more than its path, its scope and its rule. */
export function canBeInvalid({ method, body, form, query, ...operation }: Described): boolean {
  const hasCondition = operation.conditional === true && method !== 'GET';
  return (
    [body, form, query, operation.paginated].some(Boolean) || hasCondition || method === 'POST'
  );
}

/** Builds the schemas of an operation’s answers, by status. */
export function responseSchemas(operation: Described): Record<number, object> {
  const isPaged = operation.paginated === 'pages';
  const responses: Record<number, object> = {};
  for (const [status, data] of Object.entries(operation.answers)) {
    const sent = operation.sends?.[Number(status)] ?? [];
    responses[Number(status)] = {
      'x-response-description': ANSWER_DESCRIPTIONS[status] ?? 'Success.',
      ...(data ? Type.Object({ data }) : { type: 'null' }),
      headers: {
        ...(isPaged && { Link: PAGINATION_LINKS }),
        ...(operation.conditional && data && { ETag: ENTITY_TAG }),
        ...(isPaged && { ETag: LIST_TAG }),
        ...Object.fromEntries(sent.map((name) => [name, SENT_HEADERS[name]])),
        ...RATE_LIMIT_HEADERS,
      },
    };
  }
  if (operation.path.includes('{owner}/{name}') && operation.method !== 'DELETE') {
    responses[308] = {
      'x-response-description':
        'MOVED: the document now has another owner or name. Repeat the request at the new address.',
      ...ErrorSchema,
      headers: { Location: MOVED_TO, ...RATE_LIMIT_HEADERS },
    };
  }
  if ((operation.conditional || isPaged) && operation.method === 'GET') {
    responses[304] = {
      'x-response-description': 'Not changed since If-None-Match.',
      type: 'null',
    };
  }
  const common = [401, 403, 405, 429, 431, 500, 503, ...(operation.method === 'GET' ? [] : [413])];
  // Always possible, because a path segment can be too long or malformed.
  if (operation.path.includes('{')) common.push(400);
  if (canBeInvalid(operation)) common.push(400);
  // For the key of another request, and of one whose answer isn't stored.
  if (operation.method === 'POST') common.push(409, 422);
  const refusals = operation.rule?.refusals ?? [];
  for (const status of new Set([...(operation.errors ?? []), ...refusals, ...common].sort())) {
    responses[status] = {
      'x-response-description': ERROR_DESCRIPTIONS[status],
      ...(ERROR_SCHEMAS[status] ?? ErrorSchema),
    };
  }
  return responses;
}
