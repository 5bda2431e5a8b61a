import { ChangeSet, EditorState } from '@codemirror/state';
import { changes as changesBetween } from '../../base/text/changes.ts';
import {
  collab,
  getSyncedVersion,
  MOST_APART,
  receiveUpdates,
  sendableUpdates,
} from '../../base/text/collaboration.ts';
import { merge3 } from '../../base/text/merge.ts';
import type { DocumentState } from './live-editing-routes.ts';
import type { Peer } from './live-editors.ts';

export interface Sent {
  clientId: string;
  changes: unknown;
  author: string | null;
}

/** A message of the service. */
type Message =
  | {
      type: 'joined';
      list: string;
      number: number;
      changes: Sent[];
      text?: string;
      /** With `text`: how many of all changes that this editor has sent are in it. */
      taken?: number;
      document: DocumentState;
    }
  | { type: 'changes'; list: string; from: number; changes: Sent[] }
  | { type: 'document'; document: DocumentState; saved: number }
  | { type: 'peers'; peers: Peer[] }
  | { type: 'happened'; left?: { author: string | null; viaName: string | null } }
  | { type: 'lost' }
  | { type: 'saved'; isNamed: boolean }
  | { type: 'refused'; code: string; message: string };

/** An open editor without a screen: the library of the web app's editor over a real connection. */
export interface TestEditor {
  /** Everything that the service said. */
  readonly messages: Message[];
  readonly socket: WebSocket;
  /** Resolves with the code when the connection has ended. */
  readonly closed: Promise<number>;
  readonly text: () => string;
  /** Whether everything typed is stored. */
  readonly isSent: () => boolean;
  /** Called with each change of others. */
  onOthers: (change: Sent) => void;
  /** How often what was typed couldn't be merged with what a program wrote meanwhile. */
  refused: number;
  /** The authors of what others wrote, in order. */
  readonly authors: string[];
  readonly peers: () => Peer[];
  readonly document: () => DocumentState | undefined;
  type(at: number, insert: string, remove?: number): void;
  send(message: object): void;
  /** Cuts the connection. */
  cut(): void;
  /** Connects again, if it isn't connected. @returns whether it is now */
  reconnect(): Promise<boolean>;
}

/** Opens an editor of a document that has this text in revision `version`. */
export async function openEditor(
  at: { url: string; headers: Record<string, string>; accountId: string },
  from: { version: number; text: string },
): Promise<TestEditor> {
  const client = `${at.accountId}/${crypto.randomUUID()}`;
  const messages: Message[] = [];
  const authors: string[] = [];
  let state = EditorState.create({ doc: from.text });
  /** The text as the service has it. */
  let synced = state.doc;
  let list: string | undefined;
  /** How many of its changes the service has. */
  let stored = 0;
  let isPushing = false;
  let socket: WebSocket;
  let closed: Promise<number>;
  let peers: Peer[] = [];
  let about: DocumentState | undefined;

  function push(): void {
    const updates = list === undefined ? [] : sendableUpdates(state).slice(0, MOST_APART);
    if (isPushing || updates.length === 0 || socket.readyState !== WebSocket.OPEN) return;
    isPushing = true;
    const changes = updates.map(({ clientID, changes }) => ({ clientId: clientID, changes }));
    send({ type: 'push', push: { list, seen: getSyncedVersion(state), changes } });
  }

  function take(changes: Sent[], first: number): void {
    const fresh = changes.slice(getSyncedVersion(state) - first);
    for (const change of fresh) {
      if (change.clientId === client) continue;
      authors.push(change.author ?? '');
      editor.onOthers(change);
    }
    const updates = fresh.map(({ clientId, changes }) => ({
      clientID: clientId,
      changes: ChangeSet.fromJSON(changes),
    }));
    const unsent = sendableUpdates(state);
    const isByProgram = updates.some(({ clientID }) => clientID === '');
    const own = updates.filter(({ clientID }) => clientID === client).length;
    const before = withOwn(own);
    stored += own;
    synced = updates.reduce((text, { changes }) => changes.apply(text), synced);
    const written = state.doc.toString();
    state = receiveUpdates(state, updates).state;
    // As the web app's editor does.
    if (isByProgram && unsent.length > own) {
      const merged = merge3(before.toString(), synced.toString(), written);
      editor.refused += merged.conflicts.length;
      const from = state.doc.toString();
      state = state.update({ changes: changesBetween(from, merged.text) }).state;
    }
    isPushing = false;
    push();
  }

  /** The text as the service has it, with the first of its own changes that it hasn't told yet. */
  function withOwn(count: number) {
    const unsent = sendableUpdates(state).slice(0, count);
    return unsent.reduce((text, { changes }) => changes.apply(text), synced);
  }

  /** Goes on with a whole text, and with what it doesn't have yet, as the web app's editor does. */
  function beginAnew(startVersion: number, text: string, taken: number): void {
    const isBegun = list !== undefined;
    const [base, written] = [isBegun ? withOwn(taken - stored) : synced, state.doc.toString()];
    const merged = merge3(base.toString(), text, written);
    editor.refused += merged.conflicts.length;
    begin(startVersion, text);
    stored = taken;
    state = state.update({ changes: changesBetween(text, merged.text) }).state;
  }

  function begin(startVersion: number, text = state.doc.toString()): void {
    state = EditorState.create({
      doc: text,
      extensions: collab(startVersion, client),
    });
    synced = state.doc;
  }

  function heard(message: Message): void {
    messages.push(message);
    switch (message.type) {
      case 'joined':
        about = message.document;
        isPushing = false;
        if (message.text !== undefined) {
          beginAnew(message.number, message.text, message.taken ?? 0);
        } else if (list !== message.list) begin(message.number);
        list = message.list;
        take(message.changes, message.number);
        return;
      case 'changes':
        take(message.changes, message.from);
        return;
      case 'document':
        about = message.document;
        return;
      case 'peers':
        peers = message.peers;
        return;
      case 'lost':
        join();
        return;
      case 'refused':
        isPushing = message.code === 'BAD_REQUEST';
        setTimeout(push, message.code === 'CONFLICT' ? 50 : 1_000);
        return;
    }
  }

  function join(): void {
    const known =
      list === undefined ? { version: from.version } : { list, number: getSyncedVersion(state) };
    send({ type: 'join', client, known });
  }

  const send = (message: object) => socket.send(JSON.stringify(message));

  async function connect(): Promise<boolean> {
    isPushing = false;
    socket = new WebSocket(at.url, { headers: at.headers } as unknown as string[]);
    closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
    });
    const joined = new Promise<void>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data);
        heard(message);
        if (message.type === 'joined' || message.type === 'refused') resolve();
      });
    });
    socket.addEventListener('open', join);
    socket.addEventListener('error', () => {});
    await Promise.race([joined, closed]);
    return socket.readyState === WebSocket.OPEN;
  }

  const editor: TestEditor = {
    messages,
    authors,
    refused: 0,
    onOthers: () => {},
    get socket() {
      return socket;
    },
    get closed() {
      return closed;
    },
    text: () => state.doc.toString(),
    isSent: () => sendableUpdates(state).length === 0,
    peers: () => peers,
    document: () => about,
    type(at, insert, remove = 0) {
      state = state.update({ changes: { from: at, to: at + remove, insert } }).state;
      push();
    },
    send,
    cut: () => socket.close(),
    reconnect: connect,
  };
  await connect();
  return editor;
}
