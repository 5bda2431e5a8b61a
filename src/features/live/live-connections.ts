import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BackEndUnavailable, ServiceError } from '../../base/errors.ts';
import { createSlots } from '../../base/limits/slots.ts';
import { SessionRenewed } from '../../core/identity/session-service.ts';
import type { LiveHub } from './live-hub.ts';

/** Connections in all, of one account or address, and how many are only for those that have none. */
const LIMITS = { total: 4_000, reserved: 1_000, perKey: 64 };

/** How often a connection proves that it lives, and its session and access are checked. */
const CHECK_MS = 30_000;

/** Why a connection ends (RFC 6455, section 7.4). From 4000 they are ours. */
export const CLOSED = { refused: 1008, stopping: 1012, lost: 4403, tooMany: 4429 } as const;

type Socket = websocket.WebSocket;

/** The person or browser at the other end of a connection, as far as its access goes. */
export interface Follower {
  /** Whom the connection counts for. */
  key: string;
  /** Finds the document again. @throws ServiceError once the access or the session has ended */
  see(): Promise<unknown>;
}

/** A kind of connection. */
interface Connecting<Params, Who extends Follower> {
  /** Whether the address is secret. */
  secretPath?: boolean;
  /** Finds out who asks. @throws ServiceError to refuse the connection */
  follow(request: FastifyRequest, params: Params): Promise<Who>;
  /**
   * Begins to use a connection.
   *
   * @param on.fail ends it because of a fault
   * @param on.end aborts when it has ended
   */
  connect(socket: Socket, who: Who, on: { fail(fault: unknown): void; end: AbortSignal }): void;
}

/** The WebSockets of this process. */
export interface Connections {
  hub: LiveHub;
  /** Adds an address for WebSockets. */
  add<Params, Who extends Follower = Follower>(
    path: string,
    connecting: Connecting<Params, Who>,
  ): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks for a connection; absent if they have too many. */
    following: Follower | undefined;
  }
}

/**
 * Allows WebSockets of pages of this host, as many as one account may have. A connection ends when its
 * session or access does.
 *
 * @param parts.maxBytes the largest message
 */
export async function createConnections(
  app: FastifyInstance,
  parts: {
    webUrl: string;
    hub: LiveHub;
    maxBytes: number;
    onFailure(fault: unknown): void;
  },
): Promise<Connections> {
  const { origin } = new URL(parts.webUrl);
  const slots = createSlots(LIMITS);
  await app.register(websocket, {
    options: { maxPayload: parts.maxBytes, perMessageDeflate: false },
  });
  app.decorateRequest('following', undefined);

  function add<Params, Who extends Follower>(
    path: string,
    { secretPath = false, follow, connect }: Connecting<Params, Who>,
  ): void {
    app.route({
      method: 'GET',
      url: path,
      config: { secretPath },
      preValidation: async (request) => {
        // Browsers send cookies with connections from any site.
        if (request.headers.origin !== origin) {
          throw new ServiceError('FORBIDDEN', `This address is for pages of ${origin}.`);
        }
        const follower = await follow(request, request.params as Params);
        if (!request.ws) return;
        const leave = slots.take(follower.key);
        // Refused once it is open: browsers don't tell pages why a connection couldn't be made.
        if (leave === 'own') return;
        if (leave === 'all') throw new BackEndUnavailable('Too many pages are open.');
        // Not when the WebSocket closes: there is none if the browser leaves before it opens.
        const { socket } = request.raw;
        if (socket.destroyed) leave();
        else socket.once('close', leave);
        request.following = follower;
      },
      handler: async (_request, reply) =>
        reply.code(426).header('upgrade', 'websocket').send('This address is for WebSockets.'),
      wsHandler: (socket, request) => {
        if (!request.following) return socket.close(CLOSED.tooMany, 'Too many pages are open.');
        const follower = request.following as Who;
        const ended = new AbortController();
        let isAlive = true;
        const fail = (fault: unknown) => {
          // The browser connects again, with the session's new cookie.
          if (fault instanceof SessionRenewed) return socket.close(CLOSED.stopping);
          if (fault instanceof ServiceError && fault.code !== 'UNAVAILABLE') {
            return socket.close(CLOSED.lost);
          }
          if (!(fault instanceof ServiceError)) parts.onFailure(fault);
          socket.close(CLOSED.stopping);
        };
        const checking = setInterval(() => {
          if (!isAlive) return socket.terminate();
          isAlive = false;
          socket.ping();
          follower.see().catch(fail);
        }, CHECK_MS);
        socket.on('pong', () => {
          isAlive = true;
        });
        socket.on('error', () => socket.terminate());
        socket.once('close', () => {
          clearInterval(checking);
          ended.abort();
        });
        connect(socket, follower, { fail, end: ended.signal });
      },
    });
  }

  return { hub: parts.hub, add };
}
