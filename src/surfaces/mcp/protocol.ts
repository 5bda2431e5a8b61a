import {
  type CallToolResult,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { BackEndUnavailable, internalError, ServiceError, unavailable } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { Actor, Context } from '../../core/context.ts';
import { type Failure, failureOf, isFault } from './failure.ts';
import type { McpResources } from './features.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import { quote } from './quote.ts';
import type { AnyOutcome, Tool } from './tool.ts';
import { type Toolset, toolsFor } from './toolset.ts';

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
    return async (request, requestContext) => {
      try {
        return await wrapped(request, requestContext);
      } catch (thrown) {
        const problem = problemOf(method, request);
        throw problem ? new ProtocolError(ProtocolErrorCode.InvalidParams, problem) : thrown;
      }
    };
  }
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
  resources: McpResources;
  version: string;
  log: FastifyBaseLogger;
  /** Requires that the actor's token still works. @throws UNAUTHORIZED */
  requireToken(): Promise<void>;
}): Server {
  const { context, accountQueue, actor, era, toolset, resources, version, log, requireToken } =
    parts;
  // The high-level server does not page resources, and its errors are for programmers.
  const server = new ProtocolServer(
    { name: 'briefs', title: 'Briefs', version, websiteUrl: context.webUrl },
    {
      // Before 2026-07-28, subscriptions need sessions.
      capabilities: { tools: {}, resources: { subscribe: era === 'modern' }, prompts: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'server/discover': STATIC,
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

  // An application can ask for more scopes; a personal token can't.
  const tools = actor.via.means === 'token' ? toolsFor(toolset, actor.scopes) : toolset.list;
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const tool = toolset.find(params.name);
    if (!tool) {
      const name = params.name.slice(0, 100);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
    }
    try {
      const run = () => tool.run({ context, actor, signal, requireToken }, params.arguments);
      return resultOf(tool, await (tool.waits ? run() : inTurn(run)));
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
  return server;
}

/** Runs work and hides the cause of unexpected errors. @throws ProtocolError */
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
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
}

/**
 * Returns the result of a call: the data as text, and also as `structuredContent` if the tool has
 * an output schema. Names and titles stay inside JSON strings.
 * A tool that quotes documents has no output schema. Some hosts show the model only
 * `structuredContent`, others only the text. So a document would have to be in both: sent twice,
 * and once without the mark that tells it from instructions.
 */
function resultOf(
  { output }: Pick<Tool, 'output'>,
  { summary, data, quotations = [], links = [] }: AnyOutcome,
): CallToolResult {
  const text = [summary, JSON.stringify(data), ...quotations.map(quote)].join('\n\n');
  return {
    content: [{ type: 'text', text }, ...links],
    ...(output && { structuredContent: data }),
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
