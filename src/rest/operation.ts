import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { requireScope, type Scope } from '../account/scope.ts';
import type { Actor, Context } from '../context.ts';
import type { RepeatableRequest } from '../document/revision/repeated-request.ts';
import type { WriteRow } from '../document/revision/revision-store.ts';
import type { BodyQueue } from '../http/body-queue.ts';
import { isNotModified } from '../http/conditional.ts';
import type { Page, PageRequest } from '../pagination/result-page.ts';
import { PageQuery, pageRequest } from '../pagination/result-page-schema.ts';
import { readJsonBody } from './body.ts';
import { answerOnce, IDEMPOTENCY_KEY } from './idempotency.ts';
import { inPieces } from './long-answer.ts';
import { linkHeader } from './pagination.ts';

/** The names in braces of a path such as `/briefs/{owner}/{name}`. */
type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & ParametersOf<Rest>
  : unknown;

/** What an operation's handler is given. */
export interface Call<Path extends string, Query, Body> {
  context: Context;
  actor: Actor;
  params: ParametersOf<Path>;
  query: Query;
  body: Body;
  /** What a list is asked for. */
  page: PageRequest;
  ifMatch: string | undefined;
  /** The request, if its sender may repeat it. */
  repeatable?: RepeatableRequest;
  /** The request itself, for operations that read a stream. */
  request: FastifyRequest;
}

/** What an operation's handler answers. */
export interface Answer {
  status: number;
  data?: object;
  /** The length of the whole list, when `data` is one page of it. */
  total?: number;
  /** The entity tag of the resource, where it has one. */
  etag?: string;
  /** Path of what was made, below `{base_url}`. */
  location?: string;
  headers?: Record<string, string>;
  /** Sent instead of `data`, for as long as it lasts. */
  stream?: { type: string; body: Readable };
}

/** One route of the API, declared once: what checks requests, shapes answers and documents both. */
export interface Operation<
  Path extends string,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: Path;
  id: string;
  tag: string;
  summary: string;
  /** What the caller's token has to be meant for. */
  scope: Scope;
  /** The permission or role it takes, where it takes one. */
  needs?: string;
  description?: string;
  query?: Query;
  body?: Body;
  /** The form that is sent instead of a body; the handler reads and judges it. */
  form?: TSchema;
  /** The most the body may measure, in bytes; by default 1 MB. */
  bodyLimit?: number;
  /** Whether it answers a list, in pages. */
  paginated?: boolean;
  /** Whether its answers carry an entity tag; what is there already heeds conditions too. */
  conditional?: boolean;
  /** Headers of its own that answers have, as OpenAPI describes them. */
  headers?: Record<string, { type: string; description: string }>;
  /** The schema of `data` by status; `null` for an answer without a body. */
  answers: Record<number, TSchema | null>;
  /** The statuses of its own errors, beyond those of every operation of its method. */
  errors: readonly number[];
  /**
   * What must hold before the request is judged any further: throws NOT_FOUND or FORBIDDEN. For
   * operations that could otherwise tell a stranger something by a complaint about the request.
   */
  gate?: (context: Context, actor: Actor, params: ParametersOf<Path>) => Promise<unknown>;
  handler: (
    call: Call<
      Path,
      Query extends TObject ? Static<Query> : unknown,
      Body extends TSchema ? Static<Body> : unknown
    >,
  ) => Promise<Answer>;
  /**
   * Answers a request that was carried out before, from what it wrote. With it, the operation takes an
   * `Idempotency-Key`.
   */
  repeat?: (
    call: Call<
      Path,
      Query extends TObject ? Static<Query> : unknown,
      Body extends TSchema ? Static<Body> : unknown
    >,
    write: WriteRow,
  ) => Promise<Answer>;
}

/** Every error body (specification, part "Errors"). */
const ErrorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'What went wrong, for programs.', examples: ['NOT_FOUND'] }),
      message: Type.String({
        description: 'What went wrong, for people; names the field at fault.',
      }),
    }),
  },
  { title: 'Error' },
);

/** What an answer to a write that contradicts another says besides the error. */
const ConflictSchema = Type.Object(
  {
    ...ErrorSchema.properties,
    data: Type.Object({
      baseRevision: Type.Integer({ description: 'The revision that the write started from.' }),
      currentRevision: Type.Integer({ description: 'The revision that the document has now.' }),
      by: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Who wrote the current one; `null` if the account is gone.',
      }),
      current: Type.Optional(Type.String({ description: 'The current text; left out if long.' })),
      merged: Type.Optional(
        Type.String({
          description: 'Both texts merged, with the current lines at conflicts; left out if long.',
        }),
      ),
      conflicts: Type.Array(
        Type.Object({
          line: Type.Integer({ description: 'The first line of the conflict in `merged`.' }),
          base: Type.String({ description: 'The lines of the base.' }),
          current: Type.String({ description: 'The current lines.' }),
          yours: Type.String({ description: 'The lines of the write.' }),
        }),
        { description: 'Where both changed the same lines.' },
      ),
    }),
  },
  { title: 'Conflict' },
);

const PATH_PARAMETERS: Record<string, string> = {
  owner: 'The owner’s namespace: a username or an organization’s namespace.',
  name: 'The document’s name. Case is ignored, spaces become hyphens.',
  username: 'A username; case is ignored.',
  org: 'An organization’s namespace; case is ignored.',
  inviteId: 'An invitation’s id.',
  id: 'The id, as the list shows it.',
  number: 'A revision’s number.',
  thread: 'A thread’s id.',
  comment: 'A comment’s id.',
};

const CONDITIONS: Record<string, string> = {
  'If-Match':
    'Entity tags: the change is made only if the document still has one of them (412 otherwise). ' +
    'Tags that other callers received count too.',
  'If-None-Match': 'Entity tags: answers 304 without a body if the document still has one of them.',
};

const header = (description: string, type = 'string') => ({ type, description });
const ENTITY_TAG = header('A strong entity tag; changes with every write.');
const PAGINATION_LINKS = header(
  'Links to the first, previous, next and last result page (RFC 8288).',
);
const MOVED_TO = header('The same address with the document’s current name.');
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
  409: 'CONFLICT: someone else changed the same lines. `data` has both texts and the lines.',
  412: 'PRECONDITION_FAILED: the document has changed since the version that If-Match names.',
  413: 'PAYLOAD_TOO_LARGE: the request body is over its limit. CONTENT_TOO_LARGE: the content in it is.',
  422: 'UNPROCESSABLE: a valid request that can’t be carried out, such as a name that is taken.',
  429: 'RATE_LIMITED: too many requests. Wait for the seconds that Retry-After says.',
  500: 'INTERNAL: an error of the service.',
  503: 'UNAVAILABLE: a back end doesn’t answer. Retry-After says when to try again.',
};

/** As the framework writes it for what it serializes itself. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** What operations are added to. */
export interface Api {
  app: FastifyInstance;
  context: Context;
  /** `{base_url}`. */
  baseUrl: string;
  bodyQueue: BodyQueue;
}

/** Adds an operation to the API. */
export function addOperation<
  const Path extends string,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>({ app, context, baseUrl, bodyQueue }: Api, operation: Operation<Path, Query, Body>): void {
  const { origin } = new URL(baseUrl);
  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(operation.bodyLimit && { bodyLimit: operation.bodyLimit }),
    ...(operation.form && { validatorCompiler: () => () => true }),
    schema: {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.description && { description: operation.description }),
      security: [{ oauth: [operation.scope] }, { token: [] }],
      ...(operation.needs && { 'x-permission': operation.needs }),
      ...requestSchemas(operation),
      response: responseSchemas(operation),
    },
    // After authentication and before the body is read: nothing about it, its size included, is
    // revealed to a caller who can't see the target.
    onRequest: async (request) => {
      requireScope(request.actor, operation.scope);
      await operation.gate?.(context, request.actor, request.params as ParametersOf<Path>);
    },
    ...(operation.body && {
      preValidation: async (request) => {
        request.body = await bodyQueue.read('rest', request, () => readJsonBody(request));
      },
    }),
    handler: async (request, reply) => {
      const page = pageRequest(request.query as { per_page?: number; page?: number });
      const call = {
        context,
        actor: request.actor,
        params: request.params as never,
        query: request.query as never,
        body: request.body as never,
        page,
        ifMatch: request.headers['if-match'],
        request,
      };
      const { handler, repeat } = operation;
      const answer = await (repeat ? answerOnce(call, handler, repeat) : handler(call));
      const { status, data, total, etag, location, headers } = answer;
      if (headers) reply.headers(headers);
      if (location) reply.header('location', baseUrl + location);
      if (total !== undefined) {
        const link = linkHeader(origin + targetOf(request.url), page, total);
        if (link) reply.header('link', link);
      }
      if (etag) {
        reply.header('etag', etag);
        const conditional = operation.method === 'GET' && isNotModified(request.headers, { etag });
        if (conditional) return reply.code(304).send();
      }
      reply.code(status);
      if (answer.stream) {
        const { type, body } = answer.stream;
        return reply.type(type).header('cache-control', 'no-store').send(body);
      }
      if (data === undefined) return reply.send();
      const stream = inPieces(data, (all) => reply.serialize(all) as string);
      return stream ? reply.type(JSON_TYPE).send(stream) : reply.send({ data });
    },
  });
}

/** An answer that is one page of a list. */
export function listAnswer<T>(page: Page<T>, present: (item: T) => unknown): Answer {
  return { status: 200, data: page.items.map(present), total: page.total };
}

/** The answer of a change that leaves nothing to say. */
export const NO_CONTENT: Answer = { status: 204 };

interface Described {
  method: string;
  path: string;
  query?: TObject | undefined;
  body?: TSchema | undefined;
  form?: TSchema;
  paginated?: boolean;
  conditional?: boolean;
  repeat?: unknown;
  headers?: Record<string, object>;
  answers: Record<number, TSchema | null>;
  errors: readonly number[];
}

function requestSchemas(operation: Described) {
  const names = Array.from(operation.path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string);
  const parameters = names.map((name) => [
    name,
    Type.String({ description: PATH_PARAMETERS[name] ?? '' }),
  ]);
  const query = { ...operation.query?.properties, ...(operation.paginated && PageQuery) };
  const condition = operation.method === 'GET' ? 'If-None-Match' : 'If-Match';
  const isConditional = operation.conditional && operation.method !== 'POST';
  const headers = {
    ...(isConditional && {
      [condition]: Type.Optional(Type.String({ description: CONDITIONS[condition] ?? '' })),
    }),
    ...(operation.repeat !== undefined && {
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

function responseSchemas(operation: Described): Record<number, object> {
  const responses: Record<number, object> = {};
  for (const [status, data] of Object.entries(operation.answers)) {
    responses[Number(status)] = {
      'x-response-description': ANSWER_DESCRIPTIONS[status] ?? 'Success.',
      ...(data ? Type.Object({ data }) : { type: 'null' }),
      headers: {
        ...(operation.paginated && { Link: PAGINATION_LINKS }),
        ...(operation.conditional && data && { ETag: ENTITY_TAG }),
        ...operation.headers,
        ...RATE_LIMIT_HEADERS,
      },
    };
  }
  if (operation.path.includes('{owner}/{name}')) {
    responses[308] = {
      'x-response-description':
        'MOVED: the document has another name now. Repeat the request there.',
      ...ErrorSchema,
      headers: { Location: MOVED_TO, ...RATE_LIMIT_HEADERS },
    };
  }
  if (operation.conditional && operation.method === 'GET') {
    responses[304] = {
      'x-response-description': 'Not changed since If-None-Match.',
      type: 'null',
    };
  }
  const common = [401, 403, 429, 500, 503, ...(operation.method === 'GET' ? [] : [413])];
  // A part of a path can be too long, or not decode.
  if (operation.path.includes('{')) common.push(400);
  for (const status of new Set([...operation.errors, ...common].sort())) {
    responses[status] = {
      'x-response-description': ERROR_DESCRIPTIONS[status],
      ...(status === 409 ? ConflictSchema : ErrorSchema),
    };
  }
  return responses;
}

/** The path and query of a request target (RFC 9112, section 3.2), whatever host it names. */
function targetOf(target: string): string {
  const { pathname, search } = new URL(target, 'http://localhost');
  return pathname + search;
}
