import { ServiceError } from '../../base/errors.ts';
import { type Context, later } from '../../core/context.ts';
import type { Seen } from '../../core/document/authorize.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import {
  type ChangeRow,
  findLive,
  type LiveRow,
  listChangedSince,
} from '../../core/live/live-store.ts';
import { storedChanges } from '../../core/live/live-text.ts';
import { type AuthoredChange, authored, listMissed } from './change-service.ts';
import { checkpoint, endSitting, nameLast } from './checkpoint-service.ts';
import type { LiveHub } from './live-hub.ts';

/** How long to gather what is new before the editors are told, in ms: at least, and at most. */
const GATHER_MS = 30;
const GATHER_AT_MOST_MS = 500;

/** When changes become a revision: after this long without another, and at the latest after this long. */
const IDLE_MS = 3_000;
const AT_MOST_MS = 30_000;

/** How often to look for changes that other processes stored, and how far back their clocks may be. */
const LOOK_EVERY_MS = 200;
const CLOCKS_DIFFER_MS = 5_000;

/** How many changes are remembered, for carets that are sent before their editor hears of these. */
const RECENT = 100;

/** Where someone writes: positions in the text after the change `number`. */
export interface Caret {
  number: number;
  anchor: number;
  head: number;
}

/** Someone else who has the document open in the editor. */
export interface Peer {
  /** One open editor. */
  clientId: string;
  username: string;
  caret: Caret | null;
}

/** What an open editor is told. */
export type EditorNews =
  | { type: 'changes'; list: string; from: number; changes: AuthoredChange[] }
  | { type: 'document'; seen: Seen<DocumentRow>; savedNumber: number }
  | { type: 'peers'; peers: Peer[] }
  /** The list was begun anew: the editor has to join again. */
  | { type: 'lost' };

/** An open editor, connected to this process. */
export interface LiveEditor {
  documentId: string;
  clientId: string;
  username: string;
  list: string;
  /** The last change that it was told of. */
  number: number;
  caret: Caret | null;
  /** Finds the document again. @throws ServiceError once the access or the session has ended */
  see(): Promise<Seen<DocumentRow>>;
  tell(news: EditorNews): void;
  /** Ends the connection, because `see` failed. */
  lose(fault: unknown): void;
}

/** The open editors that are connected to this process. */
export interface LiveEditors {
  /** @returns a function that removes the editor */
  add(editor: LiveEditor): () => void;
  /** Call after an editor's changes were stored. */
  pushed(documentId: string): void;
  /** Call after something else has happened to the document. */
  happened(documentId: string): void;
  /** Call when an editor's caret has moved. */
  moved(documentId: string): void;
  /**
   * Makes the changes a revision now.
   *
   * @param named what one of its writers says about it
   * @returns whether that was noted: not if something was said already, or others wrote it
   */
  save(documentId: string, named?: { accountId: string; message: string }): Promise<boolean>;
  stop(): void;
}

/** The open editors of one document. */
interface Room {
  editors: Set<LiveEditor>;
  gathering: NodeJS.Timeout | undefined;
  /** Whether there is more to tell, and how long it took the last time. */
  hasNews: boolean;
  tookMs: number;
  idle: NodeJS.Timeout | undefined;
  latest: NodeJS.Timeout | undefined;
  /** Whether carets or people have changed since the editors were told. */
  hasMoved: boolean;
  /** The state that the editors were told last, by entity tag and number. */
  told: Map<LiveEditor, string>;
  /** The last changes of a list. */
  recent: { list: string; rows: readonly ChangeRow[] };
}

/**
 * Creates the editors of this process.
 *
 * @param hub is told of changes and new revisions
 * @param onFailure called with faults, after which it goes on
 */
export function createLiveEditors(
  context: Context,
  hub: LiveHub,
  onFailure: (fault: unknown) => void,
): LiveEditors {
  const rooms = new Map<string, Room>();
  /** The state of each open document's list that was told last. */
  const latestOf = new Map<string, string>();
  let lookedAt = context.now();
  const looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  let isLooking = false;
  let isStopping = false;

  /** Finds what other processes have stored. */
  async function look(): Promise<void> {
    const open = hub.documentIds();
    if (open.size === 0 || isLooking) return;
    isLooking = true;
    try {
      const now = context.now();
      const since = later(lookedAt, -CLOCKS_DIFFER_MS);
      for (const row of await listChangedSince(context.sql.read, since)) {
        const { documentId } = row;
        if (!open.has(documentId) || latestOf.get(documentId) === stateOf(row)) continue;
        latestOf.set(documentId, stateOf(row));
        gather(documentId);
        hub.saved(documentId);
        hub.typed(documentId);
      }
      for (const documentId of latestOf.keys()) {
        if (!open.has(documentId)) latestOf.delete(documentId);
      }
      lookedAt = now;
    } catch (fault) {
      onFailure(fault);
    } finally {
      isLooking = false;
    }
  }

  function gather(documentId: string): void {
    const room = rooms.get(documentId);
    if (!room) return;
    room.hasNews = true;
    if (room.gathering) return;
    // A busy process gathers for as long as it took to tell.
    const wait = Math.min(Math.max(GATHER_MS, room.tookMs), GATHER_AT_MOST_MS);
    room.gathering = setTimeout(async () => {
      room.hasNews = false;
      const start = performance.now();
      await tellAll(documentId, room).catch(onFailure);
      room.tookMs = performance.now() - start;
      room.gathering = undefined;
      if (room.hasNews) gather(documentId);
    }, wait);
  }

  async function tellAll(documentId: string, room: Room): Promise<void> {
    const row = await findLive(context.sql.read, documentId);
    if (row) latestOf.set(documentId, stateOf(row));
    const { hasMoved } = room;
    room.hasMoved = false;
    const first = Math.min(...Array.from(room.editors, ({ number }) => number));
    const rows = row && (await listMissed(context.sql.read, row, Math.min(first, row.lastNumber)));
    if (row && rows) moveCarets(room, row.listId, rows);
    const peers = hasMoved ? peersOf(room) : undefined;
    await Promise.all(
      Array.from(room.editors, async (editor) => {
        let seen: Seen<DocumentRow>;
        try {
          seen = await editor.see();
        } catch (fault) {
          if (!(fault instanceof ServiceError)) onFailure(fault);
          return editor.lose(fault);
        }
        if (row?.listId !== editor.list || !rows) return editor.tell({ type: 'lost' });
        const from = editor.number;
        const changes = rows.filter(({ number }) => number > from);
        if (changes.length > 0 && changes[0]?.number !== from + 1) {
          return editor.tell({ type: 'lost' });
        }
        if (changes.length > 0) {
          editor.number = changes.at(-1)?.number ?? from;
          editor.tell({ type: 'changes', list: row.listId, from, changes: changes.map(authored) });
        }
        const state = `${seen.etag} ${row.textNumber} ${seen.document.name}`;
        if (room.told.get(editor) !== state) {
          room.told.set(editor, state);
          editor.tell({ type: 'document', seen, savedNumber: row.textNumber });
        }
        if (peers) {
          const others = peers.filter(({ clientId }) => clientId !== editor.clientId);
          editor.tell({ type: 'peers', peers: others });
        }
      }),
    );
  }

  /** Takes carets along with changes: who joins later, or has gone on to a revision, can't. */
  function moveCarets(room: Room, list: string, rows: readonly ChangeRow[]): void {
    const known = room.recent.list === list ? room.recent.rows : [];
    const last = known.at(-1)?.number ?? 0;
    const fresh = rows.filter(({ number }) => number > last);
    room.recent = { list, rows: [...known, ...fresh].slice(-RECENT) };
    for (const editor of room.editors) {
      for (const { number, changes } of room.recent.rows) {
        const { caret } = editor;
        if (!caret || editor.list !== list || number <= caret.number) continue;
        const set = storedChanges(changes);
        const at = (position: number) => set.mapPos(Math.min(position, set.length), 1);
        editor.caret = { number, anchor: at(caret.anchor), head: at(caret.head) };
      }
    }
  }

  function peersOf({ editors }: Room): Peer[] {
    return Array.from(editors, ({ clientId, username, caret }) => ({ clientId, username, caret }));
  }

  function saveLater(documentId: string): void {
    const room = rooms.get(documentId);
    if (!room) return;
    const saveNow = () => void save(documentId).catch(onFailure);
    clearTimeout(room.idle);
    room.idle = setTimeout(saveNow, IDLE_MS);
    room.latest ??= setTimeout(saveNow, AT_MOST_MS);
  }

  const save: LiveEditors['save'] = async (documentId, named) => {
    const room = rooms.get(documentId);
    stopTimers(room);
    if (await checkpoint(context, documentId)) hub.saved(documentId);
    // Others may have written too often, so that it has to be tried again.
    if ((await findLive(context.sql.read, documentId))?.unsavedSince) saveLater(documentId);
    const isNamed = named !== undefined && (await nameLast(context, documentId, named));
    gather(documentId);
    hub.typed(documentId);
    return isNamed;
  };

  function stopTimers(room: Room | undefined): void {
    clearTimeout(room?.idle);
    clearTimeout(room?.latest);
    if (room) [room.idle, room.latest] = [undefined, undefined];
  }

  async function left(documentId: string): Promise<void> {
    await save(documentId);
    if (!rooms.has(documentId)) await endSitting(context, documentId);
  }

  return {
    add(editor) {
      const { documentId } = editor;
      const room = rooms.get(documentId) ?? {
        editors: new Set(),
        gathering: undefined,
        hasNews: false,
        tookMs: 0,
        idle: undefined,
        latest: undefined,
        hasMoved: false,
        told: new Map(),
        recent: { list: '', rows: [] },
      };
      rooms.set(documentId, room);
      room.editors.add(editor);
      room.hasMoved = true;
      gather(documentId);
      return () => {
        room.editors.delete(editor);
        room.told.delete(editor);
        room.hasMoved = true;
        if (room.editors.size > 0) return gather(documentId);
        clearTimeout(room.gathering);
        stopTimers(room);
        rooms.delete(documentId);
        // Another process goes on, or this one when it is there again.
        if (!isStopping) left(documentId).catch(onFailure);
      };
    },
    pushed(documentId) {
      gather(documentId);
      hub.typed(documentId);
      saveLater(documentId);
    },
    happened(documentId) {
      gather(documentId);
      hub.typed(documentId);
    },
    moved(documentId) {
      const room = rooms.get(documentId);
      if (room) room.hasMoved = true;
      gather(documentId);
    },
    save,
    stop() {
      isStopping = true;
      clearInterval(looking);
      for (const room of rooms.values()) {
        clearTimeout(room.gathering);
        stopTimers(room);
      }
    },
  };
}

const stateOf = ({ listId, lastNumber, textNumber, seenVersion, changedAt }: LiveRow) =>
  `${listId} ${lastNumber} ${textNumber} ${seenVersion} ${changedAt}`;
