import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
  ServerEventBus,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kind } from '../../base/schema/kind.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { ToolNames, Toolset } from './toolset.ts';

/** What the features give to the MCP surface. `tools.ts` lists it. */
export interface McpFeatures {
  /** All tools, and the names of several that the address's `?tools=` can have. */
  tools: { readonly all: Toolset; readonly sets: ToolNames };
  resources: McpResources;
  complete: Complete;
  sessions: McpSessions;
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

/** What a host wants to complete while its user types (MCP, "Completion"). */
export interface CompletionRequest {
  argument: { name: string; value: string };
  /** The arguments that are given already. */
  given: Readonly<Record<string, string>>;
  /** The kind of document that a resource's URI is for. */
  kind: Kind | undefined;
}

export type Complete = (
  context: Context,
  actor: Actor,
  request: CompletionRequest,
) => Promise<{ values: string[]; hasMore: boolean }>;

/** Subscriptions in sessions, which MCP has until version 2025-11-25. */
export interface McpSessions {
  subscribe(context: Context, actor: Actor, sessionId: string, uri: string): Promise<void>;
  unsubscribe(context: Context, actor: Actor, sessionId: string, uri: string): Promise<void>;
  end(context: Context, actor: Actor, sessionId: string): Promise<void>;
  /** Yields changes after each wait, also empty lists, until the signal aborts or the token ends. */
  changes(
    context: Context,
    subscriber: Subscriber,
    sessionId: string,
    signal: AbortSignal,
  ): AsyncGenerator<{ uri: string; event: object }[]>;
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
