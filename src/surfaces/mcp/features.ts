import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
  ServerEventBus,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, Context } from '../../core/context.ts';
import type { ToolNames, Toolset } from './toolset.ts';

/** What the features give to the MCP surface. `tools.ts` lists it. */
export interface McpFeatures {
  /** All tools, and the names of several that the address's `?tools=` can have. */
  tools: { readonly all: Toolset; readonly sets: ToolNames };
  resources: McpResources;
  subscriptions: {
    /** Returns the URIs that a message subscribes to; `undefined` for other messages. */
    uris(message: unknown): readonly string[] | undefined;
    open(
      context: Context,
      subscriber: Subscriber,
      reply: FastifyReply,
      uris: readonly string[],
    ): Promise<Subscription>;
  };
}

export interface McpResources {
  templates: ResourceTemplateType[];
  list(context: Context, actor: Actor, cursor?: string): Promise<ListResourcesResult>;
  read(context: Context, actor: Actor, uri: string): Promise<ReadResourceResult>;
}

/** Who subscribes. */
export type Subscriber = Pick<FastifyRequest, 'actor' | 'log' | 'requireToken'>;

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
