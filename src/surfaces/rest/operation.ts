import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import { lastPageNumber, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { pageRequest } from '../../base/pagination/result-page-schema.ts';
import type { Call, Context } from '../../core/context.ts';
import { documentNotFound } from '../../core/document/authorize.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import { beyondReach } from '../../core/identity/reach.ts';
import { requireScope, type Scope } from '../../core/identity/scope.ts';
import { callFor } from '../../core/owner/program-service.ts';
import type { BodyQueue } from '../http/body-queue.ts';
import { isNotModified } from '../http/conditional.ts';
import { endIfUnread, type Unread } from '../http/unread.ts';
import { readJsonBody } from './body.ts';
import { answerOnce, isAnswered } from './idempotency.ts';
import { inPieces } from './long-answer.ts';
import {
  canBeInvalid,
  requestSchemas,
  responseSchemas,
  type SentHeader,
} from './operation-schema.ts';
import type { Rule } from './rules.ts';

/** The names in braces of a path such as `/briefs/{owner}/{name}`. */
type ParametersOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & ParametersOf<Rest>
  : unknown;

/** What an operation's handler receives. */
export interface ApiRequest<Path extends string, Query, Body> {
  call: Call;
  params: ParametersOf<Path>;
  query: Query;
  body: Body;
  /** The requested result page of a list; of a feed, only its size counts. */
  page: PageRequest;
  /** Where a feed continues. */
  after: string | undefined;
  ifMatch: string | undefined;
  /** The raw request, for operations that read a stream. */
  request: FastifyRequest;
}

export interface Answer {
  status: number;
  data?: object;
  /** The length of the whole list, if `data` is one result page. */
  total?: number;
  /** The resource's ETag, if it has one. */
  etag?: string;
  /** The path of the created resource, below `{base_url}`. */
  location?: string;
  /** The current revision of the document that was read or written. */
  revision?: number;
  /** Whether changes of others were merged into a write, and whether by words. */
  merged?: boolean | 'words';
  /** Whether some changes can't be found yet. */
  searchPending?: boolean;
  searchPartial?: true | undefined;
  /** A stream to send instead of `data`. It ends if its reader doesn't read. */
  stream?: { type: string; body: Readable };
}

/** What an operation's declaration says, whatever it answers. */
export interface Declared<
  Path extends string,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> {
  path: Path;
  id: string;
  tag: string;
  summary: string;
  /** The scope that a call needs. */
  scope: Scope;
  /** A scope that is enough for some bodies. For the others, the handler requires `scope`. */
  orScope?: Scope;
  /** Whether it is about all documents of an account, so programs for some documents can't call it. */
  isAboutAll?: true;
  /**
   * Who can call it, unless everybody can. It is checked before the body is read if the request could
   * also be invalid, so that errors reveal nothing to strangers. The service always checks it.
   */
  rule?: Rule<ParametersOf<Path>>;
  description?: string;
  query?: Query;
  body?: Body;
  /** The form that replaces the body. The handler reads and checks it. */
  form?: TSchema;
  /** Whether it can wait for something to happen. */
  waits?: boolean;
  /** The largest body, in bytes. Default: 1 MB. */
  bodyLimit?: number;
  /** Whether its answers have an ETag and requests can have conditions. */
  conditional?: boolean;
  /** The statuses of its own errors, besides those of its rule, invalid requests and all operations. */
  errors?: readonly number[];
}

/** What the handler of such a declaration receives. */
export type RequestOf<Path extends string, Query, Body> = ApiRequest<
  Path,
  Query extends TObject ? Static<Query> : unknown,
  Body extends TSchema ? Static<Body> : unknown
>;

/** The declaration of one route. It checks requests, shapes answers and documents both. */
export interface Operation<
  Path extends string,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> extends Declared<Path, Query, Body> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Whether it answers one result page of a list, or a part of a feed, which continues at a cursor. */
  paginated?: 'pages' | 'cursor';
  /** The headers by status that its answers always have, besides those of every operation. */
  sends?: Partial<Record<number, readonly SentHeader[]>>;
  /** The schema of `data` by status; `null` for an answer without a body. */
  answers: Record<number, TSchema | null>;
  handler: (asked: RequestOf<Path, Query, Body>) => Promise<Answer>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The rule of the route's operation. */
    rule?: Rule<never> | undefined;
  }
}

/** Errors of rules that a repeated request doesn't get, if its first one was answered. */
const refusals = new WeakMap<FastifyRequest, unknown>();

/** The type that the framework sends for its own JSON. */
const JSON_TYPE = 'application/json; charset=utf-8';

export interface Api {
  app: FastifyInstance;
  context: Context;
  /** `{base_url}`. */
  baseUrl: string;
  bodyQueue: BodyQueue;
  /** The queue for expensive requests (see `createAccountQueue`). */
  accountQueue: FairQueue;
  unread: Unread;
}

export function addOperation<
  const Path extends string,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(api: Api, operation: Operation<Path, Query, Body>): void {
  const { app, context, bodyQueue, unread } = api;
  const checksFirst = canBeInvalid(operation);
  const isPost = operation.method === 'POST';

  /** Checks scope, reach and rule. */
  async function authorize(request: FastifyRequest): Promise<void> {
    const { scope, orScope, rule } = operation;
    if (operation.isAboutAll && request.actor.reach) throw beyondReach(request.actor.via);
    const { scopes } = request.actor;
    if (!orScope || !scopes.includes(orScope)) requireScope(request.actor, scope);
    if (!checksFirst) return;
    const call = callFor(context, request.actor);
    try {
      const params = request.params as ParametersOf<Path>;
      await atAddress(async () => rule?.check(call, params));
    } catch (error) {
      if (!isPost || !(await isAnswered(call, request))) throw error;
      refusals.set(request, error);
    }
  }

  async function readBody(request: FastifyRequest): Promise<void> {
    request.body = await bodyQueue.read(request, () => readJsonBody(request));
  }

  /** Answers a call, or repeats the answer to an earlier one. */
  function answer(asked: RequestOf<Path, Query, Body>): Promise<Answer> {
    const handle = async (each: typeof asked) => {
      if (refusals.has(asked.request)) throw refusals.get(asked.request);
      // A form's bytes may come slowly.
      if (operation.waits || operation.form) return operation.handler(each);
      return unread.inTurn(each.call.actor.id, () => operation.handler(each));
    };
    return isPost ? answerOnce(asked, handle) : atAddress(() => handle(asked));
  }

  /** Runs what reads a document. What deletes doesn't follow it to its current address. */
  function atAddress<Result>(run: () => Promise<Result>): Promise<Result> {
    return operation.method === 'DELETE' ? atCurrentAddress(run) : run();
  }

  app.route({
    method: operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(operation.bodyLimit && { bodyLimit: operation.bodyLimit }),
    config: { rule: operation.rule },
    ...(operation.form && { validatorCompiler: () => () => true }),
    schema: {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.description && { description: operation.description }),
      security: [
        { oauth: [operation.scope] },
        ...(operation.orScope ? [{ oauth: [operation.orScope] }] : []),
        { token: [] },
      ],
      ...(operation.rule?.needs && { 'x-permission': operation.rule.needs }),
      ...requestSchemas(operation),
      response: responseSchemas(operation),
    },
    // Runs after authentication and before the body is read, so a caller who can't see the target
    // learns nothing, not even that the body is too large.
    onRequest: authorize,
    ...(operation.body && { preValidation: readBody }),
    handler: async (request, reply) => {
      const asked = requestOf(context, request) as RequestOf<Path, Query, Body>;
      const answered = await answer(asked);
      setHeaders(reply, answered, asked, api.baseUrl);
      return send(reply, answered);
    },
  });
}

function requestOf(
  context: Context,
  request: FastifyRequest,
): ApiRequest<string, unknown, unknown> {
  const query = request.query as { per_page?: number; page?: number; after?: string };
  return {
    call: callFor(context, request.actor),
    params: request.params,
    query,
    body: request.body,
    page: pageRequest(query),
    after: query.after,
    ifMatch: request.headers['if-match'],
    request,
  };
}

function setHeaders(
  reply: FastifyReply,
  { location, revision, merged, searchPending, searchPartial, total, etag }: Answer,
  { page, request }: Pick<ApiRequest<string, unknown, unknown>, 'page' | 'request'>,
  baseUrl: string,
): void {
  if (location) reply.header('location', baseUrl + location);
  if (revision !== undefined) reply.header('x-revision', String(revision));
  if (merged !== undefined) reply.header('x-merged', String(merged));
  if (searchPending !== undefined) reply.header('x-search-pending', String(searchPending));
  if (searchPartial) reply.header('x-search-partial', 'true');
  if (total !== undefined) {
    const link = linkHeader(new URL(baseUrl).origin + targetOf(request.url), page, total);
    if (link) reply.header('link', link);
  }
  if (etag) reply.header('etag', etag);
}

function send(reply: FastifyReply, { status, data, total, etag, stream }: Answer): FastifyReply {
  const { method, headers } = reply.request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (etag && isRead && isNotModified(headers, { etag })) return reply.code(304).send();
  reply.code(status);
  if (stream) {
    endIfUnread(reply);
    return reply.type(stream.type).header('cache-control', 'no-store').send(stream.body);
  }
  if (data === undefined) return reply.send();
  if (total !== undefined) {
    const list = reply.serialize({ data }) as string;
    const tag = listTag(list, reply.getHeader('link'));
    reply.header('etag', tag);
    if (isNotModified(headers, { etag: tag })) return reply.code(304).send();
    return reply.type(JSON_TYPE).send(list);
  }
  const long = inPieces(data, (all) => reply.serialize(all) as string);
  return long ? reply.type(JSON_TYPE).send(long) : reply.send({ data });
}

/**
 * Runs what deletes something. It doesn't follow a document to its current address, because whoever
 * deletes may mean what was at the former one.
 *
 * @throws NOT_FOUND instead of DocumentMoved
 */
async function atCurrentAddress<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof DocumentMoved ? documentNotFound(error.from.kind) : error;
  }
}

/** A weak tag, so that lists are still compressed. */
function listTag(list: string, link: unknown): string {
  return `W/"${hash('sha256', `${link}\n${list}`, 'base64url').slice(0, 22)}"`;
}

export function listAnswer<T>(page: Page<T>, present: (item: T) => unknown): Answer {
  return { status: 200, data: page.items.map(present), total: page.total };
}

/** The answer to a change that returns nothing. */
export const NO_CONTENT: Answer = { status: 204 };

/** Returns the path and query of a request target (RFC 9112, section 3.2), whatever its host. */
function targetOf(target: string): string {
  const { pathname, search } = new URL(target, 'http://localhost');
  return pathname + search;
}

/**
 * Returns the `Link` header of a result page (RFC 8288): always `first` and `last`, and `prev` and
 * `next` if they exist; `undefined` if the list is empty.
 *
 * @param address the request's absolute URL; its other parameters stay
 * @param total the length of the whole list, or a lower bound (see {@link Page})
 */
function linkHeader(address: string, page: PageRequest, total: number): string | undefined {
  const last = lastPageNumber(total, page.size);
  if (last === 0) return undefined;
  const pages = {
    first: 1,
    prev: page.number > 1 ? Math.min(page.number - 1, last) : undefined,
    next: page.number < last ? page.number + 1 : undefined,
    last,
  };
  const links = Object.entries(pages).map(([rel, number]) => {
    if (number === undefined) return [];
    const url = new URL(address);
    url.searchParams.set('page', String(number));
    return `<${url.href}>; rel="${rel}"`;
  });
  return links.flat().join(', ');
}
