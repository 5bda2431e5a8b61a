import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
  ServerEventBus,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import type { ToolNames, Toolset } from './toolset.ts';

/** What the features give to the MCP surface. `tools.ts` lists it. */
export interface McpFeatures {
  /** All tools, and the names of several that the address's `?tools=` can have. */
  tools: { readonly all: Toolset; readonly sets: ToolNames };
  resources: McpResources;
  complete: Complete;
  subscriptions: {
    /** Returns the URIs that a message subscribes to; `undefined` for other messages. */
    uris(message: unknown): readonly string[] | undefined;
    open(
      call: Call,
      subscriber: Subscriber,
      reply: FastifyReply,
      uris: readonly string[],
    ): Promise<Subscription>;
  };
}

export interface McpResources {
  templates: ResourceTemplateType[];
  list(call: Call, cursor?: string): Promise<ListResourcesResult>;
  read(call: Call, uri: string): Promise<ReadResourceResult>;
}

/** What a host wants to complete while its user types (MCP, "Completion"). */
export interface CompletionRequest {
  argument: { name: string; value: string };
  /** The arguments that are given already. */
  given: Readonly<Record<string, string>>;
  /** The kind of document that a resource's URI is for. */
  kind: Kind | undefined;
}

export type Complete = (
  call: Call,
  request: CompletionRequest,
) => Promise<{ values: string[]; hasMore: boolean }>;

/** The request that subscribes. */
export type Subscriber = Pick<FastifyRequest, 'log' | 'requireToken'>;

/** One caller's stream of changes. */
export interface Subscription {
  /** Passes changes to the library, which listens to it for the caller's stream. */
  bus: ServerEventBus;
  /** Aborts when the stream has to end: it is closed, access has ended, or the process stops. */
  ended: AbortSignal;
  end(): void;
  /** Tells whether the library has begun to listen to the bus. */
  hasListener(): boolean;
}
