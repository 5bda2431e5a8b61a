import {
  type CallToolResult,
  type CompleteRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import {
  BackEndUnavailable,
  FieldError,
  internalError,
  ServiceError,
  unavailable,
} from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Actor, Context } from '../../core/context.ts';
import { argumentsAsSent } from './as-declared.ts';
import { type Failure, failureOf, isFault } from './failure.ts';
import type { Complete, McpResources, McpSessions } from './features.ts';
import { instructionsFor } from './instructions.ts';
import { getPrompt, PROMPT_LIST, requirePrompt } from './prompts.ts';
import { quote, structured } from './quote.ts';
import { requireOwnSession } from './session.ts';
import type { AnyOutcome, Tool } from './tool.ts';
import { callable, type Toolset } from './toolset.ts';

/** The methods that we answer, with their names in the protocol's schema. */
const REQUESTS = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'server/discover': 'DiscoverRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'resources/subscribe': 'SubscribeRequest',
  'resources/unsubscribe': 'UnsubscribeRequest',
  'completion/complete': 'CompleteRequest',
} as const;

/**
 * Validates a request with the protocol's schema.
 *
 * @returns what is wrong, such as `params.uri: …`; `undefined` if valid or for another method
 */
function problemOf(method: string, request: object): string | undefined {
  if (!Object.hasOwn(REQUESTS, method)) return undefined;
  const schema = specTypeSchemas[REQUESTS[method as keyof typeof REQUESTS]];
  const { issues } = schema['~standard'].validate(request);
  return issues?.map(({ path = [], message }) => `${path.join('.')}: ${message}`).join('; ');
}

/** How long hosts can cache lists, which change only with the service's version. */
const STATIC = { ttlMs: 60 * 60_000, cacheScope: 'public' } as const;

type Handle = ReturnType<Server['_wrapHandler']>;

/**
 * The library's server. For invalid parameters, the library answers with an internal error or with
 * its validator's output. This class answers with a sentence.
 */
class ProtocolServer extends Server {
  protected override _wrapHandler(method: string, handle: Handle): Handle {
    const wrapped = super._wrapHandler(method, handle);
    return async (sent, requestContext) => {
      const request = method === 'tools/call' ? withArguments(sent) : sent;
      try {
        return await wrapped(request, requestContext);
      } catch (thrown) {
        const problem = problemOf(method, request);
        throw problem ? new ProtocolError(ProtocolErrorCode.InvalidParams, problem) : thrown;
      }
    };
  }
}

function withArguments<Request extends { params?: object | undefined }>(request: Request): Request {
  const { params } = request;
  if (!params || !('arguments' in params)) return request;
  return { ...request, params: { ...params, arguments: argumentsAsSent(params.arguments) } };
}

/**
 * Creates the protocol's server for one request and one actor. Callers share no state, so any
 * process can handle any request.
 */
export function createProtocolServer(parts: {
  context: Context;
  accountQueue: FairQueue;
  actor: Actor;
  era: McpRequestContext['era'];
  toolset: Toolset;
  /** Whether results of tools that quote documents are structured, too. */
  isStructured: boolean;
  resources: McpResources;
  complete: Complete;
  sessions: McpSessions;
  /** The session that the request names; there are none since 2026-07-28. */
  sessionId: string | undefined;
  version: string;
  log: FastifyBaseLogger;
  /** Requires that the actor's token still works. @throws UNAUTHORIZED */
  requireToken(): Promise<void>;
}): Server {
  const { context, accountQueue, actor, era, toolset, isStructured } = parts;
  const { resources, complete, sessions, sessionId, version, log, requireToken } = parts;
  const list = isStructured ? toolset.structuredList : toolset.list;
  // An application can ask for more scopes; a personal token can't.
  const isFixed = actor.via.means === 'token';
  const offered = isFixed ? callable(list, toolset, actor.scopes) : list;
  // The high-level server does not page resources, and its errors are for programmers.
  const server = new ProtocolServer(
    { name: 'briefs', title: 'Briefs', version, websiteUrl: context.webUrl },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
      },
      instructions: instructionsFor(new Set(offered.map(({ name }) => name))),
      cacheHints: {
        'server/discover': { ...STATIC, cacheScope: 'private' },
        'tools/list': { ...STATIC, cacheScope: 'private' },
        'prompts/list': STATIC,
        'resources/templates/list': STATIC,
      },
    },
  );

  const inTurn = <Result>(work: () => Promise<Result>) =>
    accountQueue.run(actor.id, async ({ hasWaited }) => {
      if (hasWaited) await requireToken();
      return work();
    });

  server.setRequestHandler('tools/list', () => ({ tools: offered }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const tool = toolset.find(params.name);
    if (!tool) {
      const name = params.name.slice(0, 100);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
    }
    try {
      const run = () => tool.run({ context, actor, signal, requireToken }, params.arguments);
      return resultOf(tool, await (tool.waits ? run() : inTurn(run)), { isStructured });
    } catch (thrown) {
      if (isFault(thrown)) log.error({ err: thrown, tool: tool.name }, 'tool call failed');
      return failedResult(failureOf(thrown, tool, params.arguments));
    }
  });

  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPT_LIST }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));

  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: resources.templates,
  }));
  server.setRequestHandler('resources/list', ({ params }) =>
    withoutFaults(log, () => resources.list(context, actor, params?.cursor)),
  );
  server.setRequestHandler('resources/read', ({ params }) =>
    withoutFaults(log, () => inTurn(() => resources.read(context, actor, params.uri))),
  );
  if (era !== 'modern') {
    const inSession = async (change: McpSessions['subscribe'], uri: string) => {
      if (sessionId === undefined) {
        const message = 'Mcp-Session-Id is missing: initialize returns one.';
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
      }
      await withoutFaults(
        log,
        () => requireOwnSession(context, actor, sessionId),
        'Mcp-Session-Id',
      );
      await withoutFaults(log, () => inTurn(() => change(context, actor, sessionId, uri)), 'uri');
      return {};
    };
    server.setRequestHandler('resources/subscribe', ({ params }) =>
      inSession(sessions.subscribe, params.uri),
    );
    server.setRequestHandler('resources/unsubscribe', ({ params }) =>
      inSession(sessions.unsubscribe, params.uri),
    );
  }
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context: given } = params;
    requireCompletable(ref, argument.name, resources.templates);
    const kind = 'uri' in ref ? KIND_OF_TEMPLATE.exec(ref.uri)?.[0] : undefined;
    const request = { argument, given: given?.arguments ?? {}, kind: kind as Kind | undefined };
    return {
      completion: await withoutFaults(log, () => complete(context, actor, request)),
    };
  });
  return server;
}

/** @throws ProtocolError for a prompt or template that there isn't, or an argument it hasn't */
function requireCompletable(
  ref: CompleteRequest['params']['ref'],
  argument: string,
  templates: McpResources['templates'],
): void {
  const invalid = (field: string, problem: string) =>
    new ProtocolError(ProtocolErrorCode.InvalidParams, `params.${field}: ${problem}.`);
  const known =
    'uri' in ref
      ? KIND_OF_TEMPLATE.test(ref.uri) && ['owner', 'name']
      : requirePrompt(ref.name, 'params.ref.name').arguments.map(({ name }) => name);
  if (!known) {
    const all = templates.map(({ uriTemplate }) => uriTemplate).join(', ');
    throw invalid('ref.uri', `there is no such template; known are ${all}`);
  }
  if (!known.includes(argument)) {
    throw invalid('argument.name', `is not a known argument; known are ${known.join(', ')}`);
  }
}

const KIND_OF_TEMPLATE = new RegExp(`^(${ALL_KINDS.join('|')})(?=://)`);

/**
 * Runs work and hides the cause of unexpected errors.
 *
 * @param param what errors without a field are about
 * @throws ProtocolError: invalid params for what the caller can correct, otherwise internal error
 */
async function withoutFaults<T>(
  log: FastifyBaseLogger,
  work: () => Promise<T>,
  param?: string,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (isFault(thrown)) log.error({ err: thrown }, 'resource request failed');
    const { message } =
      thrown instanceof ServiceError
        ? thrown
        : thrown instanceof BackEndUnavailable
          ? unavailable(thrown)
          : internalError();
    const isTheirs = thrown instanceof ServiceError && thrown.status < 429;
    if (!isTheirs) throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    const isNamed = param === undefined || thrown instanceof FieldError;
    const told = isNamed ? message : `${param}: ${message}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, told);
  }
}

/**
 * Returns the result of a call: the data as text, and also as `structuredContent` if the tool has
 * an output schema. Names and titles stay inside JSON strings.
 * A tool that quotes documents has no output schema unless the host asks for structured results.
 * Some hosts show the model only `structuredContent`, others only the text. So a document has to be
 * in both: sent twice, once as a JSON string.
 */
function resultOf(
  { output }: Pick<Tool, 'output'>,
  { summary, data, quotations = [], links = [] }: AnyOutcome,
  { isStructured }: { isStructured: boolean },
): CallToolResult {
  const text = [summary, JSON.stringify(data), ...quotations.map(quote)].join('\n\n');
  return {
    content: [{ type: 'text', text }, ...links],
    ...(output && { structuredContent: data }),
    ...(!output && isStructured && { structuredContent: { ...data, ...structured(quotations) } }),
  };
}

/**
 * Returns the result of a failed call. It is a result, not an error of the protocol, so that hosts
 * show it to the model, which can react.
 */
function failedResult({ code, message, advice, quotation }: Failure): CallToolResult {
  const complaint = advice ? `${code}: ${message}\n${advice}` : `${code}: ${message}`;
  const text = quotation ? `${complaint}\n\n${quote(quotation)}` : complaint;
  return { isError: true, content: [{ type: 'text', text }], _meta: { error: { code, message } } };
}
