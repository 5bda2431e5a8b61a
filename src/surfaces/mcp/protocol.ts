import {
  type CallToolResult,
  type CompleteRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { BackEndUnavailable, internalError, ServiceError, unavailable } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Call, Context } from '../../core/context.ts';
import { possibleScopes, requireScope } from '../../core/identity/scope.ts';
import { argumentsAsSent } from './as-declared.ts';
import { type Failure, failureOf, isFault } from './failure.ts';
import type { Complete, McpResources } from './features.ts';
import { instructionsFor } from './instructions.ts';
import { getPrompt, PROMPT_LIST, requirePrompt } from './prompts.ts';
import { quote, structured } from './quote.ts';
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

/** Requests whose arguments some hosts send as text. */
const TAKES_ARGUMENTS = /^(?:tools\/call|prompts\/get)$/;

type Handle = ReturnType<Server['_wrapHandler']>;

/**
 * The library's server. For invalid parameters, the library answers with an internal error or with
 * its validator's output. This class answers with a sentence.
 */
class ProtocolServer extends Server {
  protected override _wrapHandler(method: string, handle: Handle): Handle {
    const wrapped = super._wrapHandler(method, handle);
    return async (sent, requestContext) => {
      const request = TAKES_ARGUMENTS.test(method) ? withArguments(sent) : sent;
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
  call: Call;
  accountQueue: FairQueue;
  era: McpRequestContext['era'];
  toolset: Toolset;
  /** Whether results of tools that quote documents are structured, too. */
  isStructured: boolean;
  resources: McpResources;
  complete: Complete;
  version: string;
  log: FastifyBaseLogger;
  /** Requires that the actor's token still works. @throws UNAUTHORIZED */
  requireToken(): Promise<void>;
}): Server {
  const { call, accountQueue, era, toolset, isStructured } = parts;
  const { resources, complete, version, log, requireToken } = parts;
  const list = isStructured ? toolset.structuredList : toolset.list;
  const offered = callable(list, toolset, possibleScopes(call.actor));
  // The high-level server does not page resources, and its errors are for programmers.
  const server = new ProtocolServer(
    { name: 'briefs', title: 'Briefs', version, websiteUrl: call.webUrl },
    {
      capabilities: {
        tools: {},
        resources: era === 'modern' ? { subscribe: true } : {},
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
    accountQueue.run(call.actor.id, async ({ hasWaited }) => {
      if (hasWaited) await requireToken();
      return work();
    });

  server.setRequestHandler('tools/list', () => ({ tools: offered }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = toolset.find(params.name);
    if (!tool) {
      const name = params.name.slice(0, 100);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
    }
    try {
      const scope = tool.scopeOf(params.arguments);
      if (scope) requireScope(call.actor, scope);
      const { signal } = mcpReq;
      const run = () => tool.run({ call, signal, requireToken }, params.arguments);
      const done = tool.waits ? withProgress(call, mcpReq, run) : inTurn(run);
      return resultOf(tool, await done, { isStructured });
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
    withoutFaults(log, () => resources.list(call, params?.cursor)),
  );
  server.setRequestHandler('resources/read', ({ params }) =>
    withoutFaults(log, () => inTurn(() => resources.read(call, params.uri))),
  );
  if (era !== 'modern') {
    server.setRequestHandler('resources/subscribe', () => {
      const message =
        'Subscriptions need protocol version 2026-07-28 (subscriptions/listen). Call the tool ' +
        'wait_for_feedback, or use webhooks.';
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
    });
  }
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context: given } = params;
    requireCompletable(ref, argument.name, resources.templates);
    const kind = 'uri' in ref ? KIND_OF_TEMPLATE.exec(ref.uri)?.[0] : undefined;
    const request = { argument, given: given?.arguments ?? {}, kind: kind as Kind | undefined };
    return {
      completion: await withoutFaults(log, () => complete(call, request)),
    };
  });
  return server;
}

/** How often a host hears that a call still waits. */
const PROGRESS_EVERY_MS = 5_000;

/** Tells a host that asked for it, again and again, that work goes on. */
async function withProgress<Result>(
  { feedWaiters }: Pick<Context, 'feedWaiters'>,
  { _meta, notify }: ServerContext['mcpReq'],
  work: () => Promise<Result>,
): Promise<Result> {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return work();
  let progress = 0;
  const tell = () => {
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting' };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(tell, Math.min(PROGRESS_EVERY_MS, feedWaiters.pauseMs()));
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
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
 * @throws ProtocolError: invalid params for what the caller can correct, otherwise internal error
 */
async function withoutFaults<T>(log: FastifyBaseLogger, work: () => Promise<T>): Promise<T> {
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
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
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
