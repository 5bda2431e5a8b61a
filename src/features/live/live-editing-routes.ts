import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { createFairQueue } from '../../base/limits/fair-queue.ts';
import { createPace } from '../../base/limits/pace.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { type Actor, type Context, callOf } from '../../core/context.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import type { Seen } from '../../core/document/authorize.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import type { Visit } from '../../core/identity/session-service.ts';
import { findLive } from '../../core/live/live-store.ts';
import { loadLiveText } from '../../core/live/live-texts.ts';
import { MessageField } from '../../core/revision/revision-schema.ts';
import { holdBody, type Unread } from '../../surfaces/http/unread.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { Visits } from '../../surfaces/web/browser-session.ts';
import { requireSameWriter } from '../../surfaces/web/form.ts';
import type { PeopleAtDocuments } from '../presence/presence-service.ts';
import { usernamesOf } from '../profiles/username-service.ts';
import {
  joinList,
  type Known,
  ListLost,
  MAX_CHANGES,
  Overwritten,
  pushChanges,
  requireLive,
} from './change-service.ts';
import { CLOSED, type Connections, type Follower } from './live-connections.ts';
import type { EditorNews, LiveEditor, LiveEditors } from './live-editors.ts';

/** The largest message of an editor, in bytes. Larger changes come by POST. */
export const MAX_MESSAGE_BYTES = 128 * 1024;

/** The largest POST: a whole text as JSON, which escapes some characters. */
const MAX_BODY_BYTES = 2 * KINDS.page.contentLimitBytes;

/**
 * How many messages the editors of one account can send at once, and per second; then they wait.
 * Nobody types as fast. Each part of a text that is sent whole counts as one, too.
 */
const MESSAGES = { burst: 600, perSecond: 60 };
const PART_LENGTH = 32 * 1024;

/** How many messages of one editor can wait, and from how many on no more are read. */
const MAX_WAITING = 200;
const ENOUGH_WAITING = 20;

/** Of one account. */
const JOINS = { runningPerKey: 1, waiting: 4_000, waitingPerKey: 200 };

/** How often readers are shown where an editor's caret is, in ms. */
const PLACE_MS = 1_000;

const number = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
const id = Type.String({ minLength: 1, maxLength: 100 });

const PUSH = Type.Object({
  list: id,
  seen: number,
  changes: Type.Array(
    Type.Object({
      clientId: id,
      changes: Type.Array(Type.Unknown()),
      replaces: Type.Optional(Type.Boolean()),
    }),
    { maxItems: MAX_CHANGES },
  ),
});

const KNOWN = Type.Object({
  list: Type.Optional(id),
  number: Type.Optional(number),
  version: Type.Optional(number),
});

const MESSAGE = Compile(
  Type.Union([
    Type.Object({ type: Type.Literal('join'), client: id, known: KNOWN }),
    Type.Object({ type: Type.Literal('push'), push: PUSH }),
    Type.Object({ type: Type.Literal('caret'), number, anchor: number, head: number }),
    Type.Object({
      type: Type.Literal('save'),
      message: Type.Optional(MessageField),
    }),
  ]),
);

const EXCHANGE = Compile(Type.Object({ client: id, known: KNOWN, push: Type.Optional(PUSH) }));

/** Someone who has a document open in the editor. */
interface EditorFollower extends Follower {
  visit: Visit;
  document: DocumentRow;
  /** @throws UNAUTHORIZED once the session has ended */
  requireSession(): Promise<void>;
  see(): Promise<Seen<DocumentRow>>;
}

/** What the editor shows of a document beside its text. */
export interface DocumentState {
  version: number;
  etag: string;
  owner: string;
  name: string;
  /** For the heading: the title, or else the name. */
  title: string;
  visibility: string;
  path: string;
  readPath: string;
  link: string;
  savedBy: string | null;
  savedAt: string;
}

/**
 * Adds `/live/edit/…`, where editors send their changes and get those of others. Where no WebSocket
 * can be opened, and for large changes, they use POST.
 */
export function addLiveEditingRoutes(
  app: FastifyInstance,
  parts: {
    context: Context;
    visits: Visits;
    connections: Connections;
    editors: LiveEditors;
    people: PeopleAtDocuments;
    unread: Unread;
  },
): void {
  const { context, visits, connections, editors, people, unread } = parts;
  const pace = createPace(MESSAGES);
  const joins = createFairQueue({ ...JOINS, running: Number.POSITIVE_INFINITY });

  /** Joins once the account may have another whole text, which can be the answer. */
  async function join(actor: Actor, documentId: string, client: string, known: Known) {
    requireOwn(actor, client);
    return joins.run(actor.id, async () => {
      await sleep(pace(actor.id, 0));
      unread.requireRoom(actor.id);
      const joined = await joinList(callOf(context, actor), documentId, client, known);
      pace(actor.id, (joined.text?.length ?? 0) / PART_LENGTH);
      return joined;
    });
  }

  async function visitOf(request: FastifyRequest): Promise<Visit> {
    const visit = await visits.visitOf(request);
    if (!visit) throw new ServiceError('UNAUTHORIZED', 'You are signed out.');
    return visit;
  }

  async function stateOf({ document, etag }: Seen<DocumentRow>): Promise<DocumentState> {
    const { version, ownerNamespace: owner, name, visibility, updatedBy, updatedAt } = document;
    return {
      version,
      etag,
      owner,
      name,
      title: shownTitle(document),
      visibility,
      path: documentPath('edit', document),
      readPath: documentPath('read', document),
      link: readerUrl(context.webUrl, document),
      savedBy: (await usernamesOf(context, [updatedBy])).get(updatedBy) ?? null,
      savedAt: updatedAt,
    };
  }

  app.register(async (scope) => {
    const parse = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, parse);
    scope.post<{ Params: { id: string } }>(
      '/live/edit/:id',
      {
        bodyLimit: MAX_BODY_BYTES,
        onRequest: async (request, reply) => {
          await visitOf(request);
          holdBody(unread, request, reply);
        },
      },
      async (request, reply) => {
        const { actor } = await visitOf(request);
        await countAttempt(context.limiter, [['webLookup', actor.id]]);
        const documentId = request.params.id;
        const { body } = request;
        if (!EXCHANGE.Check(body)) {
          throw new FieldError('BAD_REQUEST', 'body', 'must have “client” and “known”.');
        }
        const { client, known, push } = body;
        requireOwn(actor, client);
        await sleep(pace(actor.id, 1));
        let isLost = false;
        if (push) {
          try {
            await pushChanges(callOf(context, actor), documentId, push);
            editors.pushed(documentId);
          } catch (fault) {
            if (fault instanceof ListLost) isLost = true;
            else if (!(fault instanceof Overwritten)) throw fault;
          }
        }
        const joined = await join(actor, documentId, client, isLost ? {} : known);
        const seen = await requireLive(context.sql.read, actor, documentId);
        reply.header('cache-control', 'private, no-store');
        return { type: 'joined', ...joined, document: await stateOf(seen) };
      },
    );
  });

  connections.add<{ id: string }, EditorFollower>('/live/edit/:id', {
    async follow(request, { id: documentId }) {
      const visit = await visitOf(request);
      const { actor } = visit;
      const requireSession = () => visits.requireSame(request, visit);
      const see = async () => {
        const [seen] = await Promise.all([
          requireLive(context.sql.read, actor, documentId),
          requireSession(),
        ]);
        return seen;
      };
      const { document } = await see();
      return { key: actor.id, see, requireSession, visit, document };
    },

    connect(socket, { visit, document, see, requireSession }, { fail, end }) {
      const { actor } = visit;
      const documentId = document.id;
      let remove: (() => void) | undefined;
      let editor: LiveEditor | undefined;
      /** Resolves when the client has read everything. */
      let read = Promise.resolve();
      const say = (message: object) => {
        try {
          unread.requireRoom(actor.id);
        } catch {
          return socket.terminate();
        }
        const text = JSON.stringify(message);
        const release = unread.hold(actor.id, text.length);
        read = new Promise((resolve) => {
          socket.send(text, () => {
            release();
            resolve();
          });
        });
      };

      async function tell(news: EditorNews): Promise<void> {
        if (news.type !== 'document') return say(news);
        const { seen, savedNumber } = news;
        say({ type: 'document', document: await stateOf(seen), saved: savedNumber });
      }

      const page = people.open({
        documentId,
        document,
        visit,
        doing: 'edits',
        see: async () => (await see()).document,
        show: (shown) => say({ type: 'people', people: shown }),
        lose: fail,
      });
      let placing: NodeJS.Timeout | undefined;

      /** Shows readers in which line the caret is. */
      async function place(): Promise<void> {
        placing = undefined;
        const text = (await loadLiveText(context, documentId))?.text;
        if (!text || !editor?.caret) return;
        page.moveTo(text.lineAt(Math.min(editor.caret.head, text.length)).number);
      }

      async function handle(text: string): Promise<void> {
        let message: unknown;
        try {
          message = JSON.parse(text);
        } catch {
          return socket.close(CLOSED.refused);
        }
        if (!MESSAGE.Check(message)) return socket.close(CLOSED.refused);
        switch (message.type) {
          case 'join': {
            const seen = await see();
            const joined = await join(actor, documentId, message.client, message.known);
            const { list, number, changes } = joined;
            remove?.();
            if (end.aborted) return;
            const joining: LiveEditor = {
              documentId,
              clientId: message.client,
              username: actor.username,
              list,
              number: number + changes.length,
              caret: null,
              see,
              tell: (news) => void tell(news).catch(fail),
              lose: fail,
            };
            say({ type: 'joined', ...joined, document: await stateOf(seen) });
            editor = joining;
            remove = editors.add(joining);
            // Another process may have left changes that no revision has.
            editors.pushed(documentId);
            return;
          }
          case 'push':
            // Whether the document can be edited is checked with the push.
            await requireSession();
            await pushChanges(callOf(context, actor), documentId, message.push);
            return editors.pushed(documentId);
          case 'caret': {
            if (!editor) return;
            const { number, anchor, head } = message;
            editor.caret = { number, anchor, head };
            // If it fails, the next move tries again.
            placing ??= setTimeout(() => void place().catch(() => {}), PLACE_MS);
            return editors.moved(documentId);
          }
          case 'save': {
            await see();
            const isNamed = await editors.save(
              documentId,
              message.message === undefined
                ? undefined
                : { accountId: actor.id, message: message.message },
            );
            await tell({
              type: 'document',
              seen: await see(),
              savedNumber: (await findLive(context.sql.read, documentId))?.textNumber ?? 0,
            });
            return say({ type: 'saved', isNamed });
          }
        }
      }

      // One after another, in the order in which they were sent.
      let last = Promise.resolve();
      let waiting = 0;
      socket.on('message', (data: Buffer) => {
        waiting += 1;
        if (waiting > MAX_WAITING) return socket.close(CLOSED.refused);
        if (waiting === ENOUGH_WAITING) socket.pause();
        last = last.then(async () => {
          await Promise.all([read, sleep(pace(actor.id, 1))]);
          waiting -= 1;
          if (waiting < ENOUGH_WAITING) socket.resume();
          if (end.aborted) return;
          await handle(data.toString()).catch((fault) => {
            if (fault instanceof ListLost) return say({ type: 'lost' });
            if (!(fault instanceof ServiceError)) return fail(fault);
            const { code, message } = fault;
            const field = fault instanceof FieldError ? fault.field : undefined;
            say({ type: 'refused', code, message, field });
            if (['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'].includes(code)) fail(fault);
          });
        });
      });
      const { remove: removeWritten } = connections.hub.add({
        documentId,
        async tell(events) {
          // Without an event, the access may have ended.
          if (events.length === 0) return void (await see().catch(fail));
          const left = events.findLast(({ type, via }) => {
            return type === 'thread.opened' && via !== 'web';
          });
          // A program's write in what is being typed becomes a suggestion, too.
          say({ type: 'happened', left: left && { author: left.author, viaName: left.viaName } });
          editors.happened(documentId);
        },
        stop: () => socket.close(CLOSED.stopping),
      });
      end.addEventListener('abort', () => {
        clearTimeout(placing);
        page.close();
        remove?.();
        removeWritten();
      });
    },
  });
}

/** Refuses an editor of another user, who signed in when it was opened. @throws FORBIDDEN */
function requireOwn(actor: Actor, client: string): void {
  requireSameWriter(actor, { account: client.split('/', 1)[0] ?? '' });
}
