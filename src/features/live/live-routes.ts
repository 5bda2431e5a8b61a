import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { addressKey } from '../../base/limits/rate-limit.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { Context } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { LINK_SEGMENT } from '../../core/document/link.ts';
import { openLink } from '../../core/document/linked-document-service.ts';
import { listDocumentEvents } from '../../core/event/event-store.ts';
import { deedOf } from '../../core/event/event-words.ts';
import type { Visit } from '../../core/identity/session-service.ts';
import { findLive } from '../../core/live/live-store.ts';
import { typedState } from '../../core/live/typed-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { findRevisionOfText } from '../../core/revision/revision-store.ts';
import type { Unread } from '../../surfaces/http/unread.ts';
import type { Visits } from '../../surfaces/web/browser-session.ts';
import { createUnlockedLinks } from '../../surfaces/web/unlocked-links.ts';
import { createPeople, type PeopleAtDocuments } from '../presence/presence-service.ts';
import { writerOf } from '../revisions/revision-parts.tsx';
import { CLOSED, type Connections, createConnections, type Follower } from './live-connections.ts';
import { addLiveEditingRoutes, MAX_MESSAGE_BYTES } from './live-editing-routes.ts';
import { createLiveEditors } from './live-editors.ts';
import { createLiveHub, type LiveEvent } from './live-hub.ts';
import { watchTakedowns } from './takedown-watch.ts';

/** How much a reader may leave unread, in bytes. A notice has about 100, a list of people a few 1,000. */
const MAX_UNREAD = 64 * 1024;

/** The most deeds that a notice names. */
const MAX_DEEDS = 5;

/** The most events that are read of what a page has missed. More than that are the same news. */
const MAX_MISSED = 50;

/** Someone who has a document open. */
interface Reader extends Follower {
  document: DocumentRow;
  /** `undefined` for someone who has only a link. */
  visit: Visit | undefined;
  /** What the page showed when it was made, if it says so. */
  shown: { version: number; after: number | undefined } | undefined;
  see(): Promise<DocumentRow>;
}

/**
 * Adds `/live/…`, where pages that show a document learn at once that something has happened to it,
 * and where editors exchange what people write.
 */
export async function addLiveRoutes(
  app: FastifyInstance,
  parts: { context: Context; visits: Visits; unread: Unread; logger: FastifyBaseLogger },
): Promise<void> {
  const { context, visits, unread, logger } = parts;
  const onFailure = (err: unknown) => logger.error({ err }, 'a live page was not told');
  const hub = createLiveHub(context, onFailure);
  const { webUrl } = context;
  const connections = await createConnections(app, {
    webUrl,
    hub,
    maxBytes: MAX_MESSAGE_BYTES,
    onFailure,
  });
  const editors = createLiveEditors(context, hub, onFailure);
  const people = createPeople(context, onFailure);
  app.addHook('onClose', watchTakedowns(context, hub, onFailure));
  app.addHook('onClose', () => people.stop());
  context.feedWaiters.stopping.addEventListener('abort', editors.stop);
  addReading(connections, people, context, visits);
  addLiveEditingRoutes(app, { context, visits, connections, editors, people, unread });
}

/**
 * Adds the addresses of pages that show a document. A notice says what and who, to insiders only.
 * The page then loads itself again, so that a reader never gets more than at the page's address.
 */
function addReading(
  { hub, add }: Connections,
  people: PeopleAtDocuments,
  context: Context,
  visits: Visits,
): void {
  const unlockedLinks = createUnlockedLinks(context.webUrl);

  function addReader<Params>(
    path: string,
    { secretPath = false }: { secretPath?: boolean },
    readerOf: (
      request: FastifyRequest,
      params: Params,
    ) => Promise<Omit<Reader, 'document' | 'shown'>>,
  ): void {
    add<Params, Reader>(path, {
      secretPath,
      async follow(request, params) {
        const reader = await readerOf(request, params);
        const document = await reader.see();
        const see = async () => {
          const seen = await reader.see();
          if (seen.id !== document.id) throw new ServiceError('NOT_FOUND', 'It was replaced.');
          return seen;
        };
        return { ...reader, document, shown: shownIn(request), see };
      },
      connect(socket, { document, visit, shown, see }, { fail, end }) {
        const say = (message: object) => {
          if (socket.bufferedAmount > MAX_UNREAD) return socket.terminate();
          socket.send(JSON.stringify(message));
        };
        const documentId = document.id;
        const username = visit?.actor.username;
        async function tell(events: readonly LiveEvent[]): Promise<void> {
          try {
            const seen = await see();
            if (events.length === 0) return;
            if (await concerns(context, events, seen)) say(noticeOf(events, seen, username));
          } catch (fault) {
            fail(fault);
          }
        }
        async function tellMissed(shown: NonNullable<Reader['shown']>): Promise<void> {
          if (end.aborted) return;
          const { version } = await see();
          const events = await missedSince(context, { documentId, version }, shown);
          if (events.length > 0) await tell(events);
          const state = typedState(await findLive(context.sql.read, documentId));
          if (state !== null) await tellTyped(state);
        }
        async function tellTyped(state: string | null): Promise<void> {
          try {
            await see();
            say({ typed: state });
          } catch (fault) {
            fail(fault);
          }
        }
        const { remove, started } = hub.add({
          documentId,
          tell,
          tellTyped,
          stop: () => socket.close(CLOSED.stopping),
        });
        const { close } = people.open({
          documentId,
          document,
          visit,
          doing: 'reads',
          see,
          show: (shown) => say({ people: shown }),
          lose: fail,
        });
        // What happened before the connection was there.
        if (shown) started.then(() => tellMissed(shown)).catch(fail);
        // Readers send nothing.
        socket.on('message', () => socket.close(CLOSED.refused));
        end.addEventListener('abort', () => {
          remove();
          close();
        });
      },
    });
  }

  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${['live', ':owner', ...webSegments, ':name'].join('/')}`;
    addReader<{ owner: string; name: string }>(path, {}, async (request, params) => {
      const visit = await visits.visitOf(request);
      if (!visit) throw new ServiceError('UNAUTHORIZED', 'You are signed out.');
      const ref = { kind, ...params };
      return {
        key: visit.actor.id,
        visit,
        async see() {
          await visits.requireSame(request, visit);
          return (await requireDocument(context.sql.read, visit.actor, ref, 'read')).document;
        },
      };
    });
  }

  addReader<{ secret: string }>(
    `/live/${LINK_SEGMENT}/:secret`,
    { secretPath: true },
    async (request, { secret }) => ({
      key: addressKey(request.ip),
      visit: undefined,
      async see() {
        const { document } = await openLink(context, secret, unlockedLinks.of(request));
        // Commenting needs an account.
        const canComment = document.link === 'comment' && (await visits.visitOf(request));
        return { ...document, link: canComment ? 'comment' : 'read' };
      },
    }),
  );
}

/** Reads what a page's connection says that the page showed. */
function shownIn({ query }: FastifyRequest): Reader['shown'] {
  const { after, version } = query as Record<string, unknown>;
  const isNumber = (text: unknown) => typeof text === 'string' && /^\d{1,9}$/.test(text);
  if (!isNumber(version)) return undefined;
  return { version: Number(version), after: isNumber(after) ? Number(after) : undefined };
}

/**
 * Lists what has happened to a document since a page of it was made: only new texts, if the page
 * doesn't say up to which event it is.
 */
async function missedSince(
  { sql }: Context,
  { documentId, version }: { documentId: string; version: number },
  { version: shown, after }: NonNullable<Reader['shown']>,
): Promise<LiveEvent[]> {
  const stretch = after !== undefined && { after, limit: MAX_MISSED };
  const events = stretch ? await listDocumentEvents(sql.read, [documentId], stretch) : [];
  if (events.length > 0 || version <= shown) return events;
  // A sitting in the editor, which has no event before its end.
  const written = await findRevisionOfText(sql.read, documentId, version);
  return written ? [{ ...written, type: 'revision.created' }] : [];
}

/** What a page is sent. While somebody types, it is sent `typed` instead ({@link typedState}). */
export interface Notice {
  /** The number of the current revision. */
  version: number;
  /** The feed's position up to which the page then knows what has happened; only for insiders. */
  position: number | undefined;
  /** Who did what, in words, without what the reader did in the browser; only for insiders. */
  deeds: string[];
}

/** Tells whether a reader's page shows what has happened: not comments that they don't see. */
async function concerns(
  { sql }: Context,
  events: readonly LiveEvent[],
  document: DocumentRow,
): Promise<boolean> {
  const isChange = ({ type }: LiveEvent) =>
    type === 'revision.created' || type.startsWith('document.');
  if (isInsider(document) || events.some(isChange)) return true;
  const { comments } = await findReviewSettings(sql.read, document.id);
  return canReview(document, comments, 'see');
}

function noticeOf(
  events: readonly LiveEvent[],
  document: DocumentRow,
  reader: string | undefined,
): Notice {
  const theirs = events.filter(({ author, via }) => !(via === 'web' && author === reader));
  const deeds = theirs.map((event) => `${writerOf(event)} ${deedOf(event)}`);
  return {
    version: document.version,
    position: isInsider(document) ? (events.at(-1)?.position ?? undefined) : undefined,
    deeds: isInsider(document) ? [...new Set(deeds)].slice(-MAX_DEEDS) : [],
  };
}
