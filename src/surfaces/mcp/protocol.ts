import {
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { BackEndUnavailable, internalError, ServiceError, unavailable } from '../../base/errors.ts';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { Actor, Context } from '../../core/context.ts';
import { failureOf, isFault } from './failure.ts';
import type { McpResources } from './features.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { problemOf } from './params.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import { failedResult, resultOf } from './result.ts';
import type { Toolset } from './toolset.ts';

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
        'tools/list': STATIC,
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

  server.setRequestHandler('tools/list', () => ({ tools: toolset.list }));
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
          ? unavailable()
          : internalError();
    throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
}
