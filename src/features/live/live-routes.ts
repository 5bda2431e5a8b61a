import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { BackEndUnavailable, ServiceError } from '../../base/errors.ts';
import { createSlots } from '../../base/limits/slots.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { Context } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { LINK_SEGMENT } from '../../core/document/link.ts';
import { openLink } from '../../core/document/linked-document-service.ts';
import type { EventRow } from '../../core/event/event-store.ts';
import { deedOf } from '../../core/event/event-words.ts';
import type { Visits } from '../../surfaces/web/browser-session.ts';
import { writerOf } from '../revisions/revision-parts.tsx';
import { createLiveHub } from './live-hub.ts';

/** Connections in all, of one account or address, and how many are only for those that have none. */
const LIMITS = { total: 4_000, reserved: 1_000, perKey: 64 };

/** How often a connection proves that it lives, and its session and access are checked. */
const CHECK_MS = 30_000;

/** How much a client may leave unread, in bytes. A notice has about 100. */
const MAX_UNREAD = 64 * 1024;

/** The most deeds that a notice names. */
const MAX_DEEDS = 5;

/** Why a connection ends (RFC 6455, section 7.4). From 4000 they are ours. */
const CLOSED = { refused: 1008, stopping: 1012, lost: 4403 } as const;

/** The person or browser at the other end of a connection, as far as its access goes. */
interface Follower {
  /** Whom the connection counts for. */
  key: string;
  /** `undefined` for someone who has only a link. */
  username: string | undefined;
  /** Finds the document again. @throws ServiceError once the access or the session has ended */
  see(): Promise<DocumentRow>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before a connection is accepted. */
    following: { follower: Follower; document: DocumentRow; leave: () => void } | undefined;
  }
}

/**
 * Adds `/live/…`, where pages that show a document learn at once that something has happened to it.
 * A notice says what and who, to insiders only. The page then loads itself again, so that a reader
 * never gets more than at the page's address.
 */
export async function addLiveRoutes(
  app: FastifyInstance,
  parts: { context: Context; visits: Visits; logger: FastifyBaseLogger },
): Promise<void> {
  const { context, visits, logger } = parts;
  const { origin } = new URL(context.webUrl);
  const slots = createSlots(LIMITS);
  const hub = createLiveHub(context, (err) => logger.error({ err }, 'a live page was not told'));
  // Clients send nothing.
  await app.register(websocket, { options: { maxPayload: 1_024, perMessageDeflate: false } });
  app.decorateRequest('following', undefined);

  function add<Params>(
    path: string,
    options: { secretPath?: boolean },
    followerOf: (request: FastifyRequest, params: Params) => Promise<Follower>,
  ): void {
    app.route({
      method: 'GET',
      url: path,
      config: options,
      preValidation: async (request) => {
        // Browsers send cookies with connections from any site.
        if (request.headers.origin !== origin) {
          throw new ServiceError('FORBIDDEN', `This address is for pages of ${origin}.`);
        }
        const follower = await followerOf(request, request.params as Params);
        const document = await follower.see();
        if (!request.ws) return;
        const leave = slots.take(follower.key);
        if (leave === 'own') {
          throw new ServiceError('RATE_LIMITED', 'Too many pages are open.', CHECK_MS / 1_000);
        }
        if (leave === 'all') throw new BackEndUnavailable('Too many pages are open.');
        request.following = { follower, document, leave };
      },
      handler: async (_request, reply) =>
        reply.code(426).header('upgrade', 'websocket').send('This address is for WebSockets.'),
      wsHandler: (socket, request) => {
        const { follower, document, leave } = request.following as NonNullable<
          FastifyRequest['following']
        >;
        let isAlive = true;
        const see = async () => {
          const seen = await follower.see();
          if (seen.id !== document.id) throw new ServiceError('NOT_FOUND', 'It was replaced.');
          return seen;
        };
        const remove = hub.add({
          documentId: document.id,
          async tell(events) {
            const seen = await see().catch(lose);
            if (!seen) return;
            if (socket.bufferedAmount > MAX_UNREAD) return socket.terminate();
            socket.send(JSON.stringify(noticeOf(events, seen, follower.username)));
          },
          stop: () => socket.close(CLOSED.stopping),
        });
        const lose = (fault: unknown) => {
          if (!(fault instanceof ServiceError)) throw fault;
          socket.close(CLOSED.lost);
        };
        const checking = setInterval(() => {
          if (!isAlive) return socket.terminate();
          isAlive = false;
          socket.ping();
          see()
            .catch(lose)
            .catch(() => socket.close(CLOSED.stopping));
        }, CHECK_MS);
        socket.on('pong', () => {
          isAlive = true;
        });
        socket.on('message', () => socket.close(CLOSED.refused));
        socket.on('error', () => socket.terminate());
        socket.once('close', () => {
          clearInterval(checking);
          remove();
          leave();
        });
      },
    });
  }

  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${['live', ':owner', ...webSegments, ':name'].join('/')}`;
    add<{ owner: string; name: string }>(path, {}, async (request, params) => {
      const visit = await visits.visitOf(request);
      if (!visit) throw new ServiceError('UNAUTHORIZED', 'You are signed out.');
      const ref = { kind, ...params };
      return {
        key: visit.actor.id,
        username: visit.actor.username,
        async see() {
          const still = await visits.visitOf(request);
          if (still?.actor.id !== visit.actor.id) {
            throw new ServiceError('UNAUTHORIZED', 'You are signed out.');
          }
          return (await requireDocument(context.sql.read, still.actor, ref, 'read')).document;
        },
      };
    });
  }

  add<{ secret: string }>(
    `/live/${LINK_SEGMENT}/:secret`,
    { secretPath: true },
    async (request, { secret }) => ({
      key: `address:${request.ip}`,
      username: undefined,
      see: async () => (await openLink(context, secret)).document,
    }),
  );
}

/** What a client is sent. */
export interface Notice {
  /** The number of the current revision. */
  version: number;
  /** Who did what, in words, without what the reader did in the browser; only for insiders. */
  deeds: string[];
}

function noticeOf(
  events: readonly EventRow[],
  document: DocumentRow,
  reader: string | undefined,
): Notice {
  const theirs = events.filter(({ author, via }) => !(via === 'web' && author === reader));
  const deeds = theirs.map((event) => `${writerOf(event)} ${deedOf(event)}`);
  return {
    version: document.version,
    deeds: isInsider(document) ? [...new Set(deeds)].slice(-MAX_DEEDS) : [],
  };
}
